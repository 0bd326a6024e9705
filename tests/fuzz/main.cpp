// libFuzzer's entry. PROVEN_FUZZER names the fuzzer; PROVEN_FUZZ_SEEDS=FOLDER writes its seeds
// instead.
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "fuzz.h"

namespace {
const proven::fuzz::Fuzzer* chosen = nullptr;
}

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* name = std::getenv("PROVEN_FUZZER");
  for (const auto& fuzzer : proven::fuzz::fuzzers()) {
    if (!name) std::printf("%s\n", fuzzer.name.c_str());
    if (name && fuzzer.name == name) chosen = &fuzzer;
  }
  if (!chosen) {
    if (name)
      std::fprintf(stderr, "there is no fuzzer '%s'; without PROVEN_FUZZER they are listed\n",
                   name);
    std::exit(name ? 2 : 0);
  }
  if (const char* folder = std::getenv("PROVEN_FUZZ_SEEDS")) {
    int number = 0;
    for (const std::string& seed : seeds_of(*chosen))
      std::ofstream(folder + ("/seed_" + std::to_string(number++)), std::ios::binary) << seed;
    std::exit(0);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->run({data, size});
  return 0;
}
