#!/usr/bin/env python3
"""public_headers.py [--update]: public headers change only with a line in the changelog.

public_headers.txt keeps a hash of every public header, comments and layout aside, and the version under which it
last changed. Without --update: fails on a header that is not as it was recorded. With it: records the headers as
they are, but only if the topmost section of CHANGELOG.md names each that has changed, as `layer/name.h`.
"""

import hashlib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORD = pathlib.Path(__file__).resolve().parent / "public_headers.txt"
FOLDERS = ("include/proven", "adapters/ompl/include/proven")


def headers():
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*.h")):
            yield file.relative_to(ROOT / folder).as_posix(), file.read_text()


def content_hash(text):
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:16]


def sections():
    """[(version, text)] of the changelog, newest first; "Unreleased" is a version, too."""
    parts = re.split(r"^## (\S+)[^\n]*$", (ROOT / "CHANGELOG.md").read_text(), flags=re.M)
    return list(zip(parts[1::2], parts[2::2]))


def recorded():
    lines = (line.split() for line in RECORD.read_text().splitlines() if line and line[0] != "#")
    return {name: (digest, version) for name, digest, version in lines}


def complaints(old, new, log):
    for name in sorted(old.keys() | new.keys()):
        digest, version = old.get(name, (None, None))
        if new.get(name) != digest:
            yield name, "is new" if digest is None else "is gone" if name not in new else "has changed"
        elif version != "0.1.0" and name not in log.get(version, ""):
            yield name, f"changed in {version}, but that section of CHANGELOG.md does not name it"


def main():
    log = sections()
    top, text = log[0]
    old = recorded() if RECORD.exists() else {}
    new = {name: content_hash(body) for name, body in headers()}
    bad = list(complaints(old, new, dict(log)))
    if "--update" not in sys.argv:
        for name, what in bad:
            print(f"FAILED: the public header {name} {what}")
        if bad:
            sys.exit(f"Say what has changed for users in CHANGELOG.md, under {top}, with the header's name, then run "
                     "tests/architecture/public_headers.py --update")
        print(f"{len(new)} public headers are as recorded")
        return
    unnamed = [name for name, _ in bad if name not in text]
    if unnamed:
        sys.exit(f"CHANGELOG.md, {top}: name these headers first: {', '.join(unnamed)}")
    changed = {name for name, _ in bad}
    version = {name: top if name in changed else old[name][1] for name in new}
    RECORD.write_text("# header, hash of its code, version under which it last changed: public_headers.py --update\n" +
                      "".join(f"{name} {new[name]} {version[name]}\n" for name in sorted(new)))
    print(f"recorded {len(changed)} changes under {top}")


if __name__ == "__main__":
    main()
