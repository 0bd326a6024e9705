#!/usr/bin/env python3
"""run.py [NAME...]: breaks the code, one line at a time, and looks whether the tests notice.

mutants.json lists what is broken: a file, what stands there once, what is put in its place, the test programs that are
to notice, and, for a mutant that changes no behaviour, why. Each is built in build/release and undone. Prints a table; exit code 1
if a mutant survives that has no such reason.
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/release"


def notices(test):
    """By which of its tests the program fails."""
    built = subprocess.run(["ninja", "-C", BUILD, test], capture_output=True, text=True)
    if built.returncode != 0:
        sys.exit(f"it does not build, which tells nothing:\n{built.stdout[-2000:]}")
    try:
        ran = subprocess.run([BUILD / "tests" / test, "--gtest_fail_fast", "--gtest_brief=1"], capture_output=True,
                             text=True, timeout=900)
    except subprocess.TimeoutExpired:
        return "does not end"
    for line in ran.stdout.splitlines():
        if line.startswith("[  FAILED  ]"):
            return line.split("]")[1].split("(")[0].strip()
    return "crashes" if ran.returncode else ""


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
    mutants = json.loads((pathlib.Path(__file__).parent / "mutants.json").read_text())
    chosen = [m for m in mutants if not sys.argv[1:] or m["name"] in sys.argv[1:]]
    survivors = 0
    print("| mutant | file | noticed by |\n| --- | --- | --- |", flush=True)
    for mutant in chosen:
        by = try_mutant(mutant)
        survivors += not by and "why" not in mutant
        told = by or ("survives: " + mutant["why"] if "why" in mutant else "SURVIVES")
        print(f"| {mutant['name']} | `{mutant['file']}` | {told} |", flush=True)
    print(f"\n{len(chosen)} mutants, {survivors} unexplained survivors")
    sys.exit(survivors > 0)


if __name__ == "__main__":
    main()
