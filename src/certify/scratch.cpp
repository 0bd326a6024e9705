#include "proven/certify/scratch.h"

#include "directional_search.h"
#include "path_search.h"
#include "scratch_state.h"

namespace proven {

Scratch::Scratch() : state_(std::make_unique<State>()) {}
Scratch::~Scratch() = default;
Scratch::Scratch(Scratch&&) noexcept = default;
Scratch& Scratch::operator=(Scratch&&) noexcept = default;

Scratch::State::State() = default;
Scratch::State::~State() = default;

std::unique_ptr<DirectionalSearch> Scratch::State::take_search() {
  if (idle.empty()) return std::make_unique<DirectionalSearch>();
  auto search = std::move(idle.back());
  idle.pop_back();
  return search;
}

void Scratch::State::give_back(std::unique_ptr<DirectionalSearch> search) {
  idle.push_back(std::move(search));
}

}  // namespace proven
