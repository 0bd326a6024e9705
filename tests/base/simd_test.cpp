#include "proven/base/simd.h"

#include <algorithm>

#include "simd_support.h"
#include "support.h"

namespace proven {
namespace {

struct Toy {
  int (*answer)();
};
const Toy toys[] = {{[] { return 1; }}, {[] { return 2; }}, {[] { return 3; }}};

constinit simd::Kernel<Toy> toy("toy", {&toys[0], &toys[1], &toys[2]});

TEST(Simd, EarlyUseFindsTheScalarTable) {
  // As in the initialiser of another file, before this one has been registered.
  EXPECT_EQ(toy->answer(), 1);
}

TEST(Simd, AllKernelsFollowTheChoice) {
  const simd::Registration registration(toy);
  const auto kernels = simd::kernels();
  EXPECT_EQ(std::count_if(kernels.begin(), kernels.end(),
                          [](const simd::AnyKernel* k) { return k->name() == "toy"; }),
            1);
  EXPECT_EQ(toy->answer(), 1 + static_cast<int>(simd::used()));
  for (const simd::InstructionSet set : test::instruction_sets()) {
    const test::Forced forced(set);
    EXPECT_EQ(simd::used(), set);
    EXPECT_EQ(toy->answer(), 1 + static_cast<int>(set));
    EXPECT_EQ(toy.of(set).answer(), toy->answer());
  }
}

TEST(Simd, ScalarIsAlwaysThereAndTheWidestIsTaken) {
  EXPECT_TRUE(simd::available(simd::InstructionSet::scalar));
  EXPECT_TRUE(simd::check_environment().ok());
  if (!std::getenv("PROVEN_SIMD")) {
    EXPECT_EQ(simd::used(), test::instruction_sets().back());
  }
}

TEST(Simd, WhatTheMachineLacksIsRefused) {
  int refused = 0;
  for (const simd::InstructionSet set : simd::kInstructionSets) {
    if (simd::available(set)) continue;
    const simd::InstructionSet before = simd::used();
    const auto forced = simd::force(set);
    ASSERT_FALSE(forced.ok());
    EXPECT_NE(forced.error().text().find("scalar"), std::string::npos) << forced.error().text();
    EXPECT_EQ(simd::used(), before);
    ++refused;
  }
  if (refused == 0) GTEST_SKIP() << "this machine has all instruction sets";
}

}  // namespace
}  // namespace proven
