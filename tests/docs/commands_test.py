#!/usr/bin/env python3
"""commands_test.py PROGRAM PAGE...: does what a page says, as a reader would.

In a folder with nothing but the examples, in the order of the page: a code block after a line "`name`:" is written to the file
`name`; lines of shell blocks that call the program are run ("# exit code N" says what they must return,
else 0; a server is not started); blocks of Python are run as one program at the end of the page. Output that is shown in a block
"text" after commands must be what they print, line by line, except lines with "…" and numbers of time.
Blocks marked <!-- not run --> on the line before are left out. The robot that a page takes for granted is the UR5 of
the data folder; without it such a page is skipped. Where the package for Python is not built, blocks of Python fail; with PROVEN_ALLOW_MISSING=1 they are left out.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"(?P<before>[^\n]*)\n\n?```(?P<kind>\w*)\n(?P<body>.*?)^```$", re.M | re.S)
SKIPPED = 77


def blocks(text):
    for match in BLOCK.finditer(text):
        if "<!-- not run" not in match["before"]:
            name = re.fullmatch(r"`([\w.\-]+)`.*:", match["before"].strip())
            yield match["kind"], match["body"], name and name[1]


def commands(body):
    for line in body.replace("\\\n", " ").splitlines():
        line = re.sub(r"^\./proven\b", "proven", line.strip())
        serves = line.startswith("proven view") and "--html" not in line
        if re.match(r"(proven|python3 -c|python3 examples/\S+) ", line) and not serves:
            code = re.search(r"# exit code (\d+)", line)
            yield re.sub(r"\s+#.*$", "", line), int(code[1]) if code else 0


def run(command, expected, folder, environment):
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True,
                          capture_output=True, timeout=300)
    if done.returncode != expected:
        sys.exit(f"FAILED: {command}\n  exit code {done.returncode}, expected {expected}\n"
                 f"{done.stdout}{done.stderr}")
    return done.stdout


def compare(shown, printed, page):
    """Every full line that the page shows stands in what was printed."""
    have = {line.strip() for line in printed.splitlines()}
    for line in shown.splitlines():
        wanted = line.strip()
        if wanted and "…" not in wanted and not re.search(r"\d m?s\b", wanted) and wanted not in have:
            sys.exit(f"FAILED: {page} shows a line that was not printed:\n  {wanted}\n--- printed:\n{printed}")


def bring_robot(folder):
    beside = pathlib.Path(__file__).resolve().parents[3] / "shared/data"
    robot = pathlib.Path(os.environ.get("PROVEN_DATA", beside)) / "robots/universal_ur5"
    if not robot.is_dir():
        print("skipped: needs the UR5 of the data folder")
        sys.exit(SKIPPED)
    # Copies, not links: a command of the page that writes must not reach the data.
    shutil.copytree(robot, folder, dirs_exist_ok=True, copy_function=shutil.copyfile)
    for path in folder.rglob("*"):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)
    folder.chmod(0o755)


def has_package(environment):
    found = subprocess.run(["/usr/bin/python3", "-c", "import proven"], env=environment, capture_output=True, text=True)
    if found.returncode and os.environ.get("PROVEN_ALLOW_MISSING") != "1":
        sys.exit("FAILED: the package for Python cannot be imported; run ./test, which installs what its build "
                 f"needs, or set PROVEN_ALLOW_MISSING=1\n{found.stderr}")
    return found.returncode == 0


def follow(page, program):
    text = pathlib.Path(page).read_text()
    done = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "bin").mkdir()
        (folder / "bin/proven").symlink_to(program)
        (folder / "bin/python3").symlink_to("/usr/bin/python3")
        (folder / "examples").symlink_to(pathlib.Path(__file__).resolve().parents[2] / "examples")
        environment = dict(os.environ, PATH=f"{folder}/bin:{os.environ['PATH']}", PYTHONDONTWRITEBYTECODE="1")
        if "ur5.urdf" in text:
            bring_robot(folder)
        printed, python = "", ""
        for kind, body, file in blocks(text):
            if file:
                (folder / file).write_text(body)
            elif kind == "text":
                compare(body, printed, page)
                printed = ""
            elif kind == "python":
                python += body
            else:
                for command, expected in commands(body):
                    if command.startswith("python3 examples/") and not has_package(environment):
                        continue
                    printed += run(command, expected, folder, environment)
                    done += 1
        if python and has_package(environment):
            (folder / "page.py").write_text(python)
            run("/usr/bin/python3 page.py", 0, folder, environment)
    if done == 0 and not python:
        sys.exit(f"FAILED: {page} shows nothing to do")
    print(f"{page}: {done} commands")


if __name__ == "__main__":
    for page in sys.argv[2:]:
        follow(page, pathlib.Path(sys.argv[1]).resolve())
