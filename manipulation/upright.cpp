#include "manipulation/upright.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "proven/base/random.h"
#include "proven/kinematics/poses.h"

namespace proven::manipulation {
namespace {

using Configuration = std::vector<double>;

constexpr double kStep = 0.4;       // of an edge, Euclidean
constexpr double kDamping = 1e-3;   // of the least squares
constexpr int kCorrections = 12;    // of one configuration
constexpr double kInner = 0.6;      // share of the cone that corrections aim at
constexpr int kShortcuts = 120;     // that are tried
constexpr double kProgress = 0.02;  // that a corrected step must make

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

struct Node {
  Configuration q;
  int parent = -1;
};
using Nodes = std::vector<Node>;

class Planner {
 public:
  Planner(const UprightProblem& problem, std::uint64_t seed, Prover& prover, const Budget& budget)
      : problem_(problem),
        tree_(prover.scene().tree()),
        prover_(prover),
        budget_(budget),
        random_(seed) {}

  Path plan(const Configuration& start, const Configuration& goal, std::int64_t iterations) {
    if (joins(start, goal)) return {{start, goal}, {}, {}};
    Nodes from = {{start}}, to = {{goal}};
    bool swapped = false;
    for (std::int64_t i = 0; i < iterations && !budget_.stopped(); ++i) {
      const Configuration sample = random_configuration(start);
      const int near = grow(from, sample);
      if (near >= 0) {
        const Configuration reached = from[at(near)].q;
        const int other = grow(to, reached);
        if (other >= 0 && to[at(other)].q == reached)
          return shorter(joined(from, near, to, other, swapped));
      }
      std::swap(from, to);
      swapped = !swapped;
    }
    return {};
  }

 private:
  double distance(const Configuration& a, const Configuration& b) const {
    double sum = 0;
    for (const int c : problem_.joints) sum += (a[at(c)] - b[at(c)]) * (a[at(c)] - b[at(c)]);
    return std::sqrt(sum);
  }

  Configuration random_configuration(const Configuration& rest) {
    Configuration q = rest;
    for (const int c : problem_.joints) {
      const Coordinate& joint = tree_.coordinates()[at(c)];
      const double lower = std::isfinite(joint.lower) ? joint.lower : -std::numbers::pi;
      const double upper = std::isfinite(joint.upper) ? joint.upper : std::numbers::pi;
      q[at(c)] = random_.uniform(lower, upper);
    }
    return q;
  }

  // Both proofs; the cheaper one first.
  bool joins(const Configuration& a, const Configuration& b) {
    return stays_upright(tree_, problem_.frame, problem_.cone, {{a, b}, {}, {}}) &&
           prover_.is_free(SegmentQuery{a, b, true});
  }

  // Turned back by damped least squares on the axes of the joints until it is well within the cone.
  bool correct(Configuration& q) {
    for (int i = 0; i < kCorrections; ++i) {
      compute_poses(tree_, q, poses_);
      const Vec3 u = (poses_.X_WL[at(problem_.frame.link)] * problem_.frame.X_LF).R.column(2);
      const double angle = std::acos(std::clamp(u.z, -1.0, 1.0));
      if (angle <= kInner * problem_.cone) return true;
      const Vec3 turn = cross(u, Vec3{0, 0, 1});
      const double sine = norm(turn);
      if (!(sine > 1e-9)) return false;
      if (!turn_by((angle - 0.5 * kInner * problem_.cone) / sine * turn, q)) return false;
    }
    return false;
  }

  // dq = Jᵀ (J Jᵀ + λ)⁻¹ turn, within limits; J has the axes of the frame's joints as columns.
  bool turn_by(const Vec3& turn, Configuration& q) {
    std::vector<std::pair<int, Vec3>> columns;  // coordinate, axis times multiplier
    Mat3 M{{Vec3{kDamping, 0, 0}, Vec3{0, kDamping, 0}, Vec3{0, 0, kDamping}}};
    for (int link = problem_.frame.link; link > 0; link = tree_.link(link).parent) {
      const Joint& joint = tree_.link(link).joint;
      if (joint.kind != JointKind::revolute ||
          std::find(problem_.joints.begin(), problem_.joints.end(), joint.coordinate) ==
              problem_.joints.end())
        continue;
      const Vec3 a = joint.multiplier * joint_axis(tree_, poses_, link).direction;
      columns.emplace_back(joint.coordinate, a);
      for (int i = 0; i < 3; ++i) M.row[at(i)] = M.row[at(i)] + a[i] * a;
    }
    // By Cramer's rule; M is symmetric.
    const Vec3 bc = cross(M.row[1], M.row[2]), ca = cross(M.row[2], M.row[0]),
               ab = cross(M.row[0], M.row[1]);
    const double determinant = dot(M.row[0], bc);
    if (!(std::fabs(determinant) > 0)) return false;
    const Vec3 y = (1 / determinant) * (turn.x * bc + turn.y * ca + turn.z * ab);
    for (const auto& [c, a] : columns) {
      const Coordinate& joint = tree_.coordinates()[at(c)];
      q[at(c)] = std::clamp(q[at(c)] + dot(a, y), joint.lower, joint.upper);
    }
    return true;
  }

  // From the nearest node towards the target, as far as it goes; the last node, or -1.
  int grow(Nodes& nodes, const Configuration& target) {
    int near = 0;
    for (int n = 1; n < static_cast<int>(nodes.size()); ++n)
      if (distance(nodes[at(n)].q, target) < distance(nodes[at(near)].q, target)) near = n;
    int last = -1;
    for (int from = near; !budget_.stopped(); from = last) {
      const Configuration& q = nodes[at(from)].q;
      const double left = distance(q, target);
      if (left == 0) return from;
      Configuration next = target;
      if (left > kStep) {
        for (const int c : problem_.joints)
          next[at(c)] = q[at(c)] + kStep / left * (target[at(c)] - q[at(c)]);
        if (!correct(next)) return last;
      }
      if (!(distance(next, target) < left - kProgress) && next != target) return last;
      if (!joins(q, next)) return last;
      nodes.push_back({next, from});
      last = static_cast<int>(nodes.size()) - 1;
      if (next == target) return last;
    }
    return last;
  }

  static Path joined(const Nodes& from, int a, const Nodes& to, int b, bool swapped) {
    Path path;
    for (int n = a; n >= 0; n = from[at(n)].parent) path.waypoints.push_back(from[at(n)].q);
    std::reverse(path.waypoints.begin(), path.waypoints.end());
    for (int n = to[at(b)].parent; n >= 0; n = to[at(n)].parent)
      path.waypoints.push_back(to[at(n)].q);
    if (swapped) std::reverse(path.waypoints.begin(), path.waypoints.end());
    return path;
  }

  // Waypoints between two that can be joined are left out.
  Path shorter(Path path) {
    auto& all = path.waypoints;
    for (int k = 0; k < kShortcuts && all.size() > 2; ++k) {
      const int i = random_.index(static_cast<int>(all.size()) - 2);
      const int j = i + 2 + random_.index(static_cast<int>(all.size()) - i - 2);
      if (joins(all[at(i)], all[at(j)])) all.erase(all.begin() + i + 1, all.begin() + j);
    }
    return path;
  }

  const UprightProblem& problem_;
  const KinematicTree& tree_;
  Prover& prover_;
  const Budget& budget_;
  Random random_;
  LinkPoses poses_;
};

}  // namespace

std::optional<UprightProblem> upright_problem(const World& world, const MotionRequest& request,
                                              const Scene& scene) {
  const Object* object = world.find_object(request.object);
  if (request.kind != MotionRequest::Kind::transfer || !object || !object->upright)
    return std::nullopt;
  const Body& body = scene.body(scene.find_body(request.object));
  UprightProblem problem;
  problem.frame = {body.link, body.X_LB};
  problem.cone = *object->upright;
  return problem;
}

Path plan_upright(const UprightProblem& problem, const std::vector<double>& start,
                  const std::vector<double>& goal, std::int64_t iterations, std::uint64_t seed,
                  Prover& prover, const Budget& budget) {
  return Planner(problem, seed, prover, budget).plan(start, goal, iterations);
}

}  // namespace proven::manipulation
