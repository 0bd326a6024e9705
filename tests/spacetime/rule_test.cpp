// The lemmas behind `free`, each against exact motion in long double.
#include "simd_support.h"
#include "spacetime/boxes_kernel.h"
#include "spacetime/oracle.h"
#include "spacetime/pair.h"
#include "support.h"

namespace proven::spacetime {
namespace {

// Lemma 1: a point never leaves its chord by more than sagitta_upper, at equal times; and the bound
// is not idle: it is nearly reached.
TEST(Rule, SagittaHoldsEveryPoint) {
  Random random(21);
  double closest = 0;
  for (int k = 0; k < test::cases(20000); ++k) {
    const double max_turn = k % 4 == 0 ? 12 : 1.5;
    Trajectory m = twin::random_motion(random, 2, 10, max_turn);
    if (k % 2 && std::fabs(m.heading[1] - m.heading[0]) < 3.1) m.between = Interpolation::arc;
    const Segment segment = make_segment(view(m), 0, 0);
    const double a = random.uniform(m.t[0], m.t[1]), b = random.uniform(a, m.t[1]);
    const double angle = random.uniform(-M_PI, M_PI), reach = random.uniform(0.1, 10);
    const auto point = [&](long double t) {
      const twin::OraclePose p = twin::pose_between(m, 0, t);
      return twin::Point{p.x + reach * std::cos(p.heading + angle),
                         p.y + reach * std::sin(p.heading + angle)};
    };
    const double bound = sagitta_upper(segment, reach, a, place(segment, a), b, place(segment, b));
    const twin::Point from = point(a), to = point(b);
    for (int i = 1; i < 8; ++i) {
      const long double s = i / 8.0L, t = a + s * (static_cast<long double>(b) - a);
      const twin::Point p = point(t);
      const long double off =
          std::hypot(p.x - ((1 - s) * from.x + s * to.x), p.y - ((1 - s) * from.y + s * to.y));
      ASSERT_LE(off, bound + 1e-12L) << k;
      if (bound > 1e-6) closest = std::max(closest, static_cast<double>(off / bound));
    }
  }
  EXPECT_GT(closest, 0.98);
}

// Lemma 2: distance_lower is below the distance at every time of the interval, for any direction.
TEST(Rule, DistanceLowerIsBelowEveryDistance) {
  Random random(22);
  int useful = 0;
  for (int k = 0; k < test::cases(8000); ++k) {
    const Footprint a = twin::random_footprint(random), b = twin::random_footprint(random);
    Trajectory ma = twin::random_motion(random, 2, 9, 1), mb = twin::random_motion(random, 2, 9, 1);
    mb.t = ma.t;
    if (k % 3 == 0) ma.between = Interpolation::arc;
    const Segment sa = make_segment(view(ma), 0, a.core_reach());
    const Segment sb = make_segment(view(mb), 0, b.core_reach());
    const double t0 = ma.t[0], t1 = ma.t[1];
    const PairQuery q{&a.pieces()[0], &b.pieces()[0], &sa, &sb, 1e-12, 0};
    const double angle = random.uniform(-M_PI, M_PI);
    const Separation seen = separation(*q.piece_a, place(sa, t0), *q.piece_b, place(sb, t0));
    const Vec2 n = k % 2 ? seen.direction : Vec2{std::cos(angle), std::sin(angle)};
    const Placed A0 = place(sa, t0), B0 = place(sb, t0), A1 = place(sa, t1), B1 = place(sb, t1);
    const double lower =
        distance_lower(q, n, A0, B0, A1, B1, loss_upper(q, t0, A0, B0, t1, A1, B1));
    useful += lower > 0;
    for (int i = 0; i <= 10; ++i) {
      const long double t = t0 + (static_cast<long double>(t1) - t0) * i / 10;
      const auto pa = twin::placed(a, twin::oracle_pose(ma, t));
      const auto pb = twin::placed(b, twin::oracle_pose(mb, t));
      const long double d = twin::distance_of({pa[0]}, {pb[0]});
      if (lower > 0) {
        ASSERT_GE(d, lower) << k;
      }
    }
  }
  if (test::cases(8000) >= 1000) {
    EXPECT_GT(useful, test::cases(8000) / 10);
  }
}

TEST(Rule, DeviationHoldsEveryBoundedMotion) {
  Trajectory m;
  m.t = {1, 1.5}, m.x = {0, 3}, m.y = {0, 0}, m.heading = {0, 0};
  m.between = Interpolation::bounded_acceleration;
  m.max_acceleration = 5;
  const Segment segment = make_segment(view(m), 0, 2);
  Random random(23);
  for (int k = 0; k < test::cases(2000); ++k) {
    const double a = random.uniform(1, 1.5), b = random.uniform(a, 1.5);
    const double bound = deviation_upper(segment, a, b);
    // The extreme motion: full acceleration one way, a/2 (t - t0)(t1 - t) off the line.
    for (int i = 0; i <= 10; ++i) {
      const double t = a + (b - a) * i / 10;
      EXPECT_LE(0.5 * 5 * (t - 1) * (1.5 - t), bound);
    }
  }
}

// The kernels' cosine and sine are within 2^-51 over all headings that are let in.
TEST(Rule, KernelsAreAccurate) {
  Random random(24);
  constexpr int kCount = 512;
  std::vector<double> x(kCount), y(kCount), heading(kCount);
  double worst = 0;
  for (int round = 0; round < test::cases(200); ++round) {
    const double range = round % 3 == 0 ? 4 : round % 3 == 1 ? 1000 : kLargestHeading;
    for (int i = 0; i < kCount; ++i) {
      x[static_cast<std::size_t>(i)] = random.uniform(-100, 100);
      y[static_cast<std::size_t>(i)] = random.uniform(-100, 100);
      heading[static_cast<std::size_t>(i)] = random.uniform(-range, range);
    }
    if (round == 0)  // multiples of a quarter turn are where reduction cancels
      for (int i = 0; i < kCount; ++i) heading[static_cast<std::size_t>(i)] = (i - 256) * M_PI / 2;
    for (const simd::InstructionSet set : test::instruction_sets()) {
      const BoxesKernel& kernel = boxes_kernel.of(set);
      std::vector<double> out(6 * kCount);
      double* v = out.data();
      const PoseBoxes boxes{
          v, v + kCount, v + 2 * kCount, v + 3 * kCount, v + 4 * kCount, v + 5 * kCount};
      kernel.place(kCount, {x.data(), y.data(), heading.data()}, {1, 0.2, 2, 1, 3}, 10, 20, boxes);
      EXPECT_EQ(kernel.largest(kCount, x.data()), largest(x.data(), kCount));
      for (std::size_t i = 0; i < kCount; ++i) {
        const long double h = heading[i];
        worst = std::max(worst, static_cast<double>(std::fabs(out[i] - std::cos(h))));
        worst = std::max(worst, static_cast<double>(std::fabs(out[kCount + i] - std::sin(h))));
      }
    }
  }
  EXPECT_LT(worst, 0x1p-51);
  x[100] = std::nan("");
  for (const simd::InstructionSet set : test::instruction_sets())
    EXPECT_FALSE(boxes_kernel.of(set).largest(kCount, x.data()) <= 1e300);
}

// The rounding bound: computed projections against long double, at the largest coordinates.
TEST(Rule, RoundingBoundHoldsWithRoom) {
  Random random(25);
  double worst = 0;
  for (int k = 0; k < test::cases(20000); ++k) {
    const double scale = std::pow(10, random.uniform(0, 7)),
                 spin = std::pow(10, random.uniform(0, 5));
    const Footprint a = twin::random_footprint(random);
    Trajectory m = twin::random_motion(random, 2, 1, 3);
    for (std::size_t i = 0; i < 2; ++i) {
      m.x[i] = scale * random.uniform(-1, 1), m.y[i] = scale * random.uniform(-1, 1);
      m.heading[i] = std::min(spin, kLargestHeading) * random.uniform(-1, 1);
    }
    if (k % 3 == 0) {
      m.between = Interpolation::arc;
      m.heading[1] = m.heading[0] + random.uniform(-3, 3);
    }
    const double largest_heading = std::max(std::fabs(m.heading[0]), std::fabs(m.heading[1]));
    const double bound =
        rounding_bound(std::max(largest(m.x.data(), 2), largest(m.y.data(), 2)) + a.reach(),
                       largest_heading, a.core_reach());
    const Segment segment = make_segment(view(m), 0, a.core_reach());
    const double t = random.uniform(m.t[0], m.t[1]);
    const double angle = random.uniform(-M_PI, M_PI);
    const Vec2 n{std::cos(angle), std::sin(angle)};
    const Extent got = extent(a.pieces()[0], place(segment, t), n);
    const twin::Blob blob = twin::placed(a, twin::pose_between(m, 0, t))[0];
    long double low = 1e30L;
    for (const twin::Point p : blob.outline)
      low =
          std::min(low, static_cast<long double>(n.x) * p.x + static_cast<long double>(n.y) * p.y);
    worst = std::max(worst, static_cast<double>(std::fabs(got.low - low)) / bound);
  }
  EXPECT_LT(worst, 0.5);
  EXPECT_GT(worst, 1e-3);
}

}  // namespace
}  // namespace proven::spacetime
