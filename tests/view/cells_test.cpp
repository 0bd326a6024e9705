// The cells of a proof on their way to a page: packing, and merging when there are too many.
#include "tools/view/cells.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "proven/base/random.h"
#include "support.h"
#include "tools/view/packed.h"
#include "view/unpacked.h"

namespace proven::tools {
namespace {

TEST(Packed, Base64OfEveryLength) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(unpacked<double>(packed(std::vector{1.5, -2e-300})), (std::vector{1.5, -2e-300}));
}

TEST(Packed, LowerBoundsAreRoundedDown) {
  for (const double value : {0.1, 1 / 3.0, -0.1, 1e-9, 0.0, 1e-50})
    EXPECT_LE(static_cast<double>(rounded_down(value)), value);
  EXPECT_EQ(rounded_down(0.5), 0.5f);
}

// Leaves of a made-up proof: dyadic intervals of a few pairs of bodies, some split in space.
std::vector<ProofLeaf> random_leaves(Random& random, int count) {
  std::vector<ProofLeaf> leaves;
  for (int i = 0; i < count; ++i) {
    ProofLeaf leaf;
    leaf.segment = random.index(2);
    const double width = std::ldexp(1.0, -random.index(9));
    leaf.begin = width * random.index(static_cast<int>(1 / width));
    leaf.end = leaf.begin + width;
    leaf.anchor = leaf.begin + 0.5 * width * random.index(3);
    leaf.a = {random.index(3), random.index(4), {}, {}, {1}};
    leaf.b = {3 + random.index(2), 0, {}, {}, {0}};
    leaf.direction = {1, 0, 0};
    leaf.lower_begin = random.uniform(0, 1);
    leaf.lower_anchor = random.uniform(0, 1);
    leaf.lower_end = random.uniform(0, 1);
    leaves.push_back(leaf);
  }
  return leaves;
}

double bound_at(double begin, double anchor, double end, const double* lower, double t) {
  if (t < anchor) return lower[0] + (t - begin) / (anchor - begin) * (lower[1] - lower[0]);
  return t > anchor ? lower[1] + (t - anchor) / (end - anchor) * (lower[2] - lower[1]) : lower[1];
}

// Whatever a leaf says of a moment, some cell of the same bodies says no more of it.
TEST(ProofCells, MergedCellsCoverAndNeverClaimMore) {
  Random random(7);
  for (const std::size_t limit : {100000u, 300u, 40u, 1u}) {
    const std::vector<ProofLeaf> leaves = random_leaves(random, 600);
    ProofCells cells;
    for (const ProofLeaf& leaf : leaves) cells.collect(leaf);
    cells.reduce(limit);
    EXPECT_LE(cells.size(), std::max<std::size_t>(limit, 2 * 3 * 2));
    const auto json = cells.to_json();
    const auto begin = unpacked<double>(json["begin"]), end = unpacked<double>(json["end"]),
               anchor = unpacked<double>(json["anchor"]);
    const auto segment = unpacked<std::uint32_t>(json["segment"]),
               a = unpacked<std::uint32_t>(json["a"]), b = unpacked<std::uint32_t>(json["b"]),
               parts = unpacked<std::uint32_t>(json["parts"]);
    const auto lower = unpacked<float>(json["lower"]);
    const auto body = unpacked<std::int32_t>(json["nodes"]["body"]);
    std::size_t total = 0;
    for (const std::uint32_t n : parts) total += n;
    EXPECT_EQ(total, leaves.size());
    for (const ProofLeaf& leaf : leaves)
      for (const double share : {0.0, 0.3, 1.0}) {
        const double t = leaf.begin + share * (leaf.end - leaf.begin);
        const double told[3] = {leaf.lower_begin, leaf.lower_anchor, leaf.lower_end};
        const double truth = bound_at(leaf.begin, leaf.anchor, leaf.end, told, t);
        bool covered = false;
        for (std::size_t i = 0; i < cells.size() && !covered; ++i) {
          const double shown[3] = {lower[3 * i], lower[3 * i + 1], lower[3 * i + 2]};
          covered = segment[i] == leaf.segment && body[a[i]] == leaf.a.body &&
                    body[b[i]] == leaf.b.body && begin[i] <= leaf.begin && leaf.end <= end[i] &&
                    bound_at(begin[i], anchor[i], end[i], shown, t) <= truth + 1e-12;
        }
        EXPECT_TRUE(covered) << "limit " << limit << ", t " << t;
      }
  }
}

}  // namespace
}  // namespace proven::tools
