// Lines of tools of real arms: how many are proved and why others are refused. What is proved of
// the deviation is compared with dense samples by forward kinematics of its own, in long double.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>

#include "bench/bench.h"
#include "bench/data.h"
#include "proven/base/random.h"
#include "proven/io/urdf.h"
#include "proven/plan/tool_motion.h"

namespace proven::bench {
namespace {

struct RealArm {
  const char *name, *file, *link;
};
constexpr RealArm kArms[] = {
    {"panda", "franka_panda/panda.urdf", "panda_hand"},
    {"ur5", "universal_ur5/ur5.urdf", "tool0"},
    {"iiwa", "kuka_lbr_iiwa_14_r820/lbr_iiwa_14_r820.urdf", "tool0"},
};
constexpr int kSamples = 100;  // of each piece

using Real = long double;
using Triple = std::array<Real, 3>;
using Rotation = std::array<Triple, 3>;

Triple triple(const Vec3& v) {
  return {v.x, v.y, v.z};
}

// By an axis of unit length (Rodrigues).
Triple turned(const Triple& v, const Triple& a, Real angle) {
  const Real c = std::cos(angle), s = std::sin(angle);
  const Real along = a[0] * v[0] + a[1] * v[1] + a[2] * v[2];
  const Triple across = {a[1] * v[2] - a[2] * v[1], a[2] * v[0] - a[0] * v[2],
                         a[0] * v[1] - a[1] * v[0]};
  Triple r;
  for (std::size_t i = 0; i < 3; ++i) r[i] = c * v[i] + s * across[i] + (1 - c) * along * a[i];
  return r;
}

// A frame: its origin and its three axes, in the world.
struct Frame {
  Triple origin = {};
  Rotation axes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

  // A point or direction of a parent's frame by the joint's pose.
  void place(const Pose& X_PJ) {
    const auto apply = [&](const Triple& v, const Triple& shift) {
      Triple r = shift;
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) r[i] += X_PJ.R.row[i][static_cast<int>(j)] * v[j];
      return r;
    };
    origin = apply(origin, triple(X_PJ.p));
    for (Triple& axis : axes) axis = apply(axis, {});
  }
  void turn(const Triple& axis, Real angle) {
    origin = turned(origin, axis, angle);
    for (Triple& a : axes) a = turned(a, axis, angle);
  }
};

// From the tool's link to the base, joint by joint; shares no code with the library.
Frame pose_of(const Robot& robot, const std::string& tool, const std::map<std::string, Real>& q) {
  Frame frame;
  std::string link = tool;
  for (bool found = true; found;) {
    found = false;
    for (const RobotJoint& joint : robot.joints) {
      if (joint.child_link != link) continue;
      const double length = norm(joint.axis);
      const auto value = q.find(joint.name);
      if (value != q.end()) frame.turn(triple((1 / length) * joint.axis), value->second);
      frame.place(joint.X_PJ);
      link = joint.parent_link;
      found = true;
      break;
    }
  }
  return frame;
}

Frame wanted(const ToolCurve& curve, Real tau) {
  const Real done = tau * tau * tau * (10 - tau * (15 - 6 * tau));
  Frame frame;
  for (std::size_t j = 0; j < 3; ++j) {
    frame.axes[j] = triple(curve.start.R.column(static_cast<int>(j)));
    if (curve.angle != 0)
      frame.axes[j] = turned(frame.axes[j], triple(curve.axis), curve.angle * done);
  }
  for (std::size_t i = 0; i < 3; ++i)
    frame.origin[i] = triple(curve.centre)[i] + done * triple(curve.along)[i];
  return frame;
}

ToolDeviation difference(const Frame& a, const Frame& b) {
  Real place = 0, turn = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    place += (a.origin[i] - b.origin[i]) * (a.origin[i] - b.origin[i]);
    for (std::size_t j = 0; j < 3; ++j) {
      const Real d = a.axes[i][j] - b.axes[i][j];
      turn += d * d;
    }
  }
  return {static_cast<double>(std::sqrt(place)),
          static_cast<double>(2 * std::asin(std::fmin(Real(1), std::sqrt(turn / 8))))};
}

ToolDeviation sampled(const Robot& robot, const KinematicTree& tree, const std::string& tool,
                      const ToolCurve& curve, const ToolMotion& moved) {
  ToolDeviation worst;
  for (int i = 0; i < moved.motion.num_segments(); ++i) {
    const MotionPiece piece = moved.motion.piece(i);
    const Real begin = moved.motion.times[static_cast<std::size_t>(i)];
    const Real end = moved.motion.times[static_cast<std::size_t>(i) + 1];
    for (int n = 0; n <= kSamples; ++n) {
      const Real s = static_cast<Real>(n) / kSamples;
      std::map<std::string, Real> q;
      for (std::size_t c = 0; c < piece.from.size(); ++c) {
        std::vector<Real> w;
        for (int k = 0; k <= piece.degree(); ++k) w.push_back(piece.control(k)[c]);
        for (std::size_t level = w.size() - 1; level > 0; --level)
          for (std::size_t k = 0; k < level; ++k) w[k] += s * (w[k + 1] - w[k]);
        const std::string& name = tree.coordinates()[c].name;
        q[name.substr(name.find('/') + 1)] = w[0];
      }
      const ToolDeviation d = difference(
          pose_of(robot, tool, q), wanted(curve, (begin + s * (end - begin)) / moved.duration));
      worst.position = std::fmax(worst.position, d.position);
      worst.angle = std::fmax(worst.angle, d.angle);
    }
  }
  return worst;
}

struct Tally {
  int lines = 0, proved = 0, broken = 0;
  std::map<std::string, int> refused;
  ToolDeviation proved_worst, seen_worst;
  std::vector<double> pieces;
  std::string first_other;
};

std::string kind_of(const std::string& reason) {
  for (const auto& [part, kind] :
       {std::pair("singular", "singular"), std::pair("limit", "joint limit"),
        std::pair("reach", "out of reach"), std::pair("nearby", "no solution nearby")})
    if (reason.find(part) != std::string::npos) return kind;
  return "other";
}

std::vector<double> random_start(const KinematicTree& tree, Random& random) {
  std::vector<double> q;
  for (const Coordinate& c : tree.coordinates())
    q.push_back(random.uniform(std::isfinite(c.lower) ? c.lower : -std::numbers::pi,
                               std::isfinite(c.upper) ? c.upper : std::numbers::pi));
  return q;
}

void try_line(const Robot& robot, const KinematicTree& tree, const RealArm& arm, Random& random,
              Tally& tally) {
  const ToolFrame tool{tree.find_link(std::string("arm/") + arm.link), {}};
  const std::vector<double> start = random_start(tree, random);
  const Pose from = tool_pose(tree, tool, start);
  const Vec3 axis = random.unit_vector();
  const Triple a = triple(axis);
  const double angle = random.uniform(0, 0.5);
  Pose to = {from.R, from.p + random.uniform(0.05, 0.3) * random.unit_vector()};
  for (int j = 0; j < 3; ++j) {
    const Triple column = turned(triple(from.R.column(j)), a, angle);
    for (std::size_t i = 0; i < 3; ++i) to.R.row[i][j] = static_cast<double>(column[i]);
  }
  const ToolCurve curve = tool_line(from, to).value();
  const auto moved = move_tool(tree, tool, curve, start);
  ++tally.lines;
  if (!moved.ok()) {
    const std::string kind = kind_of(moved.error().message);
    ++tally.refused[kind];
    if (kind == "other" && tally.first_other.empty()) tally.first_other = moved.error().message;
    return;
  }
  ++tally.proved;
  const ToolDeviation seen = sampled(robot, tree, arm.link, curve, moved.value());
  const ToolDeviation& bound = moved.value().deviation;
  tally.broken += seen.position > bound.position || seen.angle > bound.angle;
  const auto widen = [](const ToolDeviation& d, ToolDeviation& worst) {
    worst = {std::fmax(worst.position, d.position), std::fmax(worst.angle, d.angle)};
  };
  widen(bound, tally.proved_worst);
  widen(seen, tally.seen_worst);
  tally.pieces.push_back(moved.value().motion.num_segments());
}

void add_row(const RealArm& arm, const Tally& tally, Report& report) {
  Row& row = report.rows.emplace_back();
  row.add("robot", arm.name).add("lines", tally.lines).add("proved", tally.proved);
  row.add("refused", tally.lines - tally.proved);
  for (const char* kind :
       {"singular", "joint limit", "out of reach", "no solution nearby", "other"}) {
    const auto found = tally.refused.find(kind);
    row.add(fmt::format("refused: {}", kind), found == tally.refused.end() ? 0 : found->second);
  }
  row.add("pieces, median", quantile(tally.pieces, 0.5));
  row.add("deviation proved, m", tally.proved_worst.position);
  row.add("deviation sampled, m", tally.seen_worst.position);
  row.add("angle proved", tally.proved_worst.angle);
  row.add("angle sampled", tally.seen_worst.angle);
  row.add("beyond what is proved", tally.broken);
  if (!tally.first_other.empty())
    report.notes.push_back(fmt::format("{}: {}", arm.name, tally.first_other));
}

Result<Report> run(const Options& bench) {
  Report report;
  bool known = bench.robot.empty();
  double done = 0;
  for (const RealArm& arm : kArms) {
    if (!bench.robot.empty() && bench.robot != arm.name) continue;
    known = true;
    UrdfOptions urdf;
    urdf.load_meshes = false;
    const auto file = data_dir() / "robots" / arm.file;
    if (!std::filesystem::exists(file)) {
      report.notes.push_back(
          fmt::format("skipped: no robots/{} in the data folder; set PROVEN_DATA", arm.file));
      continue;
    }
    const auto robot = load_urdf(file, urdf);
    if (!robot.ok()) return robot.error();
    KinematicTree tree;
    if (auto added = tree.add_robot(robot.value(), "arm", {}); !added.ok()) return added.error();
    Random random(bench.seed);
    Tally tally;
    for (int i = 0; i < bench.cases_or(10, 70); ++i)
      try_line(robot.value(), tree, arm, random, tally);
    add_row(arm, tally, report);
    report.failed |= tally.broken > 0;
    bench.progress(done += 1.0 / std::size(kArms));
  }
  if (!known) return bad_input("the robots are panda, ur5 and iiwa", bench.robot);
  report.notes.push_back(
      "random lines of 5 to 30 cm with turns of up to 0.5 rad, from random configurations within "
      "limits; refused: the joints cannot follow, and move says where");
  return report;
}

}  // namespace

Benchmark tool_lines() {
  return {"tool-lines",
          "lines of tools of real arms: proved or refused, deviations sampled by a twin", run,
          false, true};
}

}  // namespace proven::bench
