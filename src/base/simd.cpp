#include "proven/base/simd.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace proven::simd {
namespace {

std::string available_names() {
  std::string names;
  for (const InstructionSet set : kInstructionSets)
    if (available(set)) names += fmt::format("{}{}", names.empty() ? "" : ", ", to_string(set));
  return names;
}

Result<InstructionSet> parse(std::string_view word) {
  for (const InstructionSet set : kInstructionSets) {
    if (to_string(set) != word) continue;
    if (available(set)) return set;
    return bad_input(fmt::format("this machine cannot run {}; it has {}", word, available_names()),
                     "PROVEN_SIMD");
  }
  return bad_input(fmt::format("no instruction set '{}'; there are {}", word, available_names()),
                   "PROVEN_SIMD");
}

InstructionSet widest() {
  return *std::find_if(kInstructionSets.rbegin(), kInstructionSets.rend(), available);
}

struct Choice {
  InstructionSet set = widest();
  std::optional<Error> error;
};

Choice choice_of_environment() {
  Choice choice;
  const char* word = std::getenv("PROVEN_SIMD");
  if (!word || !*word) return choice;
  const auto parsed = parse(word);
  if (parsed.ok())
    choice.set = parsed.value();
  else
    choice.error = parsed.error();
  return choice;
}

Choice& choice() {
  static Choice made = choice_of_environment();
  return made;
}

std::vector<AnyKernel*>& registered() {
  static std::vector<AnyKernel*> list;
  return list;
}

}  // namespace

bool available(InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::avx512)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
  if (set == InstructionSet::avx2) return __builtin_cpu_supports("avx2");
#endif
  return set == InstructionSet::scalar;
}

InstructionSet used() {
  return choice().set;
}

Result<void> check_environment() {
  if (const auto& error = choice().error) return *error;
  return {};
}

Result<void> force(InstructionSet set) {
  if (!available(set))
    return bad_input(
        fmt::format("this machine cannot run {}; it has {}", to_string(set), available_names()));
  choice().set = set;
  for (AnyKernel* kernel : registered()) kernel->use(set);
  return {};
}

std::vector<const AnyKernel*> kernels() {
  std::vector<const AnyKernel*> list(registered().begin(), registered().end());
  std::sort(list.begin(), list.end(),
            [](const AnyKernel* a, const AnyKernel* b) { return a->name() < b->name(); });
  return list;
}

Registration::Registration(AnyKernel& kernel) {
  registered().push_back(&kernel);
  kernel.use(used());
}

}  // namespace proven::simd
