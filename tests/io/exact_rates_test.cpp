// Rates that are read as the same control points, to the bit.
#include "io/exact_rates.h"

#include <cmath>
#include <vector>

#include "proven/base/random.h"
#include "support.h"

namespace proven::test {
namespace {

using io::exact_rates;
using io::PieceAt;

Knot random_knot(Random& random, bool rests) {
  const double size = std::pow(10, random.uniform(-9, 2));
  Knot knot{size * random.uniform(-1, 1)};
  if (rests) return knot;
  knot.velocity = std::pow(10, random.uniform(-6, 2)) * random.uniform(-1, 1);
  knot.acceleration = std::pow(10, random.uniform(-6, 2)) * random.uniform(-1, 1);
  return knot;
}

std::vector<double> control(const Knot& a, const Knot& b, double seconds, bool cubic) {
  std::vector<double> points = {a.position};
  const auto add = [&](const auto& between) {
    points.insert(points.end(), between.begin(), between.end());
  };
  if (cubic)
    add(cubic_between(a, b, seconds));
  else
    add(quintic_between(a, b, seconds));
  points.push_back(b.position);
  return points;
}

TEST(ExactRates, AreFoundWhereverPiecesCameFromRates) {
  Random random(4);
  int other = 0;
  for (int n = 0; n < cases(3000); ++n) {
    const bool cubic = n % 2 == 0, first = n % 7 == 0, last = n % 11 == 0;
    const Knot a = random_knot(random, n % 5 == 0), b = random_knot(random, n % 3 == 0),
               c = random_knot(random, false);
    const double before = std::pow(10, random.uniform(-6, 1)),
                 after = std::pow(10, random.uniform(-6, 1));
    const std::vector<double> x = control(a, b, before, cubic), y = control(b, c, after, cubic);
    const std::vector<double> none;
    const PieceAt left{first ? none : x, before}, right{last && !first ? none : y, after};
    const auto found = exact_rates(left, right, {0, b.velocity * (1 + 1e-9), b.acceleration});
    ASSERT_TRUE(found) << n;
    Knot again = *found;
    again.position = b.position;
    if (!left.control.empty()) {
      EXPECT_EQ(control(a, again, before, cubic), x) << n;
    }
    if (!right.control.empty()) {
      EXPECT_EQ(control(again, c, after, cubic), y) << n;
    }
    other += again.velocity != b.velocity;
  }
  EXPECT_GT(other, 0);  // several rates say the same pieces
}

TEST(ExactRates, AreNotFoundWhereRatesJump) {
  Random random(5);
  for (int n = 0; n < cases(300); ++n) {
    const bool cubic = n % 2 == 0;
    const Knot a = random_knot(random, false);
    Knot b = random_knot(random, false), other = b;
    (cubic || n % 4 == 1 ? other.velocity : other.acceleration) += 1000;
    const std::vector<double> x = control(a, b, 0.5, cubic), y = control(other, a, 0.25, cubic);
    EXPECT_FALSE(exact_rates({x, 0.5}, {y, 0.25}, b)) << n;
  }
}

}  // namespace
}  // namespace proven::test
