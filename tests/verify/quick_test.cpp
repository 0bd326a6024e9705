// The rule in doubles against 128 bits: what it computes is as near to the truth as it says, and it
// never holds where the rule in 128 bits does not.
#include "verify/quick.h"

#include "any_values.h"
#include "certify/random_scenes.h"
#include "curves.h"
#include "proven/certify/check.h"
#include "proven/verify/verify.h"
#include "scenes/scenes.h"
#include "support.h"

namespace proven::test {
namespace {

using verifier::Interval;
using verifier::Node;
using verifier::Wide;
template <class T>
using Vector = verifier::Vector<T>;

double high(const Wide& x) {
  return enclose(x).hi;
}

// n · (x + s v(x)) at its highest, in 128 bits.
Wide exact_highest(verifier::SegmentMotion<Wide>& motion, double t, int body, int ancestor,
                   const Node& node, const Vec3& direction, double s) {
  const verifier::BodyMotion<Wide>& at = motion.at({t, 0, 0}, body, ancestor);
  const Vector<Wide> n(direction);
  const Vector<Wide> d = n + Wide(s) * cross(n, at.w);
  return highest(node, at.R_WB.transpose_times(d)) + dot(d, at.p_WB) + Wide(s) * dot(n, at.u);
}

// A scene of all kinds of joints and pieces, some far from the origin.
SceneSource scene_of(Random& random, int i) {
  SceneSource source =
      i % 3 == 0
          ? scene_of_all_joints(random, i)
          : random_scene(random, {.links = 2 + i % 6, .obstacles = 2, .floating = i % 4 == 0});
  if (i % 5 == 0)
    for (RobotSource& robot : source.robots)
      robot.X_WR.p = robot.X_WR.p + 100 * random.unit_vector();
  return source;
}

Vec3 any_direction(Random& random) {
  const Vec3 unit = random.unit_vector();
  const double size = std::ldexp(1.0, random.index(50));
  const Vec3 n{std::nearbyint(size * unit.x), std::nearbyint(size * unit.y),
               std::nearbyint(size * unit.z)};
  return n == Vec3{} ? Vec3{1, 0, 0} : n;
}

TEST(QuickRule, HighestPointsAreAsNearAsTheySay) {
  double closest = 0;
  int compared = 0;
  for (int i = 0; i < cases(200); ++i) {
    Random random(static_cast<std::uint64_t>(i));
    const SceneSource source = scene_of(random, i);
    const Scene scene = build(source);
    const verifier::Model model = verifier::build_model(source, {});
    const auto ends = random_segment(scene.tree(), random, i % 2 ? 4 : 20);
    const MotionPiece piece{ends[0], ends[1]};
    verifier::SegmentMotion<Interval> motion(model, piece, {});
    verifier::SegmentMotion<Wide> wide(model, piece, {});
    verifier::QuickRule quick(model);
    quick.begin(motion);
    for (int k = 0; k < 10; ++k) {
      const int body = random.index(static_cast<int>(model.bodies.size()));
      const verifier::Body& b = model.bodies[static_cast<std::size_t>(body)];
      Node node{&b, &b.tree, random.index(static_cast<int>(b.tree.size()))};
      node.by_pieces = random.index(2) == 0;
      const auto above = model.chain(0, b.link);
      const int ancestor =
          above.empty() || random.index(2)
              ? 0
              : above[static_cast<std::size_t>(random.index(static_cast<int>(above.size())))];
      const double t = random.index(257) / 256.0;
      const double s = random.index(3) == 0 ? 0 : random.index(257) / 128.0 - 1;
      const Vec3 n = any_direction(random);
      const auto found = quick.highest(t, body, ancestor, node, n, s);
      const Wide exact = exact_highest(wide, t, body, ancestor, node, n, s);
      const double off = high(abs(Wide(found.value) - exact));
      ASSERT_LE(off, found.error) << i << " " << b.name;
      ASSERT_LT(found.error, 1e-8 * norm(n)) << i << " " << b.name;
      closest = std::fmax(closest, off / found.error);
      ++compared;
    }
  }
  EXPECT_GT(compared, 100);
  EXPECT_GT(closest, 1.0 / 128);  // the bound is not idle
}

TEST(QuickRule, VelocitiesAreAsNearAsTheySay) {
  double closest_w = 0, closest_u = 0;
  for (int i = 0; i < cases(200); ++i) {
    Random random(300 + static_cast<std::uint64_t>(i));
    const SceneSource source = scene_of(random, i);
    const Scene scene = build(source);
    const verifier::Model model = verifier::build_model(source, {});
    const auto ends = random_segment(scene.tree(), random, i % 2 ? 4 : 20);
    const MotionPiece piece{ends[0], ends[1]};
    verifier::SegmentMotion<Interval> motion(model, piece, {});
    verifier::SegmentMotion<Wide> wide(model, piece, {});
    verifier::QuickRule quick(model);
    quick.begin(motion);
    for (int k = 0; k < 10; ++k) {
      const int body = random.index(static_cast<int>(model.bodies.size()));
      const double t = random.index(257) / 256.0;
      const auto found = quick.velocity(t, body, 0);
      const auto& exact = wide.at({t, 0, 0}, body, 0);
      const double w_off = high(norm(Vector<Wide>(found.w) - exact.w));
      const double u_off = high(norm(Vector<Wide>(found.u) - exact.u));
      ASSERT_LE(w_off, found.w_error) << i;
      ASSERT_LE(u_off, found.u_error) << i;
      if (w_off > 0) closest_w = std::fmax(closest_w, w_off / found.w_error);
      if (u_off > 0) closest_u = std::fmax(closest_u, u_off / found.u_error);
    }
  }
  EXPECT_GT(closest_w, 1.0 / 1024);
  EXPECT_GT(closest_u, 1.0 / 1024);
}

TEST(QuickRule, LossesAreNotBelowThoseOf128Bits) {
  double nearest = INFINITY;
  for (int i = 0; i < cases(200); ++i) {
    Random random(1000 + static_cast<std::uint64_t>(i));
    const SceneSource source = scene_of(random, i);
    const Scene scene = build(source);
    const verifier::Model model = verifier::build_model(source, {});
    const auto ends = random_segment(scene.tree(), random, i % 2 ? 4 : 20);
    const MotionPiece piece{ends[0], ends[1]};
    verifier::SegmentMotion<Interval> motion(model, piece, {});
    verifier::SegmentMotion<Wide> wide(model, piece, {});
    verifier::QuickRule quick(model);
    quick.begin(motion);
    for (int k = 0; k < 10; ++k) {
      const int body = random.index(static_cast<int>(model.bodies.size()));
      const double t = random.index(257) / 256.0, h = std::ldexp(1.0, -random.index(12));
      const Vec3 direction = any_direction(random);
      const Vector<Wide> n(direction);
      const auto found = quick.lost(t, body, 0, direction, h);
      const auto exact = verifier::bounds<Wide>(wide.at({t, 0, 0}, body, 0), verifier::kAfter, n,
                                                norm(n), Wide(h));
      // What 128 bits say is known far better than a double is.
      ASSERT_GE(found.speed, enclose(exact.speed).lo) << i;
      ASSERT_GE(found.acceleration, enclose(exact.acceleration).lo) << i;
      if (found.speed > 0) nearest = std::fmin(nearest, found.speed / high(exact.speed));
    }
  }
  EXPECT_LT(nearest, 1 + 1e-12);
}

// What is known only vaguely must count as such: each part of the bound is met by errors that were
// put there, far larger than rounding.
TEST(QuickRule, ErrorsOfPosesCount) {
  Random random(7);
  double closest = 0;
  for (int i = 0; i < cases(2000); ++i) {
    const SceneSource source = random_scene(random, {.links = 2, .obstacles = 0});
    const verifier::Model model = verifier::build_model(source, {});
    const verifier::Body& body = model.bodies[0];
    const Node node{&body, &body.tree, 0};
    const Mat3 true_R = random.rotation();
    const Vec3 true_p = random.unit_vector();
    // A small turn, and a shift.
    const double angle = random.index(2) ? random.uniform(0, 1e-4) : 0;
    const double shift = random.index(2) ? random.uniform(0, 1e-4) : 0;
    const Mat3 R = rotation(random.unit_vector(), angle) * true_R;
    const Vec3 moved = shift * random.unit_vector();
    verifier::Placement<Interval> X({R, std::sqrt(2.0) * angle + 1e-15}, true_p + moved,
                                    shift + 1e-15);
    const verifier::PlacedBody at = verifier::placed(body, X);
    const Vec3 n = random.index(2) && shift > 0 ? (1 / shift) * moved : random.unit_vector();
    const auto highest = [&](const Mat3& rotation, const Vec3& p) {
      return verifier::near_highest(node, transpose_times(rotation, n)) + dot(n, p);
    };
    const double off = std::fabs(highest(R, at.p_WB) - highest(true_R, true_p));
    ASSERT_LE(off, at.error * norm(n) * (1 + 1e-12));
    if (angle + shift > 0) closest = std::fmax(closest, off / at.error);
  }
  EXPECT_GT(closest, 0.9);
  verifier::Placement<Interval> vague({Mat3{}, 0.01}, Vec3{}, 0);
  const verifier::Model model =
      verifier::build_model(random_scene(random, {.links = 2, .obstacles = 0}), {});
  EXPECT_EQ(verifier::placed(model.bodies[0], vague).error, INFINITY);
}

// Where the pose is known exactly, rounding alone is left: a matrix of doubles taken as it is.
TEST(QuickRule, RoundingOfHighestPointsCounts) {
  double closest = 0;
  for (int i = 0; i < cases(300); ++i) {
    Random random(9000 + static_cast<std::uint64_t>(i));
    const SceneSource source = scene_of(random, i);
    const verifier::Model model = verifier::build_model(source, {});
    const verifier::Body& body =
        model.bodies[static_cast<std::size_t>(random.index(static_cast<int>(model.bodies.size())))];
    const Mat3 R = random.rotation();
    const Vec3 p = random.uniform(0, 10) * random.unit_vector();
    const verifier::PlacedBody at = verifier::placed(body, {{R, 0}, p, 0});
    const verifier::Matrix<Wide> exact_R = {
        {Vector<Wide>(R.row[0]), Vector<Wide>(R.row[1]), Vector<Wide>(R.row[2])}};
    for (int k = 0; k < 20; ++k) {
      Node node{&body, &body.tree, random.index(static_cast<int>(body.tree.size()))};
      node.by_pieces = true;
      const Vec3 n = any_direction(random);
      const double found = near_highest(node, transpose_times(R, n)) + dot(n, p);
      const Vector<Wide> d(n);
      const Wide exact = highest(node, exact_R.transpose_times(d)) + dot(d, Vector<Wide>(p));
      const double off = high(abs(Wide(found) - exact)) / norm(n);
      ASSERT_LE(off, at.error * (1 + 1e-12)) << i;
      if (body.piece_error == 0) closest = std::fmax(closest, off / at.error);
    }
  }
  EXPECT_GT(closest, 1.0 / 128);  // the derivation adds up what happens at once hardly ever
}

// Leaves at the edge of what holds: clearances are bisected until the answer changes. Doubles must
// not say more than 128 bits do, and hardly less.
TEST(QuickRule, AgreesWith128BitsAtTheEdge) {
  int held = 0;
  double largest_gap = 0;
  for (int i = 0; i < cases(150); ++i) {
    Random random(5000 + static_cast<std::uint64_t>(i));
    const SceneSource source = scene_of(random, i);
    const Scene scene = build(source);
    const verifier::Model model = verifier::build_model(source, {});
    if (model.units.empty()) continue;
    const auto ends = random_segment(scene.tree(), random, 1);
    const MotionPiece piece{ends[0], ends[1]};
    verifier::SegmentMotion<Interval> motion(model, piece, {});
    verifier::SegmentMotion<Wide> wide(model, piece, {});
    verifier::QuickRule quick(model);
    quick.begin(motion);
    for (int k = 0; k < 5; ++k) {
      const auto& unit =
          model.units[static_cast<std::size_t>(random.index(static_cast<int>(model.units.size())))];
      quick.begin(unit);
      verifier::Leaf leaf;
      const double side = std::ldexp(1.0, -2 - random.index(6));
      leaf.anchor = 0.5;
      leaf.before = random.index(2) ? side : 0;
      leaf.after = side;
      leaf.direction = any_direction(random);
      const int still = unit.b < 0 ? unit.pairs[0].b : -1;
      const int other = unit.b < 0 ? still : unit.b;
      const auto root = [&](int index) {
        const verifier::Body& body = model.bodies[static_cast<std::size_t>(index)];
        return Node{&body, &body.tree, 0};
      };
      const auto& of_a = wide.at(leaf, unit.a, unit.ancestor);
      const auto& of_b = unit.b < 0 ? wide.at({}, still, 0) : wide.at(leaf, unit.b, unit.ancestor);
      const auto by_doubles = [&](double c) {
        return quick.holds(leaf, root(unit.a), root(other), still, {Interval(c)});
      };
      const auto by_wide = [&](double c) {
        Node A = root(unit.a), B = root(other);
        if (verifier::holds<Wide>(leaf, A, of_a, B, of_b, {Wide(c)})) return true;
        A.by_pieces = B.by_pieces = true;
        return verifier::holds<Wide>(leaf, A, of_a, B, of_b, {Wide(c)});
      };
      double low = -1000, above = 1000;  // of the clearance
      ASSERT_FALSE(by_doubles(above));
      if (!by_doubles(low)) continue;
      while (std::nextafter(low, above) < above && above - low > 1e-17) {
        const double middle = 0.5 * (low + above);
        (by_doubles(middle) ? low : above) = middle;
      }
      ASSERT_TRUE(by_wide(low)) << i;
      ++held;
      double edge = low;
      for (double step = 1e-16; step < 1 && by_wide(low + step); step *= 2) edge = low + step;
      largest_gap = std::fmax(largest_gap, edge - low);
    }
  }
  EXPECT_GT(held, cases(150));
  EXPECT_LT(largest_gap, 1e-9);  // of robots 100 m away
}

// The certificates of the checker hold in doubles but for a few leaves.
TEST(QuickRule, SettlesNearlyAllLeavesOfTheChecker) {
  for (const char* name : {"demo", "cage-a"}) {
    const SceneSource source = make_scene(name).value();
    const Scene scene = build_scene(source).value();
    std::vector<double> from(scene.home().begin(), scene.home().end()), to = from;
    for (std::size_t k = 0; k < to.size(); ++k) to[k] += k % 2 ? 0.02 : -0.02;
    CheckOptions options = test::any_values();
    options.certificate = true;
    Scratch scratch;
    const Path path{{from, to}, {}, {}};
    const auto result = check(scene, path, options, scratch).value();
    if (result.verdict != Verdict::free) continue;
    const VerifyReport report = verify(source, path, result.certificate);
    EXPECT_TRUE(report.accepted) << report.reason;
    EXPECT_EQ(report.wide_leaves, 0);
  }
}

// The report is the same on any number of threads, also of proofs that fail somewhere.
TEST(QuickRule, ReportsDoNotDependOnThreads) {
  const SceneSource source = make_scene("demo").value();
  const Scene scene = build_scene(source).value();
  std::vector<double> from(scene.home().begin(), scene.home().end());
  Path path;
  Random random(3);
  for (int i = 0; i < 12; ++i) {
    path.waypoints.push_back(from);
    for (double& q : path.waypoints.back()) q += random.uniform(-0.05, 0.05);
  }
  CheckOptions options = test::any_values();
  options.certificate = true;
  Scratch scratch;
  const auto result = check(scene, path, options, scratch).value();
  ASSERT_EQ(result.verdict, Verdict::free);
  int rejected = 0;
  for (int i = 0; i < 12; ++i) {
    Path other = path;  // the proof does not fit some segments
    if (i > 0)
      for (double& q : other.waypoints[static_cast<std::size_t>(i)]) q += 0.1 * i;
    std::optional<VerifyReport> first;
    for (const int threads : {1, 2, 5}) {
      VerifyOptions verify_options;
      verify_options.threads = threads;
      const VerifyReport report = verify(source, other, result.certificate, verify_options);
      if (!first) first = report;
      EXPECT_EQ(report.accepted, first->accepted);
      EXPECT_EQ(report.reason, first->reason);
      EXPECT_EQ(report.leaves, first->leaves);
      EXPECT_EQ(report.wide_leaves, first->wide_leaves);
      EXPECT_EQ(report.theorem, first->theorem);
    }
    rejected += !first->accepted;
  }
  EXPECT_GT(rejected, 2);
  EXPECT_LT(rejected, 12);
}

}  // namespace
}  // namespace proven::test
