#!/bin/sh
# wheel_test.sh BUILD WORK PYTHON: makes the wheel from what is built, without a network, and uses it in a
# virtual environment that has nothing but numpy.
set -eu
build=$1 work=$2 python=$3
root=$(cd "$(dirname "$0")/../.." && pwd)
say() { printf '%s\n' "$*"; }
fail() { say "FAILED: $*"; exit 1; }
logged() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; fail "$*"; }; }

rm -rf "$work"
mkdir -p "$work"
say "wheel"
PROVEN_BUILD_DIR=$build logged "$python" -m pip --disable-pip-version-check wheel "$root" \
  --no-build-isolation --no-index --no-deps --wheel-dir "$work"
wheel=$(find "$work" -name 'proven-*.whl')
[ -n "$wheel" ] || fail "there is no wheel"

say "clean environment"
logged "$python" -m venv --without-pip "$work/env"
site=$("$work/env/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
# numpy is the one thing that the package needs, and there is no network: the system's stands in.
for part in $("$python" -c 'import glob, numpy, os.path
folder = os.path.dirname(os.path.dirname(numpy.__file__))
print("\n".join(glob.glob(os.path.join(folder, "numpy")) + glob.glob(os.path.join(folder, "numpy-*-info"))))'); do
  ln -s "$part" "$site/"
done
logged "$python" -m pip --disable-pip-version-check --python "$work/env/bin/python" install --no-index "$wheel"
cd "$work"
unset PYTHONPATH
"$work/env/bin/python" -B "$root/tests/install/wheel_use.py" "$root" || fail "use of the wheel"

say "self-contained"
module=$(find "$site/proven" -name '_core*.so')
# Nothing of it may come from elsewhere than the wheel and the run-time libraries of C and C++.
elsewhere=$(ldd "$module" | grep -v "$site/proven/_libraries/" |
  grep -vE '(linux-vdso|ld-linux[^ ]*|libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s)\.so' || true)
[ -z "$elsewhere" ] || fail "the module needs $elsewhere"
ldd "$module" | grep -q "$site/proven/_libraries/libfmt" || fail "the libraries of the wheel are not used"
say "passed"
