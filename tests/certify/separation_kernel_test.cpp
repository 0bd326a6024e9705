// Every instruction set gives the bits of scalar code, on whatever numbers.
#include "certify/separation_kernel.h"

#include "certify/anchor.h"
#include "simd_support.h"
#include "support.h"

namespace proven {
namespace {

using test::same;

// Ordinary numbers, or any at all.
double value(Random& random, bool ordinary) {
  return ordinary ? random.uniform(-1, 1) : test::adversarial<double>(random, 10);
}

Vec3 vector(Random& random, bool ordinary) {
  return {value(random, ordinary), value(random, ordinary), value(random, ordinary)};
}

void fill(Random& random, bool ordinary, Lanes& lanes) {
  for (double& v : lanes.v) v = value(random, ordinary);
}

struct Input {
  Lanes n[3];
  Supports ends[2];
  BoxNode a, b;
  double sign[kLanes], here[kLanes], need[kLanes];
  Mat3 Ra, Rb;
  Vec3 turn_a, turn_b, between;
  BodyMotion motion;

  Input(Random& random, bool ordinary) {
    for (Lanes& lanes : n) fill(random, ordinary, lanes);
    for (Supports& s : ends) {
      for (int i = 0; i < 3; ++i) fill(random, ordinary, s.a[i]), fill(random, ordinary, s.b[i]);
      fill(random, ordinary, s.offset);
    }
    for (BoxNode* node : {&a, &b}) {
      node->centre = vector(random, ordinary);
      node->half = 0.3 * vector(random, ordinary);
    }
    for (int k = 0; k < kLanes; ++k) {
      sign[k] = random.index(2) ? 1 : -1;
      here[k] = value(random, ordinary), need[k] = value(random, ordinary);
    }
    for (Mat3* R : {&Ra, &Rb})
      for (Vec3& row : R->row) row = vector(random, ordinary);
    turn_a = vector(random, ordinary), turn_b = vector(random, ordinary);
    between = vector(random, ordinary);
    for (double& v : motion.spread) v = value(random, ordinary);
    motion.weight = std::fabs(value(random, ordinary));
    motion.spread_error = value(random, ordinary), motion.drift = value(random, ordinary);
    motion.acceleration = value(random, ordinary);
  }
};

// All that the kernel computes of an input, in one list.
std::vector<double> run(const SeparationKernel& kernel, const Input& in) {
  std::vector<double> all;
  const auto keep = [&](const double* values) { all.insert(all.end(), values, values + kLanes); };
  double sign[kLanes], out[kLanes];
  const int best = kernel.gaps(in.ends[0], in.a, in.b, sign, out);
  keep(sign), keep(out);
  all.push_back(best);
  SideSlacks slacks{};
  kernel.sides(in.ends, in.a, in.b, in.sign, in.here, in.need, slacks);
  keep(slacks.before.v), keep(slacks.after.v);
  all.insert(all.end(),
             {slacks.both, static_cast<double>(slacks.best_both),
              static_cast<double>(slacks.best_before), static_cast<double>(slacks.best_after)});
  Lanes directions[3];
  kernel.directions(in.Ra.row.data(), in.Rb.row.data(), in.between, directions);
  for (const Lanes& lanes : directions) keep(lanes.v);
  Supports supports;
  kernel.supports(in.n, {in.Ra.row.data(), in.turn_a}, {in.Rb.row.data(), in.turn_b}, in.between,
                  supports);
  for (int i = 0; i < 3; ++i) keep(supports.a[i].v), keep(supports.b[i].v);
  keep(supports.offset.v);
  std::copy(std::begin(in.here), std::end(in.here), out);
  kernel.accelerations(in.n, in.motion, out);
  keep(out);
  return all;
}

// The lane that is named has the greatest value, and is the first of equals.
TEST(SeparationKernel, NamesTheBestLane) {
  Random random(72);
  for (int k = 0; k < test::cases(2000); ++k) {
    Input in(random, true);
    if (k % 4 == 0) in.b = in.a;  // many lanes alike
    double sign[kLanes], out[kLanes];
    const int best = separation_kernel->gaps(in.ends[0], in.a, in.b, sign, out);
    EXPECT_EQ(best, std::max_element(out, out + kLanes) - out);
    SideSlacks slacks{};
    separation_kernel->sides(in.ends, in.a, in.b, in.sign, in.here, in.need, slacks);
    double both[kLanes];
    for (int i = 0; i < kLanes; ++i) both[i] = std::min(slacks.before.v[i], slacks.after.v[i]);
    EXPECT_EQ(slacks.best_both, std::max_element(both, both + kLanes) - both);
    EXPECT_EQ(slacks.both, both[slacks.best_both]);
    if (slacks.both > 0) continue;
    const auto greatest = [](const Lanes& x) { return std::max_element(x.v, x.v + kLanes) - x.v; };
    EXPECT_EQ(slacks.best_before, greatest(slacks.before));
    EXPECT_EQ(slacks.best_after, greatest(slacks.after));
  }
}

TEST(SeparationKernel, EveryInstructionSetGivesTheBitsOfScalarCode) {
  Random random(71);
  int apart = 0, overlapping = 0, nan = 0, infinite = 0;
  const int cases = test::cases(20000);
  for (int k = 0; k < cases; ++k) {
    const Input in(random, k % 2 == 0);
    const auto expected = run(separation_kernel.of(simd::InstructionSet::scalar), in);
    for (const simd::InstructionSet set : test::instruction_sets())
      ASSERT_TRUE(same(run(separation_kernel.of(set), in), expected)) << to_string(set) << " " << k;
    for (int i = kLanes; i < 2 * kLanes; ++i) {
      const double gap = expected[static_cast<std::size_t>(i)];
      apart += gap > 0, overlapping += gap <= 0, nan += std::isnan(gap),
          infinite += std::isinf(gap);
    }
  }
  for (const int count : {apart, overlapping, nan, infinite}) EXPECT_GT(count, cases / 10);
}

// The comparison itself must see a last bit, and the sign of a zero.
TEST(SeparationKernel, TheComparisonSeesBits) {
  EXPECT_FALSE(same(0.0, -0.0));
  EXPECT_FALSE(same(1.0, std::nextafter(1.0, 2.0)));
  EXPECT_FALSE(same(std::nan(""), 1.0));
  EXPECT_TRUE(same(std::nan(""), -std::nan("")));
}

}  // namespace
}  // namespace proven
