#include "proven/base/numbers.h"

#include <clocale>

#include "support.h"

namespace proven {
namespace {

TEST(ParseDouble, AcceptsPlainDecimals) {
  EXPECT_EQ(parse_double("1.5"), 1.5);
  EXPECT_EQ(parse_double("+4"), 4.0);
  EXPECT_EQ(parse_double("-2e-3"), -2e-3);
  EXPECT_EQ(parse_double(".5"), 0.5);
  EXPECT_EQ(parse_double("1e-999"), 0.0);
  EXPECT_EQ(parse_double("0." + std::string(400, '0') + "1"), 0.0);
  EXPECT_EQ(parse_double("0." + std::string(400, '0') + "1e+1"), 0.0);
  EXPECT_EQ(parse_double("0e999"), 0.0);
}

TEST(ParseDouble, RefusesALargeNumberWithANegativeExponent) {
  EXPECT_FALSE(parse_double("1" + std::string(400, '0') + "e-1").has_value());
  EXPECT_FALSE(parse_double("-12" + std::string(400, '0') + ".5e-2").has_value());
}

TEST(ParseDouble, RefusesEverythingElse) {
  for (const char* text : {"", "+", "-", "+-1", "nan", "inf", "-inf", "infinity", "1,5", "1.5 ",
                           " 1.5", "1.5m", "0x10", "1e999", "-1e999", "1e", "1.2.3"})
    EXPECT_FALSE(parse_double(text).has_value()) << text;
}

TEST(ParseDouble, IgnoresTheLocale) {
  const std::string old = std::setlocale(LC_ALL, nullptr);
  if (!std::setlocale(LC_ALL, "de_DE.UTF-8")) std::setlocale(LC_ALL, "C");
  EXPECT_EQ(parse_double("1.5"), 1.5);
  EXPECT_FALSE(parse_double("1,5").has_value());
  std::setlocale(LC_ALL, old.c_str());
}

TEST(ParseInteger, IsStrict) {
  EXPECT_EQ(parse_integer("-12"), -12);
  EXPECT_FALSE(parse_integer("1.0").has_value());
  EXPECT_FALSE(parse_integer("99999999999999999999").has_value());
}

}  // namespace
}  // namespace proven
