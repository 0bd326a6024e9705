// Every instruction set gives the bits of scalar code, on whatever numbers.
#include "spacetime/boxes_kernel.h"

#include "simd_support.h"
#include "support.h"

namespace proven::spacetime {
namespace {

using test::same;

constexpr int kCount = 48;  // whole masks; loops also run over parts of it

template <class Real>
std::vector<Real> values(Random& random, bool ordinary, int count = kCount) {
  std::vector<Real> list;
  for (int i = 0; i < count; ++i)
    list.push_back(ordinary ? static_cast<Real>(random.uniform(-3, 3))
                            : test::adversarial<Real>(random, 10));
  return list;
}

// Arrays of one kind of box, in one vector.
struct Floats {
  std::vector<float> v = std::vector<float>(4 * kCount);
  FloatBoxes boxes() {
    float* p = v.data();
    return {p, p + kCount, p + 2 * kCount, p + 3 * kCount};
  }
};

struct Input {
  bool ordinary;
  int n;
  std::vector<double> x, y, heading, extra, body, poses;
  std::vector<float> turned, move;
  Floats a, b;

  Input(Random& random, bool plain)
      : ordinary(plain),
        n(1 + random.index(kCount)),
        x(values<double>(random, plain)),
        y(values<double>(random, plain)),
        heading(values<double>(random, plain)),
        extra(values<double>(random, plain)),
        body(values<double>(random, plain, 8)),
        poses(values<double>(random, plain, 6 * kCount)),
        turned(values<float>(random, plain, 6 * kCount)),
        move(values<float>(random, plain, 5)) {
    a.v = values<float>(random, plain, 4 * kCount);
    b.v = values<float>(random, plain, 4 * kCount);
    // Boxes that are not empty, so that some meet.
    for (Floats* f : {&a, &b})
      for (std::size_t i = 0; i < kCount; ++i)
        if (plain) f->v[kCount + i] = f->v[i] + 1, f->v[3 * kCount + i] = f->v[2 * kCount + i] + 1;
  }
};

struct Output {
  std::vector<double> doubles;
  std::vector<float> floats;
  std::vector<unsigned> masks;
};

PoseBoxes pose_boxes(std::vector<double>& v) {
  double* p = v.data();
  return {p, p + kCount, p + 2 * kCount, p + 3 * kCount, p + 4 * kCount, p + 5 * kCount};
}

Output run(const BoxesKernel& kernel, Input in) {
  Output out;
  const auto keep = [&](const Floats& f) {
    out.floats.insert(out.floats.end(), f.v.begin(), f.v.end());
  };
  out.doubles = {kernel.largest(in.n, in.x.data())};
  const std::vector<double>& d = in.body;
  std::vector<double> placed(6 * kCount);
  kernel.place(in.n, {in.x.data(), in.y.data(), in.heading.data()}, {d[0], d[1], d[2], d[3], d[4]},
               d[5], d[6], pose_boxes(placed));
  out.doubles.insert(out.doubles.end(), placed.begin(), placed.end());
  for (const bool wider : {false, true}) {
    Floats swept;
    kernel.sweep(in.n, in.heading.data(), pose_boxes(in.poses), d[4],
                 wider ? in.extra.data() : nullptr, d[7], swept.boxes());
    keep(swept);
  }
  Floats moved, gathered;
  const float *t = in.turned.data(), *m = in.move.data();
  kernel.move(in.n, {t, t + kCount, t + 2 * kCount, t + 3 * kCount, t + 4 * kCount, t + 5 * kCount},
              {m[0], m[1], m[2], m[3]}, m[4], moved.boxes());
  keep(moved);
  kernel.gather(kCount / kLanes, in.a.boxes(), gathered.boxes());
  keep(gathered);
  for (int at = 0; at <= kCount - kLanes; at += 5) {
    out.masks.push_back(kernel.meet_each(in.a.boxes(), at, in.b.boxes(), kCount - kLanes - at));
    const FloatBoxes b = in.b.boxes();
    out.masks.push_back(
        kernel.meet_one(in.a.boxes(), at, {b.x_low[at], b.x_high[at], b.y_low[at], b.y_high[at]}));
  }
  return out;
}

TEST(BoxesKernel, EveryInstructionSetGivesTheBitsOfScalarCode) {
  Random random(72);
  std::int64_t meeting = 0, apart = 0, nan = 0, infinite = 0;
  const int cases = test::cases(20000);
  for (int k = 0; k < cases; ++k) {
    const Input in(random, k % 2 == 0);
    const Output expected = run(boxes_kernel.of(simd::InstructionSet::scalar), in);
    for (const simd::InstructionSet set : test::instruction_sets()) {
      const Output got = run(boxes_kernel.of(set), in);
      ASSERT_TRUE(same(got.doubles, expected.doubles)) << to_string(set) << " " << k;
      ASSERT_TRUE(same(got.floats, expected.floats)) << to_string(set) << " " << k;
      ASSERT_EQ(got.masks, expected.masks) << to_string(set) << " " << k;
    }
    for (const unsigned mask : expected.masks)
      meeting += std::popcount(mask), apart += kLanes - std::popcount(mask);
    for (const float v : expected.floats) nan += std::isnan(v), infinite += std::isinf(v);
  }
  for (const std::int64_t count : {meeting, apart, nan, infinite}) EXPECT_GT(count, cases);
}

}  // namespace
}  // namespace proven::spacetime
