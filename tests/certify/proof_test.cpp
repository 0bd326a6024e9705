// The bytes of a proof against docs/certificate_format.md, section 4.
#include "certify/proof.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "proven/base/random.h"
#include "support.h"

namespace proven {
namespace {

using At = ProofTree::At;
using Split = ProofTree::Split;
using Bytes = std::vector<std::uint8_t>;

TEST(Proof, WritesTheExampleByteForByte) {
  ProofTree tree;
  const std::vector<int> roots = {tree.add(), tree.add()};
  const int halves = tree.split(roots[0], Split::time);
  // Completed in another order than written.
  tree.leaf(roots[1], At::begin, {-1, 2, 3});
  const int pieces = tree.split(halves + 1, Split::b, 1);
  tree.leaf(pieces, At::end, {0, -300, 7});
  const int children = tree.split(halves, Split::a);
  tree.leaf(children + 1, At::middle, {127, -127, 0});
  tree.leaf(children, At::middle, {127, -127, 0});
  Bytes out = {0xee};
  tree.write(roots, out);
  const Bytes expected = {0xee,                                // what was there stays
                          0x00,                                // split time
                          0x01,                                // first half: split A
                          0x19, 127,  0x81, 0,                 // leaf, middle, three i8
                          0x18,                                // leaf, middle, as before
                          0x02,                                // second half: split B
                          0x22, 0,    0,    0xd4, 0xfe, 7, 0,  // leaf, end, three i16
                          0x11, 0xff, 2,    3};                // leaf, begin, three i8
  EXPECT_EQ(out, expected);
}

TEST(Proof, WidthsAreTheNarrowestThatHold) {
  const auto bytes = [](const IntDirection& n) {
    ProofTree tree;
    const int root = tree.add();
    tree.leaf(root, At::begin, n);
    Bytes out;
    tree.write(std::vector<int>{root}, out);
    return out;
  };
  constexpr std::int64_t kLargest = std::int64_t{1} << 53;
  for (const auto& [size, code] : {std::pair<std::int64_t, int>{1, 0x11},
                                   {127, 0x11},
                                   {128, 0x12},
                                   {32767, 0x12},
                                   {32768, 0x13},
                                   {2147483647, 0x13},
                                   {2147483648, 0x14},
                                   {kLargest, 0x14}}) {
    for (const std::int64_t value : {size, -size}) {
      const Bytes out = bytes({0, value, 1});
      ASSERT_EQ(out[0], code) << value;
      const std::size_t width = std::size_t{1} << (code - 0x11);
      ASSERT_EQ(out.size(), 1 + 3 * width);
      std::uint64_t read = 0;
      for (std::size_t i = 0; i < width; ++i)
        read |= static_cast<std::uint64_t>(out[1 + width + i]) << (8 * i);
      if (width < 8 && (read >> (8 * width - 1)) != 0) read |= ~std::uint64_t{0} << (8 * width);
      EXPECT_EQ(static_cast<std::int64_t>(read), value);
    }
  }
}

// A reader written from the format's text.
struct Plain {
  int code = 0;  // 0, 1, 2 for splits; 3 + anchor for leaves
  IntDirection direction = {0, 0, 0};
  std::vector<Plain> children;
  bool operator==(const Plain&) const = default;
};

struct Reader {
  const Bytes& bytes;
  std::size_t at = 0;
  IntDirection last = {0, 0, 0};

  std::int64_t integer(int width) {
    std::uint64_t value = 0;
    for (int i = 0; i < width; ++i) value |= static_cast<std::uint64_t>(bytes.at(at++)) << (8 * i);
    switch (width) {
      case 1:
        return static_cast<std::int8_t>(value);
      case 2:
        return static_cast<std::int16_t>(value);
      case 4:
        return static_cast<std::int32_t>(value);
      default:
        return static_cast<std::int64_t>(value);
    }
  }
  Plain read() {
    const int code = bytes.at(at++);
    Plain node;
    if (code <= 2) {
      node.code = code;
      node.children.push_back(read());
      node.children.push_back(read());
      return node;
    }
    node.code = 3 + ((code - 0x10) >> 3);
    const int width = (code - 0x10) & 7;
    if (width > 0)
      for (std::int64_t& component : last) component = integer(1 << (width - 1));
    node.direction = last;
    return node;
  }
};

TEST(Proof, RandomTreesReadBackAsTheyWere) {
  Random random(11);
  int repeated = 0, leaves = 0;
  for (int n = test::cases(2000); n > 0; --n) {
    ProofTree tree;
    IntDirection last = {1, 0, 0};
    const std::function<Plain(int, int)> grow = [&](int node, int depth) {
      Plain plain;
      if (depth < 8 && random.index(5) < 3) {
        plain.code = random.index(3);
        const int first = tree.split(node, static_cast<Split>(plain.code));
        plain.children = {grow(first, depth + 1), grow(first + 1, depth + 1)};
        return plain;
      }
      const int anchor = random.index(3);
      if (random.index(3) > 0) {
        last = rounded_direction(random.unit_vector(), 1 + random.index(52));
        if (last == IntDirection{0, 0, 0}) last[2] = 1;
      } else {
        ++repeated;
      }
      ++leaves;
      plain.code = 3 + anchor;
      plain.direction = last;
      tree.leaf(node, static_cast<At>(anchor), last);
      return plain;
    };
    std::vector<int> roots;
    std::vector<Plain> expected;
    for (int i = 1 + random.index(4); i > 0; --i) {
      roots.push_back(tree.add());
      expected.push_back(grow(roots.back(), 0));
    }
    Bytes out;
    tree.write(roots, out);
    Reader reader{out};
    for (const Plain& plain : expected) ASSERT_EQ(reader.read(), plain);
    ASSERT_EQ(reader.at, out.size());
  }
  EXPECT_GT(repeated, leaves / 5);
}

TEST(Proof, WhatIsNoDirectionBecomesZero) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  for (const Vec3& n : {Vec3{}, Vec3{nan, 0, 0}, Vec3{0, 1, nan}, Vec3{inf, 0, 0}, Vec3{1, -inf, 0},
                        Vec3{nan, nan, nan}, Vec3{0, 5e-324, 0}})
    for (const int bits : {7, 15, 31, 52})
      EXPECT_EQ(rounded_direction(n, bits), (IntDirection{0, 0, 0}));
  EXPECT_EQ(rounded_direction({0, 0, -1e-300}, 7), (IntDirection{0, 0, -127}));
}

TEST(Proof, DirectionsKeepTheirSense) {
  Random random(12);
  for (int n = test::cases(100000); n > 0; --n) {
    const Vec3 direction = random.unit_vector();
    const int bits = 1 + random.index(52);
    const IntDirection rounded = rounded_direction(direction, bits);
    std::int64_t largest = 0;
    for (const std::int64_t c : rounded) largest = std::max(largest, std::abs(c));
    // Exact where a narrow width depends on it; with 52 bits the scale itself is rounded.
    ASSERT_LE(std::abs(largest - ((std::int64_t{1} << bits) - 1)), bits > 31 ? 1 : 0);
    // Every component is off by half a unit, and rounding.
    const double step = 1.8 * std::ldexp(1.0, -bits) + 0x1p-49;
    ASSERT_LT(max_abs(unit_of(rounded) - direction), step) << bits;
  }
}

}  // namespace
}  // namespace proven
