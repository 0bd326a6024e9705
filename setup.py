"""Builds the wheel: CMake makes the module, and the shared libraries that it needs travel with it.

PROVEN_BUILD_DIR names a build folder that is ready; its module is taken, and nothing is compiled. Else CMAKE_ARGS
are further options for CMake.
"""

import hashlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent
# Under build/, which CMake's folders are in, too: nothing is left elsewhere.
WORK = ROOT / "build" / "wheel"

# What every Linux has, by the same rule as manylinux: the C and C++ run-time libraries.
OF_THE_SYSTEM = re.compile(
    r"(linux-vdso|ld-linux.*|libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s)\.so(\..*)?$"
)


def version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"^project\(proven VERSION ([0-9.]+)", text, re.MULTILINE).group(1)


def run(*command):
    print("+", *command, flush=True)
    subprocess.run([str(word) for word in command], check=True)


def output_of(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def build_module():
    """A build folder in which the module is up to date."""
    if ready := os.environ.get("PROVEN_BUILD_DIR"):
        return pathlib.Path(ready).resolve()
    # As deep as other build folders, and with their settings of ccache: what they compiled serves here.
    folder = ROOT / "build" / f"wheel-{sys.implementation.cache_tag}"
    os.environ.setdefault("CCACHE_BASEDIR", str(ROOT))
    os.environ.setdefault("CCACHE_NOHASHDIR", "1")
    options = [f"-DPython3_EXECUTABLE={sys.executable}", "-DPROVEN_TESTS=OFF", "-DPROVEN_BENCH=OFF"]
    try:
        import pybind11

        options.append(f"-Dpybind11_DIR={pybind11.get_cmake_dir()}")
    except ImportError:
        pass  # the one of the system
    if shutil.which("ninja"):
        options += ["-G", "Ninja"]
    options += shlex.split(os.environ.get("CMAKE_ARGS", ""))
    run("cmake", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", *options)
    run("cmake", "--build", folder, "--target", "proven_python", "--parallel", os.cpu_count() or 1)
    return folder


def needed_libraries(module):
    """Paths of all shared libraries that the module loads and not every Linux has, by name."""
    found = {}
    for line in output_of("ldd", module).splitlines():
        name, _, rest = line.strip().partition(" => ")
        if OF_THE_SYSTEM.match(pathlib.Path(name.split(" ")[0]).name):
            continue
        if not rest or "not found" in rest:
            raise SystemExit(f"{module.name} needs {name}, which is not here")
        found[name] = pathlib.Path(rest.rsplit(" (", 1)[0])
    return found


def bundle(module, folder):
    """Copies the libraries beside the module, each under a name that no other package has loaded."""
    needed = needed_libraries(module)
    names = {}
    for name, path in needed.items():
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:8]
        stem, dot, ending = name.partition(".so")
        names[name] = f"{stem}-{digest}{dot}{ending}"
    folder.mkdir(parents=True)
    for name, path in needed.items():
        copy = folder / names[name]
        shutil.copyfile(path, copy)
        copy.chmod(0o755)
        run("patchelf", "--set-soname", names[name], "--force-rpath", "--set-rpath", "$ORIGIN", copy)
    run("patchelf", "--force-rpath", "--set-rpath", f"$ORIGIN/{folder.name}", module)
    for file in [module, *(folder / name for name in names.values())]:
        own = output_of("patchelf", "--print-needed", file).split()
        for name in own:
            if name in names:
                run("patchelf", "--replace-needed", name, names[name], file)


class BuildByCMake(build_ext):
    def build_extension(self, extension):
        stage = WORK / "stage"
        shutil.rmtree(stage, ignore_errors=True)
        run("cmake", "--install", build_module(), "--prefix", stage, "--component", "python", "--strip")
        (built,) = stage.rglob("proven/_core*.so")
        module = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve()
        if built.name != module.name:
            raise SystemExit(f"the build made {built.name}, but this Python loads {module.name}")
        module.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(built, module)
        module.chmod(0o755)
        libraries = module.parent / "_libraries"
        shutil.rmtree(libraries, ignore_errors=True)
        bundle(module, libraries)


WORK.mkdir(parents=True, exist_ok=True)
for earlier in WORK.glob("lib*"):  # what is gone from the sources must not be in the wheel
    shutil.rmtree(earlier)
setup(
    version=version(),
    ext_modules=[Extension("proven._core", sources=[])],
    cmdclass={"build_ext": BuildByCMake},
    options={"build": {"build_base": str(WORK)}, "egg_info": {"egg_base": str(WORK)}},
)
