#include "proven/base/text.h"

#include "support.h"

namespace proven {
namespace {

TEST(XmlEscaped, ReplacesMarkupOnly) {
  EXPECT_EQ(xml_escaped("a < b && c > \"d\""), "a &lt; b &amp;&amp; c &gt; \"d\"");
  EXPECT_EQ(xml_escaped(""), "");
}

}  // namespace
}  // namespace proven
