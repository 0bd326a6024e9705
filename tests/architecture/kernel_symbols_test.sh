#!/bin/sh
# kernel_symbols_test.sh COMPILER ROOT WORK: no kernel leaves a function behind that the linker could
# give to other code. An inline function of a header that a kernel calls would be compiled for that
# kernel's instruction set, and could be the copy that the whole program uses. Without optimization
# none of them is hidden by inlining.
set -eu
compiler=$1 root=$2 work=$3
mkdir -p "$work"
seen=0
for source in "$root"/src/*/*_kernel.cpp "$root"/papers/*/*_kernel.cpp; do
  "$compiler" -std=c++20 -O0 -I"$root/include" -I"$root/internal" -I"$root/src" -I"$root" -DPROVEN_INSTRUCTION_SET=scalar \
    -c "$source" -o "$work/kernel.o"
  if nm -C "$work/kernel.o" | grep -E ' [WVu] '; then
    echo "$source calls the functions above; write them out, or use builtins of the compiler"
    exit 1
  fi
  seen=$((seen + 1))
done
echo "$seen kernels"
[ "$seen" -ge 2 ]
