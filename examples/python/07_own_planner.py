"""A planner of one's own: a rapidly growing random tree whose every edge is proved."""

import numpy as np
import proven


def grow(model, start, goal, limits, seed=1, step=0.5, tries=10000):
    """Nodes and their parents; the last node is the goal if it was reached."""
    rng = np.random.default_rng(seed)
    nodes, parents = [start], [-1]
    for i in range(tries):
        target = goal if i % 8 == 0 else rng.uniform(limits[:, 0], limits[:, 1])
        distances = np.linalg.norm(np.array(nodes) - target, axis=1)
        near = int(np.argmin(distances))
        if distances[near] == 0:
            continue
        share = min(1.0, step / distances[near])
        new = target if share == 1.0 else nodes[near] + share * (target - nodes[near])
        if not model.is_free(nodes[near], new):
            continue
        nodes.append(new)
        parents.append(near)
        if np.array_equal(new, goal):
            break
    return nodes, parents


def main():
    scene = proven.built_in_scene("demo")
    model = proven.Model(scene)
    limits = scene.limits
    rng = np.random.default_rng(3)
    free = [q for q in (rng.uniform(limits[:, 0], limits[:, 1]) for _ in range(60)) if model.is_free(q)]
    start, goal = free[0], free[1]
    nodes, parents = grow(model, start, goal, limits)
    if not np.array_equal(nodes[-1], goal):
        raise SystemExit("no path")
    path, n = [], len(nodes) - 1
    while n >= 0:
        path.append(nodes[n])
        n = parents[n]
    assert model.check(path[::-1]).verdict == "free"
    print(f"a path of {len(path) - 1} proved edges from a tree of {len(nodes)} nodes")


if __name__ == "__main__":
    main()
