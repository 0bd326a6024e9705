#!/bin/sh
# install_test.sh BUILD WORK: installs the build to a prefix, moves it, and uses it as others would: by
# find_package, by pkg-config, as a program, from Python.
set -eu
build=$1 work=$2
here=$(cd "$(dirname "$0")" && pwd)
say() { printf '%s\n' "$*"; }
fail() { say "FAILED: $*"; exit 1; }

rm -rf "$work"
mkdir -p "$work"
cmake --install "$build" --prefix "$work/first" >"$work/install.log" || fail "cmake --install"
mv "$work/first" "$work/prefix"  # nothing may point to where it was
prefix=$work/prefix
libdir=$(dirname "$(find "$prefix" -name libproven_base.a)")

# uses PROGRAM: a free path, and one that collides, from files.
uses() {
  [ "$("$1" "$here/scene.json" "$here/free.json")" = "free, accepted" ] || fail "$1: free path"
  [ "$("$1" "$here/scene.json" "$here/collision.json")" = "collision, accepted" ] || fail "$1: collision"
}

say "find_package"
ompl=
[ ! -f "$libdir/cmake/proven/proven-ompl-targets.cmake" ] || ompl=$here/../../examples/02_ompl_planner.cpp
cmake -S "$here/consumer" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCONSUMER_OMPL_EXAMPLE="$ompl" -DCMAKE_BUILD_TYPE=Release >"$work/configure.log" 2>&1 || { cat "$work/configure.log"; fail "configuring"; }
cmake --build "$work/consumer" >"$work/build.log" 2>&1 || { cat "$work/build.log"; fail "building"; }
uses "$work/consumer/consumer"
if [ -n "$ompl" ]; then
  "$work/consumer/with_ompl" | grep -q "checked again: free" || fail "the adapter for OMPL"
fi
if cmake -S "$here/consumer" -B "$work/unknown" -DCMAKE_PREFIX_PATH="$prefix" \
     -DCONSUMER_EXTRA_COMPONENT=nonsense >"$work/unknown.log" 2>&1; then
  fail "a component that does not exist was found"
fi

say "exported symbols"
exported=$(nm -D --defined-only -C "$work/consumer/libplugin.so" | cut -d' ' -f3-)
printf '%s\n' "$exported" | grep -qx plugin_bodies || fail "the plugin's function is not exported"
printf '%s\n' "$exported" | grep 'proven::' && fail "the plugin exports our symbols"

say "pkg-config"
export PKG_CONFIG_PATH="$libdir/pkgconfig"
# shellcheck disable=SC2046 # flags are words
${CXX:-c++} -std=c++20 "$here/consumer/main.cpp" -o "$work/by_pkg_config" \
  $(pkg-config --cflags --libs proven)
uses "$work/by_pkg_config"

say "C"
# shellcheck disable=SC2046 # flags are words
${CC:-cc} -std=c11 "$here/../../examples/10_from_c.c" -o "$work/from_c" $(pkg-config --cflags --libs proven-c)
LD_LIBRARY_PATH=$libdir "$work/from_c" | grep -q "4.0 rad: collision" || fail "the example in C"

say "program"
version=$(sed -n 's/^Version: //p' "$PKG_CONFIG_PATH/proven.pc")
[ "$("$prefix/bin/proven" --version)" = "$version" ] || fail "version"
"$prefix/bin/proven" check "$here/scene.json" "$here/free.json" --quiet >/dev/null || fail "check"
for file in share/man/man1/proven.1 share/man/man1/proven-check.1 share/bash-completion/completions/proven \
            share/zsh/vendor-completions/_proven share/fish/vendor_completions.d/proven.fish; do
  [ -s "$prefix/$file" ] || fail "$file is missing"
done

packages=$prefix/lib/python3/dist-packages
if [ -d "$packages/proven" ]; then
  say "Python"
  cd "$work"
  PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$packages /usr/bin/python3 -c "
import proven
scene = proven.load_scene('$here/scene.json')
assert proven.check(scene, [[0.0], [1.9]]).verdict == 'free'
assert proven.check(scene, [[0.0], [6.0]]).verdict == 'collision'"
  symbols=$(nm -D --defined-only "$packages"/proven/_core*.so | awk '$2 == "T" {print $3}')
  [ "$symbols" = PyInit__core ] || fail "the Python module exports more than its entry: $symbols"
fi
say "passed"
