#include "proven/ompl/adapter.h"

#include <ompl/base/spaces/RealVectorStateSpace.h>
#include <ompl/base/spaces/SO2StateSpace.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>

#include "adapters/ompl/prover_pool.h"
#include "proven/plan/joint_space.h"

namespace proven::adapters {
namespace {

namespace ob = ompl::base;

constexpr double kTurn = 2 * std::numbers::pi;
// How far beyond start and goal a coordinate without limits may go, metres.
constexpr double kReach = 1;

std::vector<int> planned_coordinates(const Scene& scene, const Query& query) {
  std::vector<int> planned = query.planned;
  if (planned.empty())
    for (int c = 0; c < scene.tree().num_coordinates(); ++c) planned.push_back(c);
  std::ranges::sort(planned);
  return planned;
}

const Coordinate& coordinate(const Scene& scene, int index) {
  return scene.tree().coordinates()[static_cast<std::size_t>(index)];
}

// What planners with a grid (SBL, KPIECE, ...) look at: the first two coordinates. OMPL's own
// choice fails on two joints, and it has none for compounds.
class FirstCoordinates : public ob::ProjectionEvaluator {
 public:
  using ob::ProjectionEvaluator::ProjectionEvaluator;
  unsigned getDimension() const override { return std::min(2u, space_->getDimension()); }
  void defaultCellSizes() override { cellSizes_.assign(getDimension(), kCell); }
  void project(const ob::State* state, Eigen::Ref<Eigen::VectorXd> projection) const override {
    std::vector<double> reals;
    space_->copyToReals(reals, state);
    for (unsigned k = 0; k < getDimension(); ++k) projection(k) = reals[k];
  }

 private:
  static constexpr double kCell = 0.3;  // radians or metres
};

template <class Space>
class WithProjection : public Space {
 public:
  using Space::Space;
  void registerProjections() override {
    this->registerDefaultProjection(std::make_shared<FirstCoordinates>(this));
  }
};

// Whether the path may end whole turns of a joint away from the goal: then it lives on a circle.
bool is_circle(const Scene& scene, const Query& query, int index) {
  return query.any_turn && coordinate(scene, index).continuous;
}

Interval range_of(const Scene& scene, const Query& query, int index) {
  const auto i = static_cast<std::size_t>(index);
  Interval range = query.limits.empty() ? joint_limits(scene.tree())[i] : query.limits[i];
  // Unrolled as in JointSpace, so that both ends are as they are written.
  if (coordinate(scene, index).continuous && !std::isfinite(range.lower) &&
      !std::isfinite(range.upper))
    return {std::min(query.start[i] - kTurn, query.goal[i] - 0.5 * kTurn),
            std::max(query.start[i] + kTurn, query.goal[i] + 0.5 * kTurn)};
  if (!std::isfinite(range.lower)) range.lower = std::min(query.start[i], query.goal[i]) - kReach;
  if (!std::isfinite(range.upper)) range.upper = std::max(query.start[i], query.goal[i]) + kReach;
  return range;
}

}  // namespace

ob::StateSpacePtr make_state_space(const Scene& scene, const Query& query) {
  const std::vector<int> planned = planned_coordinates(scene, query);
  bool compound = false;
  for (const int c : planned) {
    if (coordinate(scene, c).quaternion) return nullptr;
    compound = compound || is_circle(scene, query, c);
  }
  const auto line = [&](std::span<const int> coordinates) {
    auto space = std::make_shared<WithProjection<ob::RealVectorStateSpace>>(
        static_cast<unsigned>(coordinates.size()));
    ob::RealVectorBounds bounds(static_cast<unsigned>(coordinates.size()));
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
      const Interval range = range_of(scene, query, coordinates[k]);
      bounds.setLow(static_cast<unsigned>(k), range.lower);
      bounds.setHigh(static_cast<unsigned>(k), range.upper);
    }
    space->setBounds(bounds);
    return space;
  };
  if (!compound) return line(planned);
  auto space = std::make_shared<WithProjection<ob::CompoundStateSpace>>();
  for (const int c : planned) {
    if (is_circle(scene, query, c))
      space->addSubspace(std::make_shared<ob::SO2StateSpace>(), 1);
    else
      space->addSubspace(line({&c, 1}), 1);
  }
  space->lock();
  return space;
}

StateMap::StateMap(const Scene& scene, const Query& query, ob::StateSpacePtr space)
    : planned_(planned_coordinates(scene, query)), rest_(query.start), space_(std::move(space)) {
  space_->setup();  // OMPL reads and writes the values of a state only after this
  for (const int c : planned_) turns_.push_back(is_circle(scene, query, c));
}

void StateMap::to_configuration(const ob::State* state, std::vector<double>& q) const {
  std::vector<double> reals;
  space_->copyToReals(reals, state);
  q = rest_;
  for (std::size_t k = 0; k < planned_.size(); ++k)
    q[static_cast<std::size_t>(planned_[k])] = reals[k];
}

void StateMap::to_configuration_after(const std::vector<double>& from, const ob::State* state,
                                      std::vector<double>& q) const {
  to_configuration(state, q);
  for (std::size_t k = 0; k < planned_.size(); ++k) {
    if (!turns_[k]) continue;
    const auto c = static_cast<std::size_t>(planned_[k]);
    const double turns = std::round((from[c] - q[c]) / kTurn);
    if (turns != 0) q[c] += turns * kTurn;
  }
}

void StateMap::to_state(const std::vector<double>& q, ob::State* state) const {
  std::vector<double> reals;
  for (const int c : planned_) reals.push_back(q[static_cast<std::size_t>(c)]);
  for (std::size_t k = 0; k < reals.size(); ++k)
    if (turns_[k]) reals[k] -= kTurn * std::round(reals[k] / kTurn);
  space_->copyFromReals(state, reals);
}

Path StateMap::to_path(const std::vector<double>& start,
                       const ompl::geometric::PathGeometric& path) const {
  Path literal{{start}, {}, {}};
  for (std::size_t i = 1; i < path.getStateCount(); ++i) {
    std::vector<double> q;
    to_configuration_after(literal.waypoints.back(), path.getState(static_cast<unsigned>(i)), q);
    literal.waypoints.push_back(std::move(q));
  }
  return literal;
}

ProvingStateValidityChecker::ProvingStateValidityChecker(ob::SpaceInformation* si,
                                                         std::shared_ptr<StateMap> map,
                                                         std::shared_ptr<ProverPool> pool)
    : ob::StateValidityChecker(si), map_(std::move(map)), pool_(std::move(pool)) {}

bool ProvingStateValidityChecker::isValid(const ob::State* state) const {
  if (!si_->satisfiesBounds(state)) return false;
  std::vector<double> q;
  map_->to_configuration(state, q);
  return pool_->is_free(q);
}

ProvingMotionValidator::ProvingMotionValidator(ob::SpaceInformation* si,
                                               std::shared_ptr<StateMap> map,
                                               std::shared_ptr<ProverPool> pool)
    : ob::MotionValidator(si), map_(std::move(map)), pool_(std::move(pool)) {}

// OMPL's counters are plain integers that any thread may raise.
void ProvingMotionValidator::count(bool valid) const {
  std::atomic_ref<unsigned>(valid ? valid_ : invalid_).fetch_add(1, std::memory_order_relaxed);
}

bool ProvingMotionValidator::checkMotion(const ob::State* s1, const ob::State* s2) const {
  std::vector<double> from, to;
  map_->to_configuration(s1, from);
  map_->to_configuration_after(from, s2, to);
  const bool valid = si_->satisfiesBounds(s1) && si_->satisfiesBounds(s2) &&
                     pool_->check_motion(from, to).verdict == Verdict::free;
  count(valid);
  return valid;
}

bool ProvingMotionValidator::checkMotion(const ob::State* s1, const ob::State* s2,
                                         std::pair<ob::State*, double>& last_valid) const {
  if (checkMotion(s1, s2)) return true;
  constexpr int kHalvings = 8;
  ob::State* state = si_->allocState();
  std::vector<double> from, to;
  map_->to_configuration(s1, from);
  double proved = 0, beyond = 1;
  for (int i = 0; i < kHalvings; ++i) {
    const double t = 0.5 * (proved + beyond);
    si_->getStateSpace()->interpolate(s1, s2, t, state);
    map_->to_configuration_after(from, state, to);
    const CheckResult result = pool_->check_motion(from, to);
    if (result.verdict == Verdict::free)
      proved = t;
    else
      beyond = result.collision ? t * std::fmin(1, result.collision->t + 1e-6) : t;
    if (beyond <= proved) break;
  }
  si_->freeState(state);
  last_valid.second = proved;
  if (last_valid.first) si_->getStateSpace()->interpolate(s1, s2, proved, last_valid.first);
  return false;
}

std::shared_ptr<StateMap> use_proofs(const ob::SpaceInformationPtr& si, const Scene& scene,
                                     const Query& query, const CheckOptions& options) {
  auto map = std::make_shared<StateMap>(scene, query, si->getStateSpace());
  CheckOptions check = options;
  check.certificate = false;  // of the final path alone
  // What OMPL may ask lies in its own bounds, and a turn beyond them.
  std::vector<Interval> ranges;
  for (std::size_t c = 0; c < query.start.size(); ++c)
    ranges.push_back(
        {std::min(query.start[c], query.goal[c]), std::max(query.start[c], query.goal[c])});
  for (const int c : planned_coordinates(scene, query)) {
    const double spare = is_circle(scene, query, c) ? kTurn : 0;
    const Interval range = range_of(scene, query, c);
    Interval& all = ranges[static_cast<std::size_t>(c)];
    all = {std::min(all.lower, range.lower) - spare, std::max(all.upper, range.upper) + spare};
  }
  auto pool = std::make_shared<ProverPool>(CheckModel::build(scene, check, ranges).value());
  si->setStateValidityChecker(std::make_shared<ProvingStateValidityChecker>(si.get(), map, pool));
  si->setMotionValidator(std::make_shared<ProvingMotionValidator>(si.get(), map, pool));
  return map;
}

}  // namespace proven::adapters
