#include "broken_sweeps/broken_stage.h"

#include <atomic>
#include <cstdlib>

namespace proven {
namespace {

int named_by_environment() {
  const char* number = std::getenv("PROVEN_BROKEN_STAGE");
  return number ? std::atoi(number) : 0;
}

std::atomic<int>& stage_now() {
  static std::atomic<int> stage = named_by_environment();
  return stage;
}

}  // namespace

void set_broken_stage(BrokenStage stage) {
  stage_now() = static_cast<int>(stage);
}

bool broken(BrokenStage stage) {
  return stage_now() == static_cast<int>(stage);
}

}  // namespace proven
