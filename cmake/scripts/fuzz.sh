# libFuzzer on the readers (tests/fuzz), for ./test.

# fuzz_one PROGRAM SECONDS NAME: from the seeds and what earlier runs have learnt (build/fuzz/corpus). The
# words of the seeds are the dictionary.
fuzz_one() {
  local program=$1 seconds=$2 name=$3 log
  local corpus=$root/build/fuzz/corpus/$name found=$root/build/fuzz/found
  mkdir -p "$corpus" "$found"
  PROVEN_FUZZER=$name PROVEN_FUZZ_SEEDS=$corpus "$program" || return 1
  grep -aohE '[A-Za-z_:-]{3,30}' "$corpus"/seed_* | sort -u | head -n 500 | sed 's/.*/"&"/' >"$corpus.dict"
  local dictionary=()
  [ ! -s "$corpus.dict" ] || dictionary=(-dict="$corpus.dict")
  log=$found/$name.log
  if PROVEN_FUZZER=$name "$program" -max_total_time="$seconds" -timeout=60 \
    -rss_limit_mb=4096 -max_len=16384 "${dictionary[@]}" -artifact_prefix="$found/$name-" "$corpus" >"$log" 2>&1; then
    printf '%s\n' "  $name: $(sed -n 's/^Done \([0-9]*\) runs.*/\1 inputs/p' "$log")" >&2
  else
    tail -n 40 "$log" >&2
    printf '%s\n' "  $name: FAILED; the input is in $found, and belongs into tests/regression/fuzz/$name/ once it is mended" >&2
    return 1
  fi
}

# fuzz SECONDS [NAME]: each fuzzer, or one, for so long.
fuzz() {
  local seconds=$1 name=${2:-} program=$root/build/fuzz/tests/fuzz/proven_fuzz
  build fuzz proven_fuzz || return 1
  say "fuzzing (${seconds} s each)"
  export -f fuzz_one
  export root
  { [ -n "$name" ] && printf '%s\n' "$name" || "$program"; } |
    xargs -P "$jobs" -I {} bash -c 'fuzz_one "$0" "$1" "$2"' "$program" "$seconds" {}
}
