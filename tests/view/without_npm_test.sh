#!/bin/sh
# without_npm_test.sh VIEWER WORK: where npm is missing, cannot fetch anything, or is not wanted, configuring
# goes on and says what is left out.
set -eu
viewer=$1 work=$2
fail() { printf '%s\n' "FAILED: $*"; exit 1; }

rm -rf "$work"
mkdir -p "$work/source/viewer"
(cd "$viewer" && cp -r CMakeLists.txt package.json package-lock.json build.mjs src "$work/source/viewer")
cat >"$work/source/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(around NONE)
add_subdirectory(viewer)
if(TARGET viewer_bundle)
  message(STATUS "with the viewer")
else()
  message(STATUS "without the viewer")
endif()
END

# says WORDS OPTION...: configures anew; the output has these words, and there is no viewer.
says() {
  words=$1
  shift
  rm -rf "$work/build"
  cmake -G Ninja -DCMAKE_MAKE_PROGRAM="$(command -v ninja)" -S "$work/source" -B "$work/build" "$@" >"$work/log" 2>&1 || { cat "$work/log"; fail "configuring with $*"; }
  tr -s ' \n' ' ' <"$work/log" | grep -q "$words" || { cat "$work/log"; fail "does not say: $words"; }
  grep -q "without the viewer" "$work/log" || fail "there is a viewer with $*"
}
says "PROVEN_VIEWER is off" -DPROVEN_VIEWER=OFF
says "npm was not found" -DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF
says "npm could not install .*network" -DNPM=/bin/false
echo passed
