// One test for each constant of docs/error_budget.md that the directional checker uses: what double
// arithmetic really loses, against long double, is at most half of what is allowed for. Robots of
// all kinds, joint values to 128 rad, scales from 1e-3 to 1e3. Long form, a million configurations
// per test: PROVEN_TEST_SHARE=100.
#include <gtest/gtest.h>

#include <algorithm>

#include "certify/budget_samples.h"
#include "certify/margins.h"
#include "certify/proof.h"
#include "certify/separation.h"
#include "proven/kinematics/motion_bounds.h"

namespace proven {
namespace {

using namespace budget;

TEST(ErrorBudget, RoundingBoundOfPositions) {
  expect_within_half("positions", 71, kCount, [](Sample& s, Random& random) {
    const int body = s.random_body(random);
    const Vec3 p = random_corner(s.subject.scene.body(body).geometry->box_tree().nodes[0], random);
    const RVec exact = s.exact.body(s.links, body) * RVec(p);
    const Real error = norm(RVec(s.anchor.X_WB(body) * p) - exact);
    return static_cast<double>(error / s.subject.model->body(body).rounding_bound);
  });
}

TEST(ErrorBudget, DirectionBoundOfAxes) {
  expect_within_half("axes", 72, kCount, [](Sample& s, Random& random) {
    const int body = s.random_body(random);
    const std::vector<int> chain = s.chain(body, 0);
    if (chain.empty()) return -1.0;
    const int link = chain[static_cast<std::size_t>(random.index(static_cast<int>(chain.size())))];
    if (s.joint(link).kind == JointKind::ball) return -1.0;
    std::vector<double> q(s.motion.from.size());
    s.motion.configuration(s.subject.scene.tree(), s.t, q);
    LinkPoses poses;
    compute_poses(s.subject.scene.tree(), q, poses);
    const RVec computed(joint_axis(s.subject.scene.tree(), poses, link).direction);
    const double bound = s.subject.model->body(body).factors.direction_bound;
    return static_cast<double>(norm(computed - s.axis(link)) / bound);
  });
}

// kVelocityRounding, kSlideRounding; chains with a ball joint use the constant part of
// kSideRounding too.
TEST(ErrorBudget, VelocityRounding) {
  expect_within_half("velocities", 73, kCount, [](Sample& s, Random& random) {
    const int body = s.random_body(random), ancestor = s.random_ancestor(body, random);
    const std::vector<int> chain = s.chain(body, ancestor);
    if (chain.empty()) return -1.0;
    BodyMotion motion;
    s.anchor.compute_motion(body, ancestor, motion);
    const Vec3 p = random_corner(s.subject.scene.body(body).geometry->box_tree().nodes[0], random);
    const Sample::ExactTwist twist = s.twist(body, ancestor);
    const RVec x = s.exact.body(s.links, body) * RVec(p), computed(s.anchor.X_WB(body) * p);
    const RVec exact = cross(twist.angular, x) + twist.linear;
    const RVec v = cross(RVec(motion.angular), computed) + RVec(motion.linear);
    double allowed = motion.velocity_error;
    if (std::ranges::any_of(chain, [&](int l) { return s.joint(l).kind == JointKind::ball; }))
      allowed += s.subject.model->body(body).rounding_bound / s.reach;
    return static_cast<double>(norm(v - exact) / allowed);
  });
}

// The 2 ρ that local radii get: distances of a sphere's centre to the axes, and that no radius is
// below the exact one.
TEST(ErrorBudget, LocalRadii) {
  int local_ones = 0;
  expect_within_half("radii", 74, kCount, [&](Sample& s, Random& random) {
    const KinematicTree& tree = s.subject.scene.tree();
    const int body = s.random_body(random), ancestor = s.random_ancestor(body, random);
    const std::vector<int> chain = s.chain(body, ancestor);
    if (chain.empty()) return -1.0;
    BodyMotion motion;
    s.anchor.compute_motion(body, ancestor, motion);
    LinkPoses poses;
    std::vector<double> q(s.motion.from.size());
    s.motion.configuration(tree, s.t, q);
    compute_poses(tree, q, poses);
    const MotionFactors& factors = s.subject.model->body(body).factors;
    const BoxNode& root = s.subject.scene.body(body).geometry->box_tree().nodes[0];
    const RVec centre = s.exact.body(s.links, body) * RVec(root.centre);
    Real below = 0;
    double share = 0;
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const int l = chain[i];
      const BodyMotion::Term& term = motion.terms[chain.size() - 1 - i];
      const Real radius =
          static_cast<Real>(term.factor) / s.rates[static_cast<std::size_t>(l)].upper;
      Real exact = 1;
      if (!s.slides(l)) {
        const Real distance = norm(cross(centre - s.place(l), s.axis(l)));
        const auto global =
            std::ranges::find_if(factors.factors, [&](const auto& f) { return f.link == l; });
        exact = distance + norm(RVec(root.half)) + static_cast<Real>(s.reach) * below;
        local_ones += exact < 0.999L * global->radius;
        exact = std::fmin(exact, static_cast<Real>(global->radius));
        const JointAxis axis = joint_axis(tree, poses, l);
        if (s.joint(l).kind == JointKind::revolute) {
          const double computed = norm(cross(s.anchor.centre(body) - axis.point, axis.direction));
          share = std::fmax(share, static_cast<double>(std::fabs(computed - distance) /
                                                       (2 * factors.rounding_bound)));
        }
      }
      EXPECT_GE(radius, exact * (1 - 0x1p-51L));  // the division above
      below += exact * std::fabs(s.exact.joint(l).rate);
    }
    EXPECT_GE(static_cast<Real>(motion.speed_upper), below);
    return share;
  });
  EXPECT_GT(local_ones, test::cases(kCount) / 10);
}

// A direction that meets the cancellation of n × ω: along one of the turnings, or any.
Vec3 tricky_direction(const BodyMotion& motion, Random& random) {
  const auto& term =
      motion.terms[static_cast<std::size_t>(random.index(static_cast<int>(motion.terms.size())))];
  if (random.index(2) == 0 || term.turning == Vec3{}) return random.unit_vector();
  return normalized(term.turning + std::pow(10, random.uniform(-17, -1)) * norm(term.turning) *
                                       random.unit_vector());
}

TEST(ErrorBudget, TurningRounding) {
  expect_within_half("A_n", 75, kCount, [](Sample& s, Random& random) {
    const int body = s.random_body(random), ancestor = s.random_ancestor(body, random);
    const std::vector<int> chain = s.chain(body, ancestor);
    if (chain.empty()) return -1.0;
    for (const int l : chain)
      if (s.joint(l).kind == JointKind::ball && s.exact.joint(l).rate < 1e-3L) return -1.0;
    BodyMotion motion;
    s.anchor.compute_motion(body, ancestor, motion);
    if (!(motion.acceleration > 0)) return -1.0;
    const Vec3 n = tricky_direction(motion, random);
    RVec turning;
    Real exact = 0;
    double computed = 0;
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const int l = chain[chain.size() - 1 - i];
      const BodyMotion::Term& term = motion.terms[i];
      const RVec before = turning;
      if (!s.slides(l)) turning = turning + s.exact.joint(l).rate * s.axis(l);
      exact += term.factor * std::fmin(norm(cross(RVec(n), before + turning)) + term.drift,
                                       static_cast<Real>(term.turn_upper));
      computed +=
          term.factor * std::fmin(norm(cross(n, term.turning)) + term.drift, term.turn_upper);
    }
    EXPECT_GE(static_cast<Real>(motion.acceleration_along(n)) * (1 + 0x1p-60L),
              std::fmin(exact, static_cast<Real>(motion.acceleration)));
    return static_cast<double>(std::fabs(exact - computed) / motion.turning_error);
  });
}

TEST(ErrorBudget, SpreadRounding) {
  expect_within_half("n'Sn", 76, kCount, [](Sample& s, Random& random) {
    const int body = s.random_body(random), ancestor = s.random_ancestor(body, random);
    BodyMotion motion;
    s.anchor.compute_motion(body, ancestor, motion);
    if (!(motion.spread_error > 0)) return -1.0;
    const Vec3 n = tricky_direction(motion, random);
    const double(&S)[6] = motion.spread;
    const double form = (S[0] * n.x * n.x + S[1] * n.y * n.y + S[2] * n.z * n.z) +
                        2 * (S[3] * n.x * n.y + S[4] * n.x * n.z + S[5] * n.y * n.z);
    Real exact = 0, weight = 0, sum = 0;
    for (const BodyMotion::Term& term : motion.terms) {
      const Real across = norm(cross(RVec(n), RVec(term.turning)));
      exact += term.factor * across * across;
      weight += term.factor;
      sum += term.factor * across;
    }
    // The inequality that it stands for.
    EXPECT_GE(std::sqrt(motion.weight * (std::fmax(form, 0) + motion.spread_error)) * kSumUp, sum);
    return static_cast<double>(std::fabs(form - exact) / motion.spread_error);
  });
}

// Supports in long double, with poses as nine doubles or as the rotations they mean.
Real exact_support(const Convex& c, const RVec& m, bool literal) {
  Real most = -1e300L;
  if (c.kind == ConvexKind::hull) {
    for (const Vec3& p : c.points) most = std::fmax(most, dot(m, RVec(p)));
    return most;
  }
  const RPose X = literal ? exact::literal(c.X_BS) : exact::nearest(c.X_BS);
  const RVec m_S = transpose_times(X.R, m), h(c.half_extents);
  Real core = std::fabs(m_S.x) * h.x + std::fabs(m_S.y) * h.y + std::fabs(m_S.z) * h.z;
  if (c.kind == ConvexKind::cylinder)
    core = std::hypot(m_S.x, m_S.y) * h.x + std::fabs(m_S.z) * h.z;
  return dot(m, X.p) + core + c.radius * norm(m);
}

Real exact_support(const Side& side, const BoxNode& node, const RVec& m, bool box, bool literal) {
  if (box || node.num_items() > kSmallNode)
    return dot(m, RVec(node.centre)) + std::fabs(m.x) * node.half.x + std::fabs(m.y) * node.half.y +
           std::fabs(m.z) * node.half.z;
  Real most = -1e300L;
  for (int i = node.first_item; i < node.end_item; ++i) {
    const int piece = side.tree->order[static_cast<std::size_t>(i)];
    if (!side.geometry->is_triangle(piece)) {
      const auto convex = static_cast<std::size_t>(piece) - side.geometry->triangles().size();
      most = std::fmax(most, exact_support(side.geometry->convexes()[convex], m, literal));
      continue;
    }
    const Triangle& t = side.geometry->triangles()[static_cast<std::size_t>(piece)];
    for (const Vec3& p : {t.a, t.b, t.c}) most = std::fmax(most, dot(m, RVec(p)));
  }
  return most;
}

// A pair of a sample with random nodes.
struct PairSample {
  Sample& s;
  Match match;
  BodyMotion motion_a, motion_b;
  Side a, b;
  const BoxNode *node_a = nullptr, *node_b = nullptr;

  PairSample(Sample& sample, Random& random)
      : s(sample),
        match(s.subject.model->match(
            random.index(static_cast<int>(s.subject.scene.pairs().size())))) {
    a = side(match.a, motion_a);
    b = side(match.b, motion_b);
    node_a = node(a, random);
    node_b = node(b, random);
  }
  Side side(int body, BodyMotion& motion) {
    s.anchor.compute_motion(body, match.ancestor, motion);
    const BodyGeometry& geometry = *s.subject.scene.body(body).geometry;
    return {s.anchor.X_WB(body),
            &geometry.box_tree(),
            &geometry,
            &motion,
            s.anchor.centre(body),
            s.subject.model->body(body).sphere.radius};
  }
  static const BoxNode* node(const Side& side, Random& random) {
    const auto count = static_cast<int>(side.tree->nodes.size());
    return &side.tree->nodes[static_cast<std::size_t>(random.index(3) ? random.index(count) : 0)];
  }
  // G(h) of the exact motion; with `literal`, G(0) of the poses as computed.
  Real gap(const Vec3& n, Real h, bool box, bool literal) const {
    const auto part = [&](const Side& side, const BoxNode& node, int body, Real sign) {
      const RVec direction = sign * RVec(n);
      if (literal) {
        const RPose X = exact::literal(side.X_WB);
        return dot(direction, X.p) +
               exact_support(side, node, transpose_times(X.R, direction), box, true);
      }
      const RPose X = s.exact.body(s.links, body);
      const Sample::ExactTwist v = s.twist(body, match.ancestor);
      const RVec m = direction + h * cross(direction, v.angular);
      return dot(direction, X.p + h * (cross(v.angular, X.p) + v.linear)) +
             exact_support(side, node, transpose_times(X.R, m), box, false);
    };
    return -part(b, *node_b, match.b, -1) - part(a, *node_a, match.a, 1);
  }
};

// kSupportRounding and kDirectionStep at the anchor: what evaluating alone loses of the part beyond
// ρ, and what positions and evaluation lose of all.
TEST(ErrorBudget, SupportRounding) {
  double evaluation = 0;
  expect_within_half("gaps", 77, kCount, [&](Sample& sample, Random& random) {
    PairSample pair(sample, random);
    Separation separation;
    separation.begin(pair.a, pair.b, 0, pair.match.rounding_bound, sample.reach);
    const bool box = random.index(2) == 0;
    Vec3 n = random.unit_vector();
    Slack slack;
    if (box) {
      separation.begin_boxes();
      slack = separation.boxes(*pair.node_a, *pair.node_b);
      n = slack.n_gap;
    } else {
      slack = separation.along(n, *pair.node_a, *pair.node_b);
    }
    const Real computed = static_cast<Real>(slack.gap) + separation.margin();
    const double beyond = separation.margin() - pair.match.rounding_bound;
    evaluation = std::fmax(
        evaluation, static_cast<double>(std::fabs(computed - pair.gap(n, 0, box, true)) / beyond));
    const Real exact = pair.gap(n, 0, box, false);
    return static_cast<double>(std::fabs(computed - exact) / separation.margin());
  });
  std::printf("gaps: evaluation alone %.3g of its part\n", evaluation);
  EXPECT_LE(evaluation, 0.5);
}

// Directions of boxes are unit to rounding, whatever chain the frames come from.
TEST(ErrorBudget, DirectionsAreUnit) {
  expect_within_half("|n|", 78, kCount, [](Sample& sample, Random& random) {
    PairSample pair(sample, random);
    Separation separation;
    separation.begin(pair.a, pair.b, 0, pair.match.rounding_bound, sample.reach);
    separation.begin_boxes();
    const Slack slack = separation.boxes(*pair.node_a, *pair.node_b);
    return static_cast<double>(std::fabs(norm(RVec(slack.n_gap)) - 1) / 0x1p-50L);
  });
}

// The whole margin at the ends of the sides.
TEST(ErrorBudget, SideRounding) {
  int binding = 0;
  expect_within_half("sides", 79, 2 * kCount, [&](Sample& sample, Random& random) {
    PairSample pair(sample, random);
    const double h = sample.reach;
    const Vec3 n = random.unit_vector();
    const double moved = (pair.motion_a.speed_upper + pair.motion_b.speed_upper) * h;
    if (!(moved > 0)) return -1.0;
    const Real gap = pair.gap(n, 0, false, false);
    // A clearance that the Lipschitz form does not reach.
    const double clearance = static_cast<double>(gap) - random.uniform(0.3, 0.99) * moved;
    Separation separation;
    separation.begin(pair.a, pair.b, clearance, pair.match.rounding_bound, h);
    const Slack slack = separation.along(n, *pair.node_a, *pair.node_b);
    const Real bent = 0.5L * h * h *
                      (static_cast<Real>(pair.motion_a.acceleration_along(n)) +
                       pair.motion_b.acceleration_along(n));
    const double margin = separation.side_margin();
    double share = 0;
    for (const bool before : {true, false}) {
      const Real far = pair.gap(n, before ? -h : h, false, false) - bent - clearance;
      const Real here = gap - clearance, lipschitz = here - moved;
      const double computed = before ? slack.before : slack.after;
      EXPECT_LE(computed, std::fmax(lipschitz, std::fmin(here, far)));
      if (far > here - 2 * margin || far < lipschitz + 2 * margin) continue;
      ++binding;
      share = std::fmax(share, static_cast<double>(std::fabs(far - margin - computed) / margin));
    }
    return share;
  });
  EXPECT_GT(binding, test::cases(kCount) / 20);
}

TEST(ErrorBudget, DirectionStep) {
  Random random(80);
  double largest = 0;
  for (int n = test::cases(1000000); n > 0; --n) {
    const Vec3 direction = random.unit_vector();
    const IntDirection written = rounded_direction(direction, 52);
    const RVec exact =
        exact::unit(RVec{static_cast<Real>(written[0]), static_cast<Real>(written[1]),
                         static_cast<Real>(written[2])});
    largest = std::fmax(largest, static_cast<double>(norm(exact - exact::unit(RVec(direction)))));
  }
  std::printf("directions of 52 bits: turned by %.3g of 8 u\n", largest / 0x1p-50);
  EXPECT_LE(largest, 0.5 * 0x1p-50);
}

// A still body that no pair names may be far away: boxes over all still bodies, without its L.
TEST(ErrorBudget, DirectionStepOfStillBoxes) {
  Random random(81);
  double largest = 0;
  for (int n = test::cases(200000); n > 0; --n) {
    const double size = std::pow(10, random.uniform(0, 6));
    BoxTree tree;
    tree.nodes.emplace_back();
    tree.nodes[0].centre = size * random.uniform() * random.unit_vector();
    tree.nodes[0].half = size * Vec3{random.uniform(), random.uniform(), random.uniform()};
    BoxTree point;
    point.nodes.emplace_back();
    const BodyMotion rest;
    const Side a{Pose{}, &point, nullptr, &rest, {}, 0};
    const Side b{Pose{}, &tree, nullptr, &rest, tree.nodes[0].centre, norm(tree.nodes[0].half)};
    Separation separation;
    separation.begin(a, b, 0, 0, 0);
    separation.begin_boxes();
    const Slack slack = separation.boxes(point.nodes[0], tree.nodes[0]);
    const Vec3& m = slack.n_gap;
    const Real exact = dot(RVec(m), RVec(tree.nodes[0].centre)) -
                       (std::fabs(static_cast<Real>(m.x)) * tree.nodes[0].half.x +
                        std::fabs(static_cast<Real>(m.y)) * tree.nodes[0].half.y +
                        std::fabs(static_cast<Real>(m.z)) * tree.nodes[0].half.z);
    const Real computed = static_cast<Real>(slack.gap) + separation.margin();
    largest =
        std::fmax(largest, static_cast<double>(std::fabs(computed - exact) / separation.margin()));
  }
  std::printf("boxes over still bodies: %.3g of the margin\n", largest);
  EXPECT_LE(largest, 0.5);
  EXPECT_GT(largest, 0);
}

TEST(ErrorBudget, BoxRounding) {
  double largest = 0;
  int boxes = 0;
  for (const auto& subject : subjects()) {
    const ModelData& model = *subject->model;
    for (const BoxNode& node : model.still_tree().nodes) {
      if (!node.is_leaf()) continue;
      const int body = model.still_body(node.item);
      const BodyGeometry& geometry = *subject->scene.body(body).geometry;
      const Pose& X = model.still_pose(body);
      const double slack = kBoxRounding * (max_abs(X.p) + 3 * geometry.max_coordinate());
      // The exact box of the box of the body, and of the body itself.
      const Aabb& bounds = geometry.box_tree().bounds;
      for (int i = 0; i < 3; ++i)
        for (const Real sign : {-1.0L, 1.0L}) {
          RVec n;
          (i == 0 ? n.x : i == 1 ? n.y : n.z) = sign;
          const RPose X_WB = exact::literal(X);
          const RVec m = transpose_times(X_WB.R, n);
          const RVec lo(bounds.lo), hi(bounds.hi);
          const Real exact = dot(n, X_WB.p) + std::fmax(m.x * lo.x, m.x * hi.x) +
                             std::fmax(m.y * lo.y, m.y * hi.y) + std::fmax(m.z * lo.z, m.z * hi.z);
          const Real held = sign * static_cast<Real>(node.centre[i]) + node.half[i];
          largest = std::fmax(largest, static_cast<double>(1 - (held - exact) / slack));
          for (const int piece : geometry.box_tree().order) {
            if (geometry.is_triangle(piece)) continue;
            const auto c = static_cast<std::size_t>(piece) - geometry.triangles().size();
            EXPECT_GE(held, dot(n, X_WB.p) + exact_support(geometry.convexes()[c], m, true));
          }
          for (const Triangle& t : geometry.triangles())
            for (const Vec3& p : {t.a, t.b, t.c}) EXPECT_GE(held, dot(n, X_WB * RVec(p)));
          ++boxes;
        }
    }
  }
  std::printf("still boxes: %d sides, largest share %.3g\n", boxes, largest);
  EXPECT_LE(largest, 0.5);
  EXPECT_GT(boxes, 100);
}

TEST(ErrorBudget, SumUp) {
  Random random(82);
  double largest = 0;
  for (int n = test::cases(20000); n > 0; --n) {
    double sum = 0;
    Real exact = 0;
    for (int k = 1 + random.index(1023); k > 0; --k) {
      const double x = std::pow(2, random.uniform(-20, 20)), y = random.uniform();
      sum += x * y;
      exact += static_cast<Real>(x) * y;
    }
    largest = std::fmax(largest, static_cast<double>(std::fabs(exact - sum) / exact));
  }
  std::printf("sums: %.3g of the bound\n", largest / (kSumUp - 1));
  EXPECT_LE(largest, 0.5 * (kSumUp - 1));
}

TEST(ErrorBudget, ProductUp) {
  Random random(83);
  double largest = 0;
  for (int n = test::cases(500000); n > 0; --n) {
    const Vec3 v = std::pow(10, random.uniform(-3, 3)) * random.unit_vector();
    const double length = norm(v), reach = random.uniform(), speed = random.uniform();
    largest = std::fmax(largest, static_cast<double>(std::fabs(norm(RVec(v)) - length) / length));
    const double a = random.uniform(), b = random.uniform();
    const double bent = 0.5 * reach * reach * kProductUp * (a + b);
    const Real exact = 0.5L * reach * reach * kProductUp * (static_cast<Real>(a) + b);
    largest = std::fmax(largest, static_cast<double>(std::fabs(exact - bent) / exact));
    const double moved = (a + speed) * reach * kProductUp;
    const Real exactly = (static_cast<Real>(a) + speed) * reach * kProductUp;
    largest = std::fmax(largest, static_cast<double>(std::fabs(exactly - moved) / exactly));
  }
  std::printf("products: %.3g of the bound\n", largest / (kProductUp - 1));
  EXPECT_LE(largest, 0.5 * (kProductUp - 1));
}

TEST(ErrorBudget, RelativePose) {
  expect_within_half("relative poses", 84, kCount, [](Sample& sample, Random& random) {
    PairSample pair(sample, random);
    const Vec3 p = random_corner(*pair.node_b, random);
    const Pose X_AB = relative_pose(pair.a.X_WB, pair.b.X_WB);
    // Of the poses as computed: X_WA, inverted by its transpose.
    const RPose X_WA = exact::literal(pair.a.X_WB), X_WB = exact::literal(pair.b.X_WB);
    const RVec exact = transpose_times(X_WA.R, X_WB * RVec(p) - X_WA.p);
    const Real error = norm(RVec(X_AB * p) - exact);
    return static_cast<double>(error / (pair.match.rounding_bound * (1 - 1 / kRelativePose)));
  });
}

// |rate| is at most its bound, and what a rate and its axis lose together.
TEST(ErrorBudget, JointRates) {
  expect_within_half("rates", 85, kCount, [](Sample& s, Random&) {
    double share = -1;
    for (int l = 1; l < s.subject.scene.tree().num_links(); ++l) {
      const JointRate& rate = s.rates[static_cast<std::size_t>(l)];
      if (!rate.moves()) continue;
      const exact::ExactJoint& exact = s.exact.joint(l);
      EXPECT_GE(static_cast<Real>(rate.upper), std::fabs(exact.rate));
      const Real error =
          norm(static_cast<Real>(rate.value) * RVec(rate.axis) - exact.rate * exact.axis);
      // Scalars: 2 u for the rate, 4.5 u for the axis. Ball joints: 16 u, and 2^-48 for the angle.
      const bool ball = s.joint(l).kind == JointKind::ball;
      const Real allowed = ball ? 0x1p-47L : 0x1p-49L * std::fabs(exact.rate);
      share = std::fmax(share, static_cast<double>(error / allowed));
    }
    return share;
  });
}

// Turns of almost nothing and of almost exactly half a turn, where the axis is hard to tell: rate
// and configuration go the same way, the one that exact arithmetic decides.
TEST(ErrorBudget, BallJointsAtTheEndsOfTheirRange) {
  Robot robot;
  robot.name = "flyer";
  robot.links = {{"base", {}, false, nullptr},
                 {"body", {{Box{{0.1, 0.2, 0.3}}, Pose{}, "box"}}, false, nullptr}};
  RobotJoint joint;
  joint.name = "fly";
  joint.parent_link = "base";
  joint.child_link = "body";
  joint.type = JointType::floating;
  robot.joints = {joint};
  SceneBuilder builder;
  ASSERT_TRUE(builder.add_robot(robot, "r", Pose{}).ok());
  ASSERT_TRUE(builder.add_obstacle("o", {{Box{{1, 1, 1}}, Pose{}, "box"}}, Pose{}).ok());
  auto built = std::move(builder).build();
  ASSERT_TRUE(built.ok());
  const Scene& scene = built.value();
  Random random(86);
  int ways[2] = {0, 0};
  double largest = 0;
  for (int n = test::cases(100000); n > 0; --n) {
    OwnedMotion motion;
    motion.from = random_configuration(scene.tree(), random);
    motion.to = motion.from;
    double *a = motion.from.data() + 3, *b = motion.to.data() + 3;
    if (n % 4 == 0) {
      for (int i = 0; i < 4; ++i) b[i] += random.index(3) * 0x1p-53 - 0x1p-53;
    } else {
      // Half a turn about an axis of the body: (x, y, z, w) times i, j or k.
      const double x = a[0], y = a[1], z = a[2], w = a[3];
      const double turned[3][4] = {{w, z, -y, -x}, {-z, w, x, -y}, {y, -x, w, -z}};
      for (int i = 0; i < 4; ++i) b[i] = turned[n % 3][i] * (1 + (random.index(5) - 2) * 0x1p-52);
    }
    if (motion.from == motion.to) continue;
    // The inner product as it is: products are exact in 113 bits, and so are these sums.
    __float128 inner = 0;
    for (int i = 0; i < 4; ++i) inner += static_cast<__float128>(a[i]) * b[i];
    const Quaternion qa{a[0], a[1], a[2], a[3]}, qb{b[0], b[1], b[2], b[3]};
    ASSERT_EQ(turns_as_given(qa, qb), inner >= 0);
    ++ways[inner >= 0];
    std::vector<JointRate> rates;
    joint_rates(scene.tree(), motion, 0, 0, 1, rates);
    const JointRate& rate = rates.back();
    // From a, a quarter of the way, by rate and axis.
    const Mat3 start = rotation_from_quaternion(qa);
    const Mat3 expected = rotation(rate.axis, 0.25 * rate.value) * start;
    const Mat3 found = rotation_from_quaternion(slerp(qa, qb, 0.25));
    for (int i = 0; i < 3; ++i)
      largest = std::fmax(largest, max_abs(expected.column(i) - found.column(i)));
  }
  std::printf("ball joints: %d as given, %d the other way, rotations differ by %.3g\n", ways[1],
              ways[0], largest);
  EXPECT_LT(largest, 0x1p-46);
  EXPECT_GT(ways[0], test::cases(100000) / 10);
  EXPECT_GT(ways[1], test::cases(100000) / 10);
}

}  // namespace
}  // namespace proven
