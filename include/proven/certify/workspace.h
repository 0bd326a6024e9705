// Scratch memory of one thread. Reuse it: after it has grown, checks allocate nothing in their hot
// loops. It holds no results, and using another one never changes an answer.
#pragma once

#include <memory>

namespace proven {

class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  struct State;  // src/certify/workspace_state.h
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace proven
