// The k-d tree against a scan with its own metric.
#include "proven/kinematics/nearest.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "proven/base/random.h"
#include "support.h"

namespace proven {
namespace {

double slow_distance(const std::vector<std::uint8_t>& periodic, std::span<const double> a,
                     std::span<const double> b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    double best = std::fabs(a[k] - b[k]);
    if (periodic[k])
      for (const double turn : {-2 * std::numbers::pi, 2 * std::numbers::pi})
        best = std::min(best, std::fabs(a[k] - b[k] + turn));
    sum += best * best;
  }
  return sum;
}

TEST(Nearest, SameAsAScan) {
  Random random(3);
  int wrapped = 0;
  for (int round = 0; round < test::cases(200); ++round) {
    const int dimension = 1 + random.index(20), count = 1 + random.index(300);
    WrapMetric metric;
    for (int k = 0; k < dimension; ++k) metric.periodic.push_back(random.index(2) == 0 ? 1 : 0);
    const auto n = static_cast<std::size_t>(dimension);
    std::vector<double> points(n * static_cast<std::size_t>(count)), query(n);
    for (double& v : points) v = random.uniform(-std::numbers::pi, std::numbers::pi);
    for (double& v : query) v = random.uniform(-std::numbers::pi, std::numbers::pi);
    const NearestTree tree(points, metric);
    const int k = 1 + random.index(12), skip = random.index(count);
    std::vector<std::pair<double, int>> all;
    for (int i = 0; i < count; ++i) {
      const auto p = std::span(points).subspan(static_cast<std::size_t>(i) * n, n);
      if (i != skip) all.push_back({slow_distance(metric.periodic, p, query), i});
      wrapped +=
          metric.squared(p, query) < slow_distance(std::vector<std::uint8_t>(n), p, query) - 1e-9;
    }
    std::sort(all.begin(), all.end());
    const auto found = tree.nearest(query, k, skip);
    ASSERT_EQ(found.size(), std::min<std::size_t>(all.size(), static_cast<std::size_t>(k)));
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto p = std::span(points).subspan(static_cast<std::size_t>(found[i]) * n, n);
      EXPECT_NEAR(slow_distance(metric.periodic, p, query), all[i].first, 1e-12);
      EXPECT_NE(found[i], skip);
    }
  }
  EXPECT_GT(wrapped, 100);
}

}  // namespace
}  // namespace proven
