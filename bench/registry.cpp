#include "bench/bench.h"

namespace proven::bench {

Benchmark table1();
Benchmark fig5();
Benchmark fig9();

std::span<const Benchmark> benchmarks() {
  static const std::vector<Benchmark> all = {table1(), fig5(), fig9()};
  return all;
}

}  // namespace proven::bench
