#include "spun_pair.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "proven/geometry/body_geometry.h"
#include "proven/geometry/spun_body.h"
#include "proven/kinematics/poses.h"
#include "with_z.h"

namespace proven {
namespace {

// Of the volume of a body's box: what sweeps more is near everything.
constexpr double kMostGrowth = 3;

// A joint between two bodies.
struct JointBetween {
  int link = 0;
  bool carries_a = false;  // else the second one hangs on it
};

// A body in every turn about a joint next to it.
struct Spun {
  AttachedSource object;
  double growth = 0;
};

class PairSpinner {
 public:
  PairSpinner(const ModelData& model, int pair) : model_(model), pair_(model.pair(pair)) {
    std::vector<JointBetween> of_b;
    climb(pair_.a, true, path_);
    climb(pair_.b, false, of_b);
    path_.insert(path_.end(), of_b.rbegin(), of_b.rend());
  }

  SpunPair run() {
    std::set<int> coordinates;
    for (const JointBetween& joint : path_)
      coordinates.insert(tree().link(joint.link).joint.coordinate);
    if (coordinates.size() < 3 || coordinates.size() > 4 || pair_.clearance < 0) return {};
    auto a = spun(pair_.a, path_.front()), b = spun(pair_.b, path_.back());
    if (coordinates.size() == 4 && !(a && b)) return {};
    // One of them is enough: the one that grows less.
    if (coordinates.size() == 3 && a && b) (a->growth > b->growth ? a : b).reset();
    if (!a && !b) return {};
    return with(a, b);
  }

 private:
  const KinematicTree& tree() const { return model_.scene().tree(); }

  void climb(int body, bool carries_a, std::vector<JointBetween>& out) const {
    for (int l = model_.scene().body(body).link; l != pair_.ancestor; l = tree().link(l).parent)
      if (tree().link(l).joint.kind != JointKind::fixed) out.push_back({l, carries_a});
  }

  // Seen from the other side of the joint, the body turns about its axis.
  std::optional<Spun> spun(int body, const JointBetween& between) const {
    const Link& link = tree().link(between.link);
    if (link.joint.kind != JointKind::revolute) return std::nullopt;
    const bool hangs_on_it = between.carries_a == (body == pair_.a);
    const int from = hangs_on_it ? link.parent : between.link;
    if (from == 0) return std::nullopt;
    Pose X_JZ;
    X_JZ.R = with_z(link.joint.axis);
    LinkPoses poses;
    compute_poses(tree(), model_.scene().home(), poses);
    const Pose X_WZ = poses.X_WL[static_cast<std::size_t>(link.parent)] * link.joint.X_PJ * X_JZ;
    const Pose X_ZB = relative_pose(X_WZ, model_.scene().body_pose(body, poses));
    // Both poses err by less than the bound of the body, which hangs below or has the same joints
    // above it; so do the axis and what is computed of them.
    const double error =
        4 * (model_.body(pair_.a).rounding_bound + model_.body(pair_.b).rounding_bound);
    const SpunBody made = spin(*model_.scene().body(body).geometry, X_ZB, error);
    if (!(made.growth <= kMostGrowth)) return std::nullopt;
    Spun spun{{}, made.growth};
    spun.object.name = model_.scene().body(body).name + ", spun";
    spun.object.link = tree().link(from).name;
    spun.object.X_LB = hangs_on_it ? link.joint.X_PJ * X_JZ : X_JZ;
    for (const SpunSlice& slice : made.slices)
      spun.object.elements.push_back({Cylinder{slice.radius, 0.5 * (slice.end - slice.begin)},
                                      Pose::translation({0, 0, 0.5 * (slice.begin + slice.end)}),
                                      ""});
    return spun;
  }

  SpunPair with(const std::optional<Spun>& a, const std::optional<Spun>& b) const {
    Scene scene = model_.scene();
    std::array<std::string, 2> names = {scene.body(pair_.a).name, scene.body(pair_.b).name};
    for (const auto& [spun, name] : {std::pair(&a, &names[0]), std::pair(&b, &names[1])}) {
      if (!*spun) continue;
      auto wider = scene.with_attached((*spun)->object);
      if (!wider.ok()) return {};
      scene = std::move(wider).value();
      *name = (*spun)->object.name;
    }
    auto required = scene.with_pair_clearance(names[0], names[1], pair_.clearance);
    if (!required.ok()) return {};
    scene = std::move(required).value();
    const int x = scene.find_body(names[0]), y = scene.find_body(names[1]);
    const auto pairs = scene.pairs();
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if (pairs[i].a == std::min(x, y) && pairs[i].b == std::max(x, y))
        return {
            std::make_shared<const ModelData>(scene, model_.requirement(), model_.reach(), nullptr),
            static_cast<int>(i)};
    return {};
  }

  const ModelData& model_;
  const PairModel& pair_;
  std::vector<JointBetween> path_;  // from the first body to the second
};

}  // namespace

SpunPair spin_pair(const ModelData& model, int pair) {
  return PairSpinner(model, pair).run();
}

}  // namespace proven
