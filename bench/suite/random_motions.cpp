#include <cmath>
#include <numbers>

#include "bench/suite/suite.h"
#include "bench/suite/twin.h"
#include "proven/kinematics/interpolation.h"

namespace proven::bench {
namespace {

using Configuration = std::vector<double>;

// Which coordinates move, and how fast relative to each other: all of them, or just a few.
Configuration random_direction(const KinematicTree& tree, Random& random) {
  Configuration direction(static_cast<std::size_t>(tree.num_coordinates()));
  const bool few = random.uniform() < 0.4;
  double sum = 0;
  while (sum == 0) {
    for (std::size_t i = 0; i < direction.size(); ++i) {
      const bool moves = !few || random.index(static_cast<int>(direction.size())) < 2;
      direction[i] = moves ? random.normal() : 0;
      sum += direction[i] * direction[i];
    }
  }
  for (double& d : direction) d /= std::sqrt(sum);
  return direction;
}

void turn_ball(Configuration& q, int first, const Vec3& turn) {
  const double angle = norm(turn);
  if (angle == 0) return;
  const Vec3 axis = 1 / angle * turn;
  const Eigen::Quaterniond turned =
      quaternion_at<double>(q, first) *
      Eigen::Quaterniond(Eigen::AngleAxisd(angle, to_eigen<double>(axis)));
  for (int k = 0; k < 4; ++k) q[static_cast<std::size_t>(first + k)] = turned.coeffs()(k);
}

Configuration moved(const KinematicTree& tree, Configuration q, const Configuration& direction,
                    double length, bool keep_limits) {
  for (std::size_t i = 0; i < q.size(); ++i) {
    const Coordinate& c = tree.coordinates()[i];
    if (c.quaternion) continue;
    q[i] += length * direction[i];
    if (keep_limits) q[i] = std::clamp(q[i], c.lower, c.upper);
  }
  for (const Link& link : tree.links()) {
    if (link.joint.kind != JointKind::ball) continue;
    const auto first = static_cast<std::size_t>(link.joint.coordinate);
    const Vec3 turn{direction[first], direction[first + 1], direction[first + 2]};
    turn_ball(q, link.joint.coordinate, length * turn);
  }
  return q;
}

Configuration random_free(FclOracle& oracle, Random& random) {
  constexpr int kTries = 30;
  Configuration q;
  for (int i = 0; i < kTries; ++i) {
    q = random_configuration(oracle.scene().tree(), random);
    if (oracle.first_collision(q) < 0) break;
  }
  return q;
}

// Free, but a collision is close by: the last free point on the way to a colliding configuration.
Configuration near_obstacle(FclOracle& oracle, Random& random) {
  const KinematicTree& tree = oracle.scene().tree();
  const Configuration from = random_free(oracle, random);
  Configuration to = from;
  for (int i = 0; i < 10 && oracle.first_collision(to) < 0; ++i)
    to = random_configuration(tree, random);
  double free = 0, hit = 1;
  Configuration q(from.size());
  const int halvings = 3 + random.index(10);
  for (int i = 0; i < halvings; ++i) {
    const double middle = 0.5 * (free + hit);
    interpolate(tree, from, to, middle, q);
    (oracle.first_collision(q) < 0 ? free : hit) = middle;
  }
  interpolate(tree, from, to, free, q);
  return q;
}

}  // namespace

SuiteCase random_case(const RandomMotions& motions, FclOracle& oracle, Random& random) {
  constexpr double kClearanceShare = 0.02, kFineShare = 0.25, kShortest = 0.01;
  constexpr double kFineLongest = 0.03, kFineStep = 1e-4, kClearance = 0.01;
  const KinematicTree& tree = oracle.scene().tree();
  SuiteCase motion;
  motion.max_cells = 1000;  // classic takes milliseconds for one where large meshes nearly touch
  const double style = random.uniform();
  const Configuration from = style < 0.5   ? near_obstacle(oracle, random)
                             : style < 0.8 ? random_free(oracle, random)
                                           : random_configuration(tree, random);
  double longest = motions.longest;
  const double kind = random.uniform();
  if (kind < kClearanceShare) {
    motion.clearance = kClearance;
    longest = kFineLongest;  // FCL's distances take long
  } else if (kind < kClearanceShare + kFineShare) {
    motion.sampling_step = kFineStep;
    longest = kFineLongest;
  }
  // Logarithmic: most contacts are found on short motions, most tunnelling on long ones.
  const double length = kShortest * std::pow(longest / kShortest, random.uniform());
  const bool keep_limits = random.uniform() >= motions.beyond_limits;
  Configuration to = moved(tree, from, random_direction(tree, random), length, keep_limits);
  if (motion.clearance == 0 && longest == motions.longest && random.uniform() < motions.long_share)
    to = random_configuration(tree, random);
  motion.waypoints = {from, to};
  const double shape = random.uniform();
  if (shape < 0.02)
    motion.waypoints = {from};  // one configuration
  else if (shape < 0.04)
    motion.waypoints = {from, from};  // a segment of no length
  else if (shape < 0.06)
    motion.waypoints = {from, from, to, to, to};  // repeated waypoints
  else if (shape < 0.1)
    motion.waypoints = {to, from, to};  // there and back
  return motion;
}

}  // namespace proven::bench
