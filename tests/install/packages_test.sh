#!/bin/sh
# packages_test.sh BUILD WORK: makes the Debian packages, unpacks them into an empty folder and runs what
# is there.
set -eu
build=$1 work=$2
here=$(cd "$(dirname "$0")" && pwd)
say() { printf '%s\n' "$*"; }
fail() { say "FAILED: $*"; exit 1; }
command -v dpkg-shlibdeps >/dev/null || { say "skipped: needs dpkg-dev"; exit 77; }

rm -rf "$work"
mkdir -p "$work/root"
cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work" >"$work/cpack.log" 2>&1 ||
  { cat "$work/cpack.log"; fail "cpack"; }

# has_dependency PACKAGE NAME
has_dependency() {
  dpkg-deb -f "$work/$1"_*.deb Depends | tr ',' '\n' | grep -q "^ *$2\( \|$\)" || fail "$1 does not depend on $2"
}
has_dependency proven libc6
has_dependency proven libfmt9
has_dependency proven libmpfi0
has_dependency libproven1 libfmt9
has_dependency libproven-dev libfmt-dev
has_dependency libproven-dev libmpfi-dev
has_dependency libproven-dev zlib1g-dev
[ ! -f "$build/adapters/libproven_ompl.a" ] || has_dependency libproven-ompl-dev libompl-dev

for package in "$work"/*.deb; do
  dpkg-deb -c "$package" | awk '$1 !~ /^d/ {print $6}'
  dpkg-deb -x "$package" "$work/root"
done >"$work/files"
[ -z "$(sort "$work/files" | uniq -d)" ] || fail "a file is in two packages: $(sort "$work/files" | uniq -d)"
if grep -v '^\./usr/' "$work/files"; then fail "files outside /usr"; fi

cd "$work"
"$work/root/usr/bin/proven" demo --report "$work/demo.html" >demo.log || fail "demo"
"$work/root/usr/bin/proven" check "$here/scene.json" "$here/free.json" >/dev/null || fail "check"
if [ -d root/usr/lib/python3/dist-packages/proven ]; then
  has_dependency python3-proven python3-numpy
  PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$work/root/usr/lib/python3/dist-packages \
    /usr/bin/python3 -c "import proven; print(proven.built_in_scene('demo'))"
fi
ls -l ./*.deb | awk '{print $5, $NF}'
say "passed"
