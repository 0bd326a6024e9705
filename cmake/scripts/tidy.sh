# clang-tidy (.clang-tidy says what for), for ./test.

# Where this branch left main; on main, the commit before.
base_of_changes() {
  local head base
  head=$(git -C "$root" rev-parse HEAD)
  base=$(git -C "$root" merge-base HEAD main 2>/dev/null || git -C "$root" merge-base HEAD origin/main 2>/dev/null)
  [ -n "$base" ] && [ "$base" != "$head" ] || base=$(git -C "$root" rev-parse --verify -q HEAD~ || printf '%s' "$head")
  printf '%s' "$base"
}

all_sources() { git -C "$root" ls-files -- '*.cpp'; }

# Sources that have changed; for a header that has changed, one source that includes it.
changed_sources() {
  local file
  {
    git -C "$root" diff --name-only --diff-filter=d "$(base_of_changes)"
    git -C "$root" ls-files --others --exclude-standard
  } | sort -u | while IFS= read -r file; do
    case $file in
      *.cpp) printf '%s\n' "$file" ;;
      *.h) git -C "$root" grep -l -F "${file#include/}\"" -- '*.cpp' | head -n 1 ;;
    esac
  done | sort -u
}

# tidy_one DEADLINE FILE: quiet unless something is found. What is not built has no flags: left out.
tidy_one() {
  local deadline=$1 file=$2 log
  grep -q -F "\"file\": \"$root/$file\"" "$root/build/tidy/compile_commands.json" || return 0
  if [ "$deadline" != 0 ] && [ "$(date +%s)" -ge "$deadline" ]; then
    printf '%s\n' "$file" >>"$root/build/tidy/not_looked_at"
    return 0
  fi
  log=$(mktemp)
  # The flags are gcc's; those that clang does not know say nothing about the code.
  clang-tidy -p "$root/build/tidy" --quiet --extra-arg=-Wno-unknown-warning-option \
    --extra-arg=-Qunused-arguments "$root/$file" >"$log" 2>/dev/null
  local status=$?
  [ "$status" = 0 ] || cat "$log" >&2
  rm -f "$log"
  return "$status"
}

# tidy SECONDS FILE...: starts no further file after so many seconds (0: no limit) and says which.
tidy() {
  local limit=$1 deadline=0 status=0
  shift
  [ $# -gt 0 ] || return 0
  configure tidy || return 1
  say "clang-tidy: $# files"
  [ "$limit" = 0 ] || deadline=$(($(date +%s) + limit))
  rm -f "$root/build/tidy/not_looked_at"
  export -f tidy_one
  export root
  printf '%s\n' "$@" | xargs -P "$jobs" -I {} bash -c 'tidy_one "$0" "$1"' "$deadline" {} || status=1
  if [ -f "$root/build/tidy/not_looked_at" ]; then
    say "clang-tidy: no time for $(wc -l <"$root/build/tidy/not_looked_at") files; ./test tidy-all takes all"
  fi
  return "$status"
}
