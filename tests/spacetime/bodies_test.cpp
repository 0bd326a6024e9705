// Bodies in space against FCL at dense samples, with poses that the test makes itself.
#include "proven/spacetime/bodies.h"

#include <fcl/fcl.h>

#include "proven/base/random.h"
#include "proven/kinematics/interpolation.h"
#include "spacetime/body_pose.h"
#include "support.h"

namespace proven::spacetime {
namespace {

struct Made {
  MovingBody body;
  std::shared_ptr<fcl::CollisionGeometryd> rival;
};

// A tetrahedron as a mesh, so that triangles take part too.
Made tetrahedron(Random& random) {
  auto mesh = std::make_shared<TriangleMesh>();
  const double size = random.uniform(0.3, 1.5);
  mesh->vertices = {{size, 0, -0.3}, {-size, 0.4, -0.3}, {-size, -0.4, -0.3}, {0, 0, size}};
  mesh->triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  auto rival = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
  rival->beginModel();
  for (const auto& t : mesh->triangles) {
    const auto p = [&](int k) {
      const Vec3& v = mesh->vertices[t[static_cast<std::size_t>(k)]];
      return fcl::Vector3d(v.x, v.y, v.z);
    };
    rival->addTriangle(p(0), p(1), p(2));
  }
  rival->endModel();
  Made made;
  made.body.geometry =
      BodyGeometry::build({{std::shared_ptr<const TriangleMesh>(mesh), {}, ""}}).value();
  made.rival = rival;
  return made;
}

Made random_body(Random& random) {
  const double a = random.uniform(0.1, 1.5), b = random.uniform(0.05, 0.5);
  Made made;
  CollisionElement element;
  switch (random.index(4)) {
    case 0:
      element.shape = Box{{a, b, 0.5 * b}};
      made.rival = std::make_shared<fcl::Boxd>(2 * a, 2 * b, b);
      break;
    case 1:
      element.shape = Sphere{a};
      made.rival = std::make_shared<fcl::Sphered>(a);
      break;
    case 2:
      element.shape = Capsule{b, a};
      made.rival = std::make_shared<fcl::Capsuled>(b, 2 * a);
      break;
    default:
      return tetrahedron(random);
  }
  made.body.geometry = BodyGeometry::build({element}).value();
  return made;
}

Quaternion random_turn(Random& random, const Quaternion& from, double angle) {
  const Vec3 axis = random.unit_vector();
  const double half = 0.5 * random.uniform(-angle, angle), s = std::sin(half), w = std::cos(half);
  const Vec3 v = s * axis, u{from.x, from.y, from.z};
  const Vec3 p = from.w * v + w * u + cross(v, u);
  const Quaternion q{p.x, p.y, p.z, w * from.w - dot(v, u)};
  const double length = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return {q.x / length, q.y / length, q.z / length, q.w / length};
}

BodyTrajectory random_flight(Random& random, int samples, double area, double turn) {
  BodyTrajectory m;
  double t = random.uniform(-0.3, 0.3);
  Vec3 p{random.uniform(-area, area), random.uniform(-area, area), random.uniform(-area, area)};
  Quaternion q = random_turn(random, {}, 3);
  for (int i = 0; i < samples; ++i) {
    m.t.push_back(t), m.position.push_back(p), m.rotation.push_back(q);
    t += random.uniform(0.1, 0.5);
    p += random.uniform(0, 3) * random.unit_vector();
    q = random_turn(random, q, turn);
  }
  return m;
}

// The twin's own pose: Eigen's slerp.
fcl::Transform3d twin_pose(const BodyTrajectory& m, double t) {
  std::size_t i = 0;
  while (i + 2 < m.t.size() && t > m.t[i + 1]) ++i;
  const auto quaternion = [&](std::size_t k) {
    const Quaternion& q = m.rotation[k];
    return Eigen::Quaterniond(q.w, q.x, q.y, q.z);
  };
  const auto position = [&](std::size_t k) {
    return fcl::Vector3d(m.position[k].x, m.position[k].y, m.position[k].z);
  };
  fcl::Transform3d X = fcl::Transform3d::Identity();
  X.linear() = quaternion(0).toRotationMatrix();
  X.translation() = position(0);
  if (!m.moves()) return X;
  const double s = (t - m.t[i]) / (m.t[i + 1] - m.t[i]);
  X.linear() = quaternion(i).slerp(s, quaternion(i + 1)).toRotationMatrix();
  X.translation() = (1 - s) * position(i) + s * position(i + 1);
  return X;
}

bool rivals_touch(const Made& a, const Made& b, double t) {
  const fcl::CollisionObjectd object_a(a.rival, twin_pose(a.body.motion, t));
  const fcl::CollisionObjectd object_b(b.rival, twin_pose(b.body.motion, t));
  fcl::CollisionResultd result;
  return fcl::collide(&object_a, &object_b, fcl::CollisionRequestd(), result) > 0;
}

TEST(MovingBodies, NeverWrongByFclAtDenseSamples) {
  Random random(51);
  int counts[3] = {};
  const int n = test::cases(1200);
  Scratch scratch;
  for (int k = 0; k < n; ++k) {
    Made a = random_body(random), b = random_body(random);
    const double turn = random.index(2) ? 0.5 : 3;
    a.body.motion = random_flight(random, 2 + random.index(6), 1.5, turn);
    b.body.motion = random_flight(random, random.index(4) ? 2 + random.index(6) : 1, 1.5, turn);
    a.body.name = "a", b.body.name = "b";
    TrafficOptions options;
    options.first = k % 2 == 0;
    const auto result = check(std::span(&b.body, 1), a.body, options, scratch);
    ASSERT_TRUE(result.ok()) << result.error().text();
    ++counts[static_cast<int>(result.value().verdict)];
    double begin = a.body.motion.t.front(), end = a.body.motion.t.back();
    if (b.body.motion.moves()) {
      begin = std::max(begin, b.body.motion.t.front());
      end = std::min(end, b.body.motion.t.back());
    }
    const auto& contact = result.value().contact;
    if (contact) {
      EXPECT_TRUE(rivals_touch(a, b, contact->t) || std::fabs(contact->distance) < 1e-4) << k;
      EXPECT_LE(contact->t_lower, contact->t);
    }
    const double until = contact ? (options.first ? contact->t_lower : begin) : end;
    if (result.value().verdict == Verdict::undecided) continue;
    for (int i = 0; i < 200 && begin < until; ++i)
      ASSERT_FALSE(rivals_touch(a, b, begin + (until - begin) * i / 200)) << k << " sample " << i;
  }
  if (n >= 1000) {
    EXPECT_GT(std::min(counts[0], counts[1]), n / 10);
    EXPECT_LT(counts[2], n / 100);
  }
}

// A bar turns by half a turn past a post that both samples and their hull leave clear.
TEST(MovingBodies, FindsWhatSamplesMiss) {
  MovingBody bar, post;
  bar.name = "bar", post.name = "post";
  bar.geometry = BodyGeometry::build({{Box{{5, 0.05, 0.05}}, {}, ""}}).value();
  post.geometry = BodyGeometry::build({{Sphere{0.2}, {}, ""}}).value();
  const double s = std::sqrt(0.5);
  bar.motion = {{0, 1}, {{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0, 1}, {0, 0, s, s}}};
  post.motion = {{0}, {{4.9 * s, 4.9 * s, 0}}, {{}}};
  Scratch scratch;
  const auto hit = check(std::span(&post, 1), bar, {}, scratch).value();
  ASSERT_EQ(hit.verdict, Verdict::collision);
  EXPECT_NEAR(hit.contact->t, 0.5, 0.05);
  post.motion.position[0].z = 0.251;
  EXPECT_EQ(check(std::span(&post, 1), bar, {}, scratch).value().verdict, Verdict::free);
  TrafficOptions wide;
  wide.clearance = 0.01;
  EXPECT_EQ(check(std::span(&post, 1), bar, wide, scratch).value().verdict, Verdict::collision);
  // Bodies that do not live at the same time never meet; a shared instant counts.
  post.motion.position[0].z = 0;
  post.motion = {{2, 3}, {post.motion.position[0], post.motion.position[0]}, {{}, {}}};
  EXPECT_EQ(check(std::span(&post, 1), bar, {}, scratch).value().verdict, Verdict::free);
  post.motion = {{1, 3}, {{0, 4.9, 0}, {0, 4.9, 0}}, {{}, {}}};
  EXPECT_EQ(check(std::span(&post, 1), bar, {}, scratch).value().verdict, Verdict::collision);
}

// The error of a motion cut at another's samples, against long double.
TEST(MovingBodies, CutsAreWithinTheirBound) {
  Random random(52);
  double worst = 0;
  for (int k = 0; k < test::cases(20000); ++k) {
    const double scale = std::pow(10, random.uniform(-1, 6)) * 0.5;
    BodyTrajectory m = random_flight(random, 2, 1, 3);
    for (Vec3& p : m.position) p = scale * random.unit_vector();
    const double s = random.uniform(), t = m.t[0] + s * (m.t[1] - m.t[0]);
    const BodyPose got = sample(m, t);
    const long double u =
        (static_cast<long double>(t) - m.t[0]) / (static_cast<long double>(m.t[1]) - m.t[0]);
    const double bound = sample_error(scale);
    for (int i = 0; i < 3; ++i) {
      const long double p =
          m.position[0][i] + u * (static_cast<long double>(m.position[1][i]) - m.position[0][i]);
      worst = std::max(worst, static_cast<double>(std::fabs(got.position[i] - p)) / bound);
    }
    long double a[4], b[4], dot = 0, na = 0, nb = 0;
    const Quaternion &qa = m.rotation[0], &qb = m.rotation[1], &qg = got.rotation;
    const double va[4] = {qa.x, qa.y, qa.z, qa.w}, vb[4] = {qb.x, qb.y, qb.z, qb.w};
    const double vg[4] = {qg.x, qg.y, qg.z, qg.w};
    for (int i = 0; i < 4; ++i) na += va[i] * static_cast<long double>(va[i]);
    for (int i = 0; i < 4; ++i) nb += vb[i] * static_cast<long double>(vb[i]);
    for (int i = 0; i < 4; ++i) a[i] = va[i] / std::sqrt(na), b[i] = vb[i] / std::sqrt(nb);
    for (int i = 0; i < 4; ++i) dot += a[i] * b[i];
    const long double angle = std::acos(std::min<long double>(1, std::fabs(dot)));
    if (angle < 1e-3L) continue;  // acos loses digits there
    long double error = 0;
    for (int i = 0; i < 4; ++i) {
      const long double q =
          (std::sin((1 - u) * angle) * a[i] + (dot < 0 ? -1 : 1) * std::sin(u * angle) * b[i]) /
          std::sin(angle);
      error += (vg[i] - q) * (vg[i] - q);
    }
    worst = std::max(worst, 2 * static_cast<double>(std::sqrt(error)) / sample_error(0));
  }
  EXPECT_LT(worst, 0.25);
  EXPECT_GT(worst, 1e-4);
}

TEST(MovingBodies, RefusesNonsense) {
  MovingBody a;
  a.name = "a";
  Scratch scratch;
  EXPECT_FALSE(check({}, a, {}, scratch).ok());
  a.geometry = BodyGeometry::build({{Sphere{1}, {}, ""}}).value();
  EXPECT_FALSE(check({}, a, {}, scratch).ok());
  a.motion = {{0, 1}, {{}, {}}, {{}, {}}};
  EXPECT_TRUE(check({}, a, {}, scratch).ok());
  const auto refused = [&](auto&& spoil, const char* words) {
    MovingBody bad = a;
    spoil(bad.motion);
    const auto result = check({}, bad, {}, scratch);
    ASSERT_FALSE(result.ok());
    EXPECT_NE(result.error().text().find(words), std::string::npos) << result.error().text();
  };
  refused([](BodyTrajectory& m) { m.t[1] = 0; }, "same time");
  refused([](BodyTrajectory& m) { m.t[1] = -1; }, "not in order");
  refused([](BodyTrajectory& m) { m.t[1] = std::nan(""); }, "not a finite number");
  refused([](BodyTrajectory& m) { m.position[1].z = std::nan(""); }, "sample 1: position");
  refused([](BodyTrajectory& m) { m.rotation[0].w = 2; }, "length 2");
  refused([](BodyTrajectory& m) { m.rotation.pop_back(); }, "as many of each");
}

TEST(MovingBodies, BudgetsAreReasonsOfTheirOwn) {
  MovingBody bar, post;
  bar.name = "bar", post.name = "post";
  bar.geometry = BodyGeometry::build({{Box{{5, 0.05, 0.05}}, {}, ""}}).value();
  post.geometry = BodyGeometry::build({{Sphere{0.2}, {}, ""}}).value();
  const double s = std::sqrt(0.5);
  bar.motion = {{0, 1}, {{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0, 1}, {0, 0, s, s}}};
  post.motion = {{0}, {{4.9 * s, 4.9 * s, 0}}, {{}}};
  Scratch scratch;
  const auto reason = [&](const TrafficOptions& options, const Budget& budget) {
    const auto result = check(std::span(&post, 1), bar, options, scratch, -1, budget).value();
    EXPECT_EQ(result.verdict, Verdict::undecided);
    return result.doubt ? result.doubt->reason : UndecidedReason::sampled_only;
  };
  const std::atomic<bool> cancelled = true;
  EXPECT_EQ(reason({}, Budget::of_seconds(INFINITY, &cancelled)), UndecidedReason::cancelled);
  EXPECT_EQ(reason({}, Budget::of_seconds(0)), UndecidedReason::time);
  // A bar that turns away from a post beside it takes nine cells.
  post.motion.position[0] = {4, -0.3, 0};
  TrafficOptions few;
  EXPECT_EQ(check(std::span(&post, 1), bar, few, scratch).value().verdict, Verdict::free);
  few.max_cells = 1;
  EXPECT_EQ(reason(few, {}), UndecidedReason::cells);
}

}  // namespace
}  // namespace proven::spacetime
