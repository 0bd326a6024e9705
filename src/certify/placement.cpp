// Bodies that stand still against each other.
#include "gap.h"
#include "margins.h"
#include "proven/certify/check.h"
#include "proven/kinematics/motion_bounds.h"
#include "scratch_state.h"

namespace proven {
namespace {

double rounding_of(const Scene& scene, const Body& body, std::span<const Interval> ranges) {
  return position_rounding(scene.tree(), body.link, body.X_LB, *body.geometry, ranges).bound();
}

}  // namespace

CheckResult check_placement(const Scene& scene, int body, Scratch& scratch) {
  const CheckOptions options;
  const KinematicTree& tree = scene.tree();
  const std::vector<std::vector<double>> home = {{scene.home().begin(), scene.home().end()}};
  const std::vector<Interval> ranges = coordinate_ranges(tree, home);
  LinkPoses poses;
  compute_poses(tree, scene.home(), poses);
  CheckResult result;
  result.verdict = Verdict::free;
  const auto bodies = scene.bodies();
  const BodyGeometry& geometry = *scene.body(body).geometry;
  for (int other = 0; other < static_cast<int>(bodies.size()); ++other) {
    if (other == body || tree.rigid_root(scene.body(other).link) != 0) continue;
    const double rounding = kRelativePose * (rounding_of(scene, scene.body(body), ranges) +
                                             rounding_of(scene, scene.body(other), ranges));
    const PairModel pair{body, other, 0, rounding, 0};
    const Pose X_WA = scene.body_pose(body, poses);
    const Pose X_AB = relative_pose(X_WA, scene.body_pose(other, poses));
    Gap gap = measure_gap(pair, geometry, *scene.body(other).geometry, X_AB, options.resolution,
                          scratch.state().distance);
    settle_containment(geometry, *scene.body(other).geometry, X_AB, gap);
    if (gap.kind == Gap::Kind::apart) continue;
    Witness w;
    w.kind = gap.contact_kind;
    w.configuration.assign(scene.home().begin(), scene.home().end());
    w.bodies = {body, other};
    w.pieces = gap.pieces;
    w.points = {X_WA * gap.points[0], X_WA * gap.points[1]};
    w.distance = gap.distance;
    if (gap.kind == Gap::Kind::contact) {
      result.verdict = Verdict::collision;
      result.collision = std::move(w);
      result.undecided.reset();
      return result;
    }
    if (result.undecided) continue;
    result.verdict = Verdict::undecided;
    result.undecided = Undecided{UndecidedReason::gap_below_resolution,
                                 0,
                                 0,
                                 w.configuration,
                                 w.bodies,
                                 w.points,
                                 w.distance};
  }
  return result;
}

}  // namespace proven
