#!/bin/sh
# exported_test.sh LIBRARY HEADER: the library exports the functions that the header declares, all of them and
# nothing else, under the version in its name.
set -eu
library=$1 header=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nm -D --defined-only "$library" | awk '$2 != "A" {print $3}' | sed 's/@.*//' | sort -u >"$work/exported"
grep -oE '\bproven_[a-z_]+\(' "$header" | tr -d '(' | sort -u >"$work/declared"
[ -s "$work/declared" ] || { echo "FAILED: no function in $header"; exit 1; }
diff "$work/declared" "$work/exported" || { echo "FAILED: declared (<) and exported (>) differ"; exit 1; }
version=$(sed -n 's/^#define PROVEN_C_VERSION //p' "$header")
objdump -p "$library" | grep -q "SONAME *libproven.so.$version$" || { echo "FAILED: the name of the library"; exit 1; }
nm -D --defined-only --with-symbol-versions "$library" | grep -q "proven_check@@PROVEN_C_$version" ||
  { echo "FAILED: the version of the symbols"; exit 1; }
echo "passed: $(wc -l <"$work/exported") functions"
