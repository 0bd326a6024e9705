#include "proven/certify/session.h"

#include <stdexcept>

#include "known_configuration.h"
#include "model_data.h"
#include "path_search.h"
#include "recent_contacts.h"

namespace proven {

struct CheckSession::State {
  State(CheckModel m, bool trusts) : model(std::move(m)), trusts_sweeps(trusts) {}

  CheckModel model;
  bool trusts_sweeps;
  // Addresses stay: searches refer to motions and configurations.
  std::vector<std::unique_ptr<KnownConfiguration>> configurations;
  std::vector<std::unique_ptr<SegmentWork>> segments;
  std::vector<SegmentWork*> list;  // of the run under work
  std::vector<int> recent;         // pairs in contact, of single configurations
};

CheckSession::CheckSession(CheckModel model, bool trusts_sweeps)
    : state_(std::make_unique<State>(std::move(model), trusts_sweeps)) {}
CheckSession::~CheckSession() = default;
CheckSession::CheckSession(CheckSession&&) noexcept = default;
CheckSession& CheckSession::operator=(CheckSession&&) noexcept = default;

const CheckModel& CheckSession::model() const {
  return state_->model;
}

int CheckSession::add_configuration(std::span<const double> q) {
  const CheckModel& model = state_->model;
  if (q.size() != model.scene().home().size() || !model.covers(q))
    throw std::invalid_argument("the configuration is not within the ranges of the model");
  state_->configurations.push_back(
      std::make_unique<KnownConfiguration>(model.data(), std::vector<double>(q.begin(), q.end()),
                                           model.options().checker == Checker::refined));
  return static_cast<int>(state_->configurations.size()) - 1;
}

int CheckSession::add_segment(int from, int to) {
  auto segment = std::make_unique<SegmentWork>();
  const int id = static_cast<int>(state_->segments.size());
  segment->reset(id);
  segment->from = state_->configurations[static_cast<std::size_t>(from)].get();
  segment->to = state_->configurations[static_cast<std::size_t>(to)].get();
  segment->motion.from = segment->from->configuration();
  segment->motion.to = segment->to->configuration();
  state_->segments.push_back(std::move(segment));
  return id;
}

CheckResult CheckSession::check_configuration(int index, Scratch& scratch, const Budget& budget) {
  KnownConfiguration& configuration = *state_->configurations[static_cast<std::size_t>(index)];
  const CheckModel& model = state_->model;
  const auto q = configuration.configuration();
  PathSearch search(model.data(), model.options(), scratch.state(), state_->trusts_sweeps);
  if (measures_ends(model.options())) return search.run_by_distances(configuration);
  CheckResult result = search.run_alone({{q, q}, -1}, false, state_->recent, budget);
  if (result.verdict == Verdict::free) configuration.set_free();
  if (result.collision) remember_contact(model.scene(), result.collision->bodies, state_->recent);
  return result;
}

CheckResult CheckSession::run(std::span<const int> segments, Scratch& scratch,
                              const Budget& budget) {
  state_->list.clear();
  for (const int id : segments)
    state_->list.push_back(state_->segments[static_cast<std::size_t>(id)].get());
  return PathSearch(state_->model.data(), state_->model.options(), scratch.state(),
                    state_->trusts_sweeps)
      .run(state_->list, budget);
}

std::optional<Verdict> CheckSession::known(int segment) const {
  return state_->segments[static_cast<std::size_t>(segment)]->verdict;
}

std::span<const std::uint8_t> CheckSession::proof(int segment) const {
  return state_->segments[static_cast<std::size_t>(segment)]->proof;
}

void CheckSession::release(int segment) {
  state_->segments[static_cast<std::size_t>(segment)]->search.reset();
}

}  // namespace proven
