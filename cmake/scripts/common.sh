# Shared by ./proven and ./test: install what is missing, configure and build quietly.
# Progress goes to stderr; a failing step prints its whole log.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
jobs=$(nproc 2>/dev/null || echo 2)
# Clones in different folders share what ccache has compiled.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

say() { [ -n "${PROVEN_QUIET:-}" ] || printf '%s\n' "proven: $*" >&2; }

# run_logged WHAT COMMAND...: the command's output is shown only if it fails.
run_logged() {
  local what=$1 log
  shift
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    printf '%s\n' "proven: $what failed (see above)" >&2
    return 1
  fi
  rm -f "$log"
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else
    printf '%s\n' "proven: needs root to install: $*" >&2
    return 1
  fi
}

# install_packages [LIST...]: those of cmake/packages.txt, and of further lists in cmake/.
install_packages() {
  local missing=() package lists=(packages.txt "$@")
  command -v dpkg-query >/dev/null || { say "not a Debian system: install the packages of cmake/packages.txt by hand"; return 0; }
  for package in $(cd "$root/cmake" && grep -hv '^#' "${lists[@]}"); do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
  done
  # Whoever has another Node.js than Debian's has npm with it.
  command -v npm >/dev/null || missing+=(npm)
  [ ${#missing[@]} -eq 0 ] && return 0
  say "installing ${missing[*]}"
  run_logged "apt-get update" as_root apt-get update || return 1
  run_logged "apt-get install" as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}"
}

# What is installed of all lists: a build that was configured with something else must look again.
installed_packages() {
  command -v dpkg-query >/dev/null && dpkg-query -W -f='${Package} ${Version} ${db:Status-Status}\n' \
    $(cd "$root/cmake" && grep -hv '^#' packages.txt test_packages.txt) 2>/dev/null
  command -v npm || true
}

# A build folder is configured where it is new, where packages have come or gone since, and, for ./test
# (look_again), where parts were missing.
configure() {
  local preset=$1 dir=$root/build/$1 installed
  installed=$(installed_packages)
  if [ -f "$dir/build.ninja" ] && [ "$installed" = "$(cat "$dir/.proven-packages" 2>/dev/null)" ] &&
    ! { [ -n "${look_again:-}" ] && [ -s "$dir/missing_parts.txt" ]; }; then
    return 0
  fi
  say "configuring ($preset)"
  run_logged "configuring" cmake --preset "$preset" -S "$root" || return 1
  printf '%s\n' "$installed" >"$dir/.proven-packages"
}

# build PRESET TARGET...: configures if needed, then builds. A person at a terminal sees a progress line.
build() {
  local preset=$1 dir=$root/build/$1
  shift
  configure "$preset" || return 1
  if [ -t 2 ] && [ -z "${PROVEN_QUIET:-}" ]; then
    build_with_progress "$dir" "$@"
  else
    [ "$(ninja -C "$dir" -n "$@" 2>/dev/null | tail -n 1)" = "ninja: no work to do." ] || say "building ($preset)"
    run_logged "building" ninja -C "$dir" -j "$jobs" "$@"
  fi
}

build_with_progress() {
  local dir=$1 log line status
  shift
  log=$(mktemp)
  NINJA_STATUS='[%f/%t] ' ninja -C "$dir" -j "$jobs" "$@" 2>&1 | tee "$log" | while IFS= read -r line; do
    case $line in \[*) printf '\rproven: building %s\033[K' "${line%%]*}]" >&2 ;; esac
  done
  status=${PIPESTATUS[0]}
  printf '\r\033[K' >&2
  [ "$status" = 0 ] || { cat "$log" >&2; printf '%s\n' "proven: building failed (see above)" >&2; }
  rm -f "$log"
  return "$status"
}
