#include "proven/certify/scratch.h"

#include "directional_search.h"
#include "path_search.h"
#include "scratch_state.h"

namespace proven {
namespace {

// What scratches of a thread leave behind, for the next ones: growing one is a twentieth of a plan.
// Those that hold much are dropped.
constexpr std::size_t kMostSpares = 2;

thread_local bool ended = false;  // the thread is at its end; of a type that outlives the spares
struct Spares {
  ~Spares() { ended = true; }
  std::vector<std::unique_ptr<Scratch::State>> states;
};
thread_local Spares spares;

}  // namespace

Scratch::Scratch() {
  if (ended || spares.states.empty()) {
    state_ = std::make_unique<State>();
    return;
  }
  state_ = std::move(spares.states.back());
  spares.states.pop_back();
}

Scratch::~Scratch() {
  if (!state_ || ended || spares.states.size() == kMostSpares || state_->holds_much()) return;
  if (state_->sweep) state_->sweep->forget();
  spares.states.push_back(std::move(state_));
}

Scratch::Scratch(Scratch&&) noexcept = default;
Scratch& Scratch::operator=(Scratch&&) noexcept = default;

Scratch::State::State() = default;
Scratch::State::~State() = default;

bool Scratch::State::holds_much() const {
  constexpr std::size_t kManyBodies = 100, kManySegments = 4096, kManySearches = 16;
  return most_bodies > kManyBodies || segments.capacity() > kManySegments ||
         idle.size() > kManySearches;
}

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
