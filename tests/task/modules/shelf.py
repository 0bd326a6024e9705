# The same shelf in Python.
import time

from proven_module import UNKNOWN, condition, cost, effect, init

limit = 10.0


@init
def shelfInit(*arguments):
    global limit
    if len(arguments) > 2:
        return False
    limit = float(arguments[0]) if arguments else 10.0


@condition
def carries(state, block):
    blocks = ["a", "b", "c", "d"]
    total = state.number("weight", block)
    total += sum(state.number("weight", b) for b in blocks if state.fact("on-shelf", b))
    if total > limit:
        state.explain(f"{total:g} kg are more than {limit:g}")
    return total <= limit


@condition
def carriesListed(state, block):
    on_shelf = [f[1] for f in state.facts() if f[0] == "on-shelf"]
    total = state.number("weight", block) + sum(state.number("weight", b) for b in on_shelf)
    return total <= limit


@cost
def moveTime(state, block):
    return 1 + state.number("weight", block)


@effect
def countMoves(state):
    print("this does not disturb the conversation")
    return [state.number("moves") + 1]


@condition
def never(state, block):
    return False


@condition
def strange(state, block):
    return 42


@condition
def raises(state, block):
    return state.number("no-such-fluent", block) > 0


@condition
def leaves(state, block):
    import os

    os._exit(3)


@condition
def hang(state, block):
    time.sleep(1000)


@condition
def burns(state, block):
    while True:
        pass


@condition
def undecided(state, block):
    return UNKNOWN


@effect
def carriesMarkedWrong(state, block):
    return []
