#include "proven/base/floating_point.h"

#include <xmmintrin.h>

#include <cfenv>

#include "support.h"

namespace proven {
namespace {

TEST(FloatingPointEnvironment, DefaultIsAccepted) {
  EXPECT_TRUE(check_floating_point_environment().ok());
}

TEST(FloatingPointEnvironment, OtherRoundingIsRefused) {
  std::fesetround(FE_UPWARD);
  const bool ok = check_floating_point_environment().ok();
  std::fesetround(FE_TONEAREST);
  EXPECT_FALSE(ok);
}

TEST(FloatingPointEnvironment, FlushingSubnormalsIsRefused) {
  const unsigned saved = _mm_getcsr();
  for (const unsigned bits : {0x8000u /* FTZ */, 0x0040u /* DAZ */}) {
    _mm_setcsr(saved | bits);
    const bool ok = check_floating_point_environment().ok();
    _mm_setcsr(saved);
    EXPECT_FALSE(ok) << bits;
  }
}

}  // namespace
}  // namespace proven
