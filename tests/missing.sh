#!/bin/sh
# missing.sh SENTENCE...       a part that was not built: says so and fails
# missing.sh --run COMMAND...  runs a test whose exit code 77 says that a tool is missing: that fails too
# Fewer tests must not look like passing tests. With PROVEN_ALLOW_MISSING=1 they are skipped instead.
if [ "$1" = --run ]; then
  shift
  "$@"
  code=$?
  [ "$code" = 77 ] || exit "$code"
else
  printf '%s\n' "$*"
fi
[ "${PROVEN_ALLOW_MISSING:-}" = 1 ] && exit 77
echo "Run ./test, which installs what is missing and configures again, or set PROVEN_ALLOW_MISSING=1 to skip this."
exit 1
