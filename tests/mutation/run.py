#!/usr/bin/env python3
"""run.py [NAME...]: breaks the code, one line at a time, and looks whether the tests notice.

mutants.json lists what is broken: a file, what stands there once, what is put in its place, the test programs that are
to notice ("program filter" for some of its tests), and, for a mutant that changes no behaviour, why. Each is built in
build/release and undone. Prints a table; exit code 1 if a mutant survives that has no such reason, or does not build.
"""
import json
import pathlib
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/release"


class DoesNotBuild(Exception):
    """Such a mutant tells nothing about the tests."""


def notices(test):
    """By which of its tests the program fails."""
    program, *chosen = test.split()
    built = subprocess.run(["ninja", "-C", BUILD, program], capture_output=True, text=True)
    if built.returncode != 0:
        print(built.stdout[-2000:], file=sys.stderr)
        raise DoesNotBuild
    try:
        ran = subprocess.run([BUILD / "tests" / program, "--gtest_fail_fast", "--gtest_brief=1",
                              *(f"--gtest_filter={tests}" for tests in chosen)],
                             capture_output=True, text=True, timeout=900)
    except subprocess.TimeoutExpired:
        return "does not end"
    for line in ran.stdout.splitlines():
        if line.startswith("[  FAILED  ]"):
            return line.split("]")[1].split("(")[0].split(",")[0].strip()
    return "crashes" if ran.returncode else ""


def together(tests):
    """The same tests, every program once."""
    filters = {}
    for program, *chosen in map(str.split, tests):
        filters.setdefault(program, set()).update(chosen or ["*"])
    return [f"{program} {':'.join(sorted(chosen))}" for program, chosen in filters.items()]


def try_mutant(mutant):
    file = ROOT / mutant["file"]
    text = file.read_text()
    if text.count(mutant["from"]) != 1:
        sys.exit(f"{mutant['name']}: {mutant['file']} holds {mutant['from']!r} {text.count(mutant['from'])} times")
    file.write_text(text.replace(mutant["from"], mutant["to"]))
    try:
        for test in mutant["tests"]:
            if by := notices(test):
                return by
        return ""
    finally:
        file.write_text(text)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the mutant is undone
    mutants = json.loads((pathlib.Path(__file__).parent / "mutants.json").read_text())
    chosen = [m for m in mutants if not sys.argv[1:] or m["name"] in sys.argv[1:]]
    if unknown := set(sys.argv[1:]) - {m["name"] for m in mutants}:
        sys.exit(f"mutants.json has no {', '.join(sorted(unknown))}")
    for test in together(test for m in chosen for test in m["tests"]):
        if by := notices(test):
            sys.exit(f"{by} fails without a mutant: mend that first")
    survivors = broken = 0
    print("| mutant | file | noticed by |\n| --- | --- | --- |", flush=True)
    for mutant in chosen:
        try:
            by = try_mutant(mutant)
        except DoesNotBuild:
            broken += 1
            by = "DOES NOT BUILD"
        survivors += not by and "why" not in mutant
        told = by or ("nobody: " + mutant["why"] if "why" in mutant else "SURVIVES")
        print(f"| {mutant['name']} | `{mutant['file']}` | {told} |", flush=True)
    print(f"\n{len(chosen)} mutants, {survivors} unexplained survivors, {broken} that do not build")
    sys.exit(survivors + broken > 0)


if __name__ == "__main__":
    main()
