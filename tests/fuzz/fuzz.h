// Fuzzers of the readers: whatever the bytes, a reader answers with a value or with an Error that
// says something. The same functions are driven by libFuzzer (main.cpp) and by the ordinary tests
// (fuzz_test.cpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proven/base/result.h"

namespace proven::fuzz {

using Bytes = std::span<const std::uint8_t>;

struct Fuzzer {
  std::string name;
  bool (*run)(Bytes input);  // whether the reader accepts it; aborts on a broken promise
  // Where to start: files of the repository ("folder/*.ending" below tests/), and documents.
  std::vector<std::string> files;
  std::vector<std::string> (*documents)() = nullptr;
};

// All of them, by name.
std::span<const Fuzzer> fuzzers();
std::vector<Fuzzer> mesh_fuzzers();
std::vector<Fuzzer> sensed_fuzzers();
std::vector<Fuzzer> robot_fuzzers();
std::vector<Fuzzer> scene_fuzzers();
std::vector<Fuzzer> path_fuzzers();
std::vector<Fuzzer> traffic_fuzzers();
std::vector<Fuzzer> task_fuzzers();
std::vector<Fuzzer> roadmap_fuzzers();
std::vector<Fuzzer> message_fuzzers();
std::vector<Fuzzer> certificate_fuzzers();

// The files, the documents, and what was found once (tests/regression/fuzz/<name>/).
std::vector<std::string> seeds_of(const Fuzzer& fuzzer);

// The input as a file of this ending, in a folder with the robots and meshes of tests/bad_input/ok.
std::filesystem::path as_file(Bytes input, std::string_view ending);
std::string_view as_text(Bytes input);

// Breaks off: a promise was not kept.
[[noreturn]] void broken(std::string_view promise);
// Prints it where PROVEN_FUZZ_TELL is set.
void tell(const Error& error);

template <class T>
bool answers(const Result<T>& result) {
  if (!result.ok()) tell(result.error());
  return result.ok();
}

}  // namespace proven::fuzz
