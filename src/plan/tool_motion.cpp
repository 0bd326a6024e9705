#include "proven/plan/tool_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "plan/tool_deviation.h"
#include "proven/kinematics/bernstein.h"
#include "proven/kinematics/interpolation.h"
#include "proven/kinematics/inverse.h"
#include "proven/kinematics/piece_rates.h"

namespace proven {
namespace {

constexpr double kFastest = 1.875;  // the largest rate of progress, at half the time
// The tool goes no farther in one step (metres, radians), and a joint not farther than this.
constexpr double kLongestStep = 0.02, kLargestTurn = 0.05, kLongestJointStep = 0.2;
// A joint may end this far from where its rates say: a share of the step, and a sum.
constexpr double kPredictionShare = 0.5, kPredictionSlack = 1e-4;
constexpr double kShortestStep = 0x1p-14, kShortestPiece = 0x1p-16;  // of the time
constexpr double kSolutionShare = 1e-3;  // of the tolerance, within which solutions are found

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// A solution on the curve.
struct Node {
  double tau = 0;
  std::vector<double> q, slope;  // slope: derivatives by progress
};

class Follower {
 public:
  Follower(const KinematicTree& tree, const ToolFrame& tool, const ToolCurve& curve,
           const ToolMotionOptions& options)
      : tree_(tree),
        tool_(tool),
        curve_(curve),
        options_(options),
        limits_(joint_limits(tree)),
        solver_(tree, {tool.link, tool.X_LT, curve.start}, solver_options(options)),
        proof_(tree, tool, curve, options.tolerance) {
    for (Interval& limits : limits_)  // a start may be that much beyond
      limits = {limits.lower - kLimitTolerance, limits.upper + kLimitTolerance};
  }

  bool can_move() const { return !solver_.coordinates().empty(); }
  Result<void> follow(std::span<const double> start);
  Result<void> fit();
  ToolMotion timed() &&;

 private:
  static InverseOptions solver_options(const ToolMotionOptions& options) {
    InverseOptions inverse;
    inverse.position_tolerance = kSolutionShare * options.tolerance.position;
    inverse.angle_tolerance = kSolutionShare * options.tolerance.angle;
    return inverse;
  }
  Node node(double tau, std::vector<double> q);
  Result<Node> step(const Node& from, double tau);
  Result<void> advance(double tau);
  Result<void> fit(std::span<const Node> nodes);
  bool within_limits(const MotionPiece& piece) const;
  double slowest() const;
  Error refusal(double tau, const std::string& why) const;
  std::string why_no_solution(const Node& from, std::span<const double> guess, double tau) const;

  const KinematicTree& tree_;
  const ToolFrame& tool_;
  const ToolCurve& curve_;
  const ToolMotionOptions& options_;
  std::vector<Interval> limits_;  // with those of followers
  InverseSolver solver_;
  DeviationProof proof_;
  std::vector<Node> nodes_;
  ToolMotion result_;
};

Error Follower::refusal(double tau, const std::string& why) const {
  const double done = tool_progress(tau).value;
  const std::string where = curve_.length > 0
                                ? fmt::format("{:.4f} m of {:.4f} m along the way of the tool",
                                              done * curve_.length, curve_.length)
                                : fmt::format("{:.4f} of {:.4f} radians into the turn of the tool",
                                              done * curve_.angle, curve_.angle);
  return bad_input(fmt::format("{}: {}", where, why));
}

Node Follower::node(double tau, std::vector<double> q) {
  const Vec3 tangent = curve_.tangent(tool_progress(tau).value);
  std::vector<double> slope = solver_.rates(q, tangent, curve_.angle * curve_.axis);
  return {tau, std::move(q), std::move(slope)};
}

std::string Follower::why_no_solution(const Node& from, std::span<const double> guess,
                                      double tau) const {
  const Pose wanted = curve_.at(tool_progress(tau).value);
  if (beyond_reach(tree_, {tool_.link, tool_.X_LT, wanted}, from.q))
    return "the way leads out of reach";
  for (const int c : solver_.coordinates()) {
    if (guess[at(c)] >= limits_[at(c)].upper || guess[at(c)] <= limits_[at(c)].lower)
      return fmt::format("joint {} is at its limit, or one that follows it",
                         tree_.coordinates()[at(c)].name);
  }
  return "no configuration nearby brings the tool there";
}

// The solution next to `from`, if the joints move there as their rates say.
Result<Node> Follower::step(const Node& from, double tau) {
  const double progress = tool_progress(tau).value;
  const double done = progress - tool_progress(from.tau).value;
  std::vector<double> guess = from.q;
  double longest = 0;
  int fastest = 0;
  for (const int c : solver_.coordinates()) {
    const double move = done * from.slope[at(c)];
    guess[at(c)] += move;
    if (std::fabs(move) > longest) longest = std::fabs(move), fastest = c;
  }
  if (longest > kLongestJointStep)
    return refusal(from.tau, fmt::format("close to a singular configuration: joint {} would have "
                                         "to move by {:.3g} for {:.3g} m",
                                         tree_.coordinates()[at(fastest)].name, longest,
                                         done * curve_.length));
  solver_.aim(curve_.at(progress));
  auto found = solver_.descend(guess);
  if (!found) return refusal(from.tau, why_no_solution(from, guess, tau));
  for (const int c : solver_.coordinates()) {
    const double moved = (*found)[at(c)] - from.q[at(c)], rated = guess[at(c)] - from.q[at(c)];
    if (std::fabs(moved - rated) <= kPredictionShare * longest + kPredictionSlack) continue;
    return refusal(from.tau,
                   fmt::format("joint {} would move by {:.3g} where its rate says {:.3g}: a jump "
                               "to another solution, or close to a singular configuration",
                               tree_.coordinates()[at(c)].name, moved, rated));
  }
  return node(tau, std::move(*found));
}

// Halves the step where it is too long.
Result<void> Follower::advance(double tau) {
  const double from = nodes_.back().tau;
  auto next = step(nodes_.back(), tau);
  if (next.ok()) {
    nodes_.push_back(std::move(next).value());
    return {};
  }
  if (tau - from <= kShortestStep) return next.error();
  if (auto half = advance(0.5 * (from + tau)); !half.ok()) return half;
  return advance(tau);
}

Result<void> Follower::follow(std::span<const double> start) {
  nodes_ = {node(0, {start.begin(), start.end()})};
  const double wanted =
      kFastest * std::max(curve_.length / kLongestStep, curve_.angle / kLargestTurn);
  double steps = 8;
  while (steps < wanted) steps *= 2;
  for (double i = 1; i <= steps; ++i)
    if (auto advanced = advance(i / steps); !advanced.ok()) return advanced;
  return {};
}

bool Follower::within_limits(const MotionPiece& piece) const {
  for (const int c : solver_.coordinates()) {
    const Interval range = control_range(piece, c);
    if (range.lower < limits_[at(c)].lower || range.upper > limits_[at(c)].upper) return false;
  }
  return true;
}

// One cubic from the first node to the last, or else two halves.
Result<void> Follower::fit(std::span<const Node> nodes) {
  const Node& a = nodes.front();
  const Node& b = nodes.back();
  const double width = b.tau - a.tau;
  const double rate_a = tool_progress(a.tau).rate, rate_b = tool_progress(b.tau).rate;
  std::vector<std::vector<double>> inner = {a.q, b.q};
  for (const int c : solver_.coordinates()) {
    inner[0][at(c)] += rate_a * a.slope[at(c)] * width / 3;
    inner[1][at(c)] -= rate_b * b.slope[at(c)] * width / 3;
  }
  for (std::size_t c = 0; c < a.q.size(); ++c)
    if (tree_.coordinates()[c].quaternion) inner[0][c] = inner[1][c] = 0;  // it stays as it is
  const MotionPiece piece{a.q, b.q, inner};
  const bool inside = within_limits(piece);
  if (const auto proved = inside ? proof_.prove(piece, a.tau, b.tau) : std::nullopt) {
    result_.deviation.position = std::fmax(result_.deviation.position, proved->position);
    result_.deviation.angle = std::fmax(result_.deviation.angle, proved->angle);
    result_.motion.waypoints.push_back(b.q);
    result_.motion.times.push_back(b.tau);
    result_.motion.inner.push_back(std::move(inner));
    return {};
  }
  if (nodes.size() > 2) {
    const std::size_t middle = nodes.size() / 2;
    if (auto half = fit(nodes.first(middle + 1)); !half.ok()) return half;
    return fit(nodes.subspan(middle));
  }
  if (width <= kShortestPiece)
    return refusal(a.tau, inside ? "no motion within the tolerance was found and proved"
                                 : "a joint would leave its limits");
  auto middle = step(a, 0.5 * (a.tau + b.tau));
  if (!middle.ok()) return middle.error();
  const Node halves[] = {a, std::move(middle).value(), b};
  return fit(halves);
}

Result<void> Follower::fit() {
  result_.motion.waypoints = {nodes_.front().q};
  result_.motion.times = {0};
  return fit(nodes_);
}

// The least duration within the limits of all joints.
double Follower::slowest() const {
  const auto rates = rate_limits(tree_, options_.velocity, options_.acceleration);
  double seconds = 0;
  for (int i = 0; i < result_.motion.num_segments(); ++i) {
    const MotionPiece piece = result_.motion.piece(i);
    const double width = result_.motion.times[at(i) + 1] - result_.motion.times[at(i)];
    for (const int c : solver_.coordinates()) {
      Bernstein<double> p;
      p.degree = piece.degree();
      for (int k = 0; k <= p.degree; ++k) p.c[k] = piece.control(k)[at(c)];
      const Bernstein<double> first = p.derivative(), second = first.derivative();
      const double velocity = rates[at(c)].velocity, acceleration = rates[at(c)].acceleration;
      for (int k = 0; k <= first.degree; ++k)
        seconds = std::fmax(seconds, std::fabs(first.c[k]) / (width * velocity));
      for (int k = 0; k <= second.degree; ++k)
        seconds = std::fmax(seconds, std::sqrt(std::fabs(second.c[k]) / acceleration) / width);
    }
  }
  return seconds * (1 + 1e-9);
}

ToolMotion Follower::timed() && {
  result_.at_full_speed =
      kFastest * std::fmax(curve_.length / options_.speed, curve_.angle / options_.turn_speed);
  result_.duration = std::fmax(result_.at_full_speed, slowest());
  for (double& time : result_.motion.times) time *= result_.duration;
  rate_limits(tree_, options_.velocity, options_.acceleration, &result_.assumed);
  return std::move(result_);
}

Result<void> validate(const KinematicTree& tree, const ToolFrame& tool,
                      std::span<const double> start, const ToolMotionOptions& options) {
  for (const auto& [value, name] :
       {std::pair(options.speed, "speed"), std::pair(options.turn_speed, "turning speed"),
        std::pair(options.tolerance.position, "tolerance"),
        std::pair(options.tolerance.angle, "tolerance of angles"),
        std::pair(options.velocity, "velocity"), std::pair(options.acceleration, "acceleration")})
    if (!(value > 0 && std::isfinite(value)))
      return bad_input(fmt::format("the {} must be a positive number", name));
  if (tool.link <= 0 || tool.link >= tree.num_links())
    return bad_input("the tool must be on a link of a robot");
  if (auto valid = check_configuration(tree, start); !valid.ok()) return valid;
  if (const auto beyond = LimitBox(tree).find_beyond(tree, start))
    return bad_input("at the start " + describe(*beyond));
  return {};
}

}  // namespace

Result<ToolMotion> move_tool(const KinematicTree& tree, const ToolFrame& tool,
                             const ToolCurve& curve, std::span<const double> start,
                             const ToolMotionOptions& options) {
  if (auto valid = validate(tree, tool, start, options); !valid.ok()) return valid.error();
  Follower follower(tree, tool, curve, options);
  if (!follower.can_move()) return bad_input("no joint moves the tool");
  if (auto followed = follower.follow(start); !followed.ok()) return followed.error();
  if (auto fitted = follower.fit(); !fitted.ok()) return fitted.error();
  return std::move(follower).timed();
}

}  // namespace proven
