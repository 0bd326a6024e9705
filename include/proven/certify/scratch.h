// Scratch memory of one thread. Reuse it: after it has grown, checks allocate nothing in their hot
// loops. It holds no results, and using another one never changes an answer.
#pragma once

#include <memory>

namespace proven {

class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(Scratch&&) noexcept;
  Scratch& operator=(Scratch&&) noexcept;

  struct State;  // src/certify/scratch_state.h
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace proven
