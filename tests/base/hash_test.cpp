#include "proven/base/hash.h"

#include "support.h"

namespace proven {
namespace {

template <class... Values>
Hash128 hash_of(Values... values) {
  Hasher hasher;
  (hasher.add(values), ...);
  return hasher.finish();
}

TEST(Hasher, DependsOnEveryFieldAndBoundary) {
  using std::string_view;
  EXPECT_EQ(hash_of(1.0, 2.0), hash_of(1.0, 2.0));
  EXPECT_FALSE(hash_of(1.0, 2.0) == hash_of(2.0, 1.0));
  EXPECT_FALSE(hash_of(string_view("ab"), string_view("c")) ==
               hash_of(string_view("a"), string_view("bc")));
  EXPECT_EQ(hash_of(0.0), hash_of(-0.0));
  EXPECT_EQ(hash_of(1.0).hex().size(), 32u);
}

}  // namespace
}  // namespace proven
