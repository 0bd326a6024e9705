// The fuzzers' seeds, what they once found, and small changes of both; ./test fuzz goes further.
#include "fuzz.h"

#include "proven/base/random.h"
#include "support.h"

namespace proven::fuzz {
namespace {

Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// One small change, of the kinds that readers stumble over.
std::string changed(std::string text, const std::string& other, Random& random) {
  const auto place = [&](const std::string& in) {
    return static_cast<std::size_t>(random.index(static_cast<int>(in.size()) + 1));
  };
  static const std::vector<std::string> words = {
      "",   "-1", "1e999", "nan", "4294967296", "0", "9223372036854775808",
      "\"", "<",  "{",     "[",   "]",          "}", ")",
      "(",  "\n", "-",     ".",   ",",          "&", "\\",
      "#"};
  const std::size_t at = place(text), length = std::min(text.size() - at, place(text) / 4);
  switch (random.index(6)) {
    case 0:
      return text.substr(0, at);
    case 1:
      return text.erase(at, length);
    case 2:
      return text.insert(at, text.substr(place(text) / 2, length));
    case 3:
      return text.insert(
          at, words[static_cast<std::size_t>(random.index(static_cast<int>(words.size())))]);
    case 4:
      return text.substr(0, at) + other.substr(place(other));
    default:
      if (at < text.size()) text[at] = static_cast<char>(random.index(256));
      return text;
  }
}

class Fuzzers : public testing::TestWithParam<std::size_t> {};

TEST_P(Fuzzers, KeepTheirPromises) {
  const Fuzzer& fuzzer = fuzzers()[GetParam()];
  const std::vector<std::string> seeds = seeds_of(fuzzer);
  ASSERT_FALSE(seeds.empty());
  int accepted = 0, refused = 0;
  for (const std::string& seed : seeds) ++(fuzzer.run(bytes_of(seed)) ? accepted : refused);
  EXPECT_GT(accepted, 0) << "no seed is a document that the reader takes";
  Random random(1);
  const auto any = [&]() -> const std::string& {
    return seeds[static_cast<std::size_t>(random.index(static_cast<int>(seeds.size())))];
  };
  for (int i = 0; i < test::cases(1000); ++i) {
    std::string text = any();
    for (int k = 1 + random.index(3); k > 0; --k) text = changed(text, any(), random);
    ++(fuzzer.run(bytes_of(text)) ? accepted : refused);
  }
  EXPECT_GT(refused, 0);
}

INSTANTIATE_TEST_SUITE_P(All, Fuzzers, testing::Range<std::size_t>(0, fuzzers().size()),
                         [](const auto& at) { return fuzzers()[at.param].name; });

}  // namespace
}  // namespace proven::fuzz
