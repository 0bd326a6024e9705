#include "proven/base/result.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace proven {
namespace {

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> good(3);
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(good.value(), 3);
  const Result<int> bad(bad_input("no", "file.json"));
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().text(), "file.json: no");
}

TEST(Result, AskingForWhatItDoesNotHoldThrows) {
  Result<int> bad(bad_input("no number", "file.json"));
  EXPECT_THROW((void)bad.value(), std::logic_error);
  EXPECT_THROW((void)std::move(bad).value(), std::logic_error);
  try {
    (void)std::as_const(bad).value();
    FAIL();
  } catch (const std::logic_error& e) {
    EXPECT_NE(std::string(e.what()).find("file.json: no number"), std::string::npos);
  }
  EXPECT_THROW((void)Result<int>(3).error(), std::logic_error);
  EXPECT_THROW((void)Result<void>().error(), std::logic_error);
}

}  // namespace
}  // namespace proven
