// xacro: what it expands to, said by hand from the language's description, and what is refused.
#include "proven/io/xacro.h"

#include <gtest/gtest.h>
#include <tinyxml2.h>

#include <cmath>

#include "io/io_support.h"
#include "proven/io/urdf.h"

namespace proven::test {
namespace {

class Xacro : public testing::Test {
 protected:
  std::string expand(const std::string& inside, const XacroOptions& options = {}) {
    const auto file = folder_.write(
        "bot.xacro", "<robot name=\"bot\" xmlns:xacro=\"http://www.ros.org/wiki/xacro\">\n" +
                         inside + "\n</robot>");
    const auto text = expand_xacro(file, options);
    return text.ok() ? text.value() : "error: " + text.error().text();
  }
  // What ${text} is, as the attribute of an element.
  std::string value(const std::string& text, const std::string& before = "") {
    const std::string out = expand(before + "<x v=\"" + text + "\"/>");
    tinyxml2::XMLDocument document;
    if (document.Parse(out.c_str()) != tinyxml2::XML_SUCCESS) return out;
    const auto* element = document.RootElement()->FirstChildElement("x");
    return element ? element->Attribute("v") : out;
  }
  void expect_error(const std::string& inside, const std::string& message) {
    const std::string out = expand(inside);
    EXPECT_TRUE(out.starts_with("error: ")) << inside << "\n" << out;
    EXPECT_NE(out.find(message), std::string::npos) << inside << "\n" << out;
    EXPECT_NE(out.find("bot.xacro"), std::string::npos) << out;
  }

  TemporaryFolder folder_;
};

TEST_F(Xacro, Expressions) {
  const std::pair<const char*, const char*> kCases[] = {
      {"plain", "plain"},
      {"${1 + 2 * 3}", "7"},
      {"${(1 + 2) * 3.0}", "9.0"},
      {"${7 / 2}", "3.5"},
      {"${-7 // 2}", "-4"},
      {"${-7 % 3}", "2"},
      {"${2 ** 3 ** 2}", "512"},
      {"${-2 ** 2}", "-4"},
      {"${2 ** -1}", "0.5"},
      {"${1e-3 + .5}", "0.501"},
      {"a${1}b${2}c", "a1b2c"},
      {"${'left' + '_' + str(3)}", "left_3"},
      {"${max(1, 2.5)} ${min(3, 2)} ${abs(-4)}", "2.5 2 4"},
      {"${radians(180) == pi}", "True"},
      {"${1 if 2 > 1 else 0}", "1"},
      {"${not False and 1 &lt; 2 &lt;= 2 or False}", "True"},
      {"${[1, 2, 3][-1]} ${{'a': 5}['a']}", "3 5"},
      {"${'b' in ['a', 'b']}", "True"},
      {"${len([4, 5])} ${int(2.9)} ${float('1')}", "2 2 1.0"},
      {"$${x} costs $5", "${x} costs $5"},
      {"${floor(-1.5)} ${ceil(1.2)} ${sqrt(4)}", "-2 2 2.0"},
  };
  for (const auto& [text, expected] : kCases) EXPECT_EQ(value(text), expected) << text;
  EXPECT_EQ(std::stod(value("${sin(pi/6)*cos(0)+atan2(1,1)}")), std::sin(M_PI / 6) + M_PI / 4);
}

TEST_F(Xacro, PropertiesAreReadWhenUsed) {
  EXPECT_EQ(value("${b}",
                  "<xacro:property name='b' value='${2*a}'/><xacro:property name='a' value='3'/>"),
            "6");
  EXPECT_EQ(value("${a}",
                  "<xacro:property name='a' value='1'/><xacro:property name='a' value='${a+1}'/>"),
            "2");
  EXPECT_EQ(
      value("${a}", "<xacro:property name='a' value='1'/><xacro:property name='a' default='2'/>"),
      "1");
  EXPECT_EQ(value("${v[1]*2} ${d.k}",
                  "<xacro:property name='v' value='${[1, 2]}'/><xacro:property name='d' "
                  "value=\"${{'k': 'w'}}\"/>"),
            "4 w");
  EXPECT_EQ(value("${name}_link", "<xacro:property name='name' value='arm'/>"), "arm_link");
  EXPECT_EQ(
      value("${a} ${b}",
            "<xacro:property name='a' value='0.10'/><xacro:property name='b' value='${a}0'/>"),
      "0.1 0.10");
}

TEST_F(Xacro, MacrosTakeParametersAndBlocks) {
  const std::string out = expand(R"(
<xacro:property name="w" value="9"/>
<xacro:macro name="part" params="name size:=2 long:='a b' w:=^ z:=^|7 *first **rest">
  <link name="${name}" size="${size}" long="${long}" w="${w}" z="${z}">
    <xacro:insert_block name="first"/><xacro:insert_block name="rest"/>
  </link>
</xacro:macro>
<xacro:part name="one"><origin xyz="${w} 0 0"/><g><a/><b/></g></xacro:part>
<xacro:part name="two" size="${1+4}" w="8"><origin/><g/></xacro:part>)");
  tinyxml2::XMLDocument document;
  ASSERT_EQ(document.Parse(out.c_str()), tinyxml2::XML_SUCCESS) << out;
  const auto* one = document.RootElement()->FirstChildElement("link");
  ASSERT_TRUE(one) << out;
  EXPECT_STREQ(one->Attribute("name"), "one");
  EXPECT_STREQ(one->Attribute("size"), "2");
  EXPECT_STREQ(one->Attribute("long"), "a b");
  EXPECT_STREQ(one->Attribute("w"), "9");
  EXPECT_STREQ(one->Attribute("z"), "7");
  EXPECT_STREQ(one->FirstChildElement("origin")->Attribute("xyz"), "9 0 0");
  EXPECT_TRUE(one->FirstChildElement("a") && one->FirstChildElement("b"));
  EXPECT_FALSE(one->FirstChildElement("g"));
  const auto* two = one->NextSiblingElement("link");
  EXPECT_STREQ(two->Attribute("size"), "5");
  EXPECT_STREQ(two->Attribute("w"), "8");
}

TEST_F(Xacro, ConditionsArgumentsIncludesAndPackages) {
  folder_.write("pack/package.xml", "<package><name>pack</name></package>");
  folder_.write("pack/urdf/part.xacro",
                "<robot><xacro:macro name='part' params='n'><link "
                "name='${prefix}${n}'/></xacro:macro></robot>");
  const std::string text = R"x(
<xacro:arg name="prefix" default="p_"/>
<xacro:property name="prefix" value="$(arg prefix)"/>
<xacro:include filename="$(find pack)/urdf/part.xacro"/>
<xacro:if value="${prefix == 'p_'}"><xacro:part n="a"/></xacro:if>
<xacro:unless value="false"><xacro:part n="b"/></xacro:unless>
<xacro:if value="0"><xacro:unknown/></xacro:if>)x";
  XacroOptions options;
  std::string out = expand(text, options);
  EXPECT_NE(out.find("p_a"), std::string::npos) << out;
  EXPECT_NE(out.find("p_b"), std::string::npos) << out;
  options.arguments["prefix"] = "left_";
  out = expand(text, options);
  EXPECT_EQ(out.find("left_a"), std::string::npos) << out;
  EXPECT_NE(out.find("left_b"), std::string::npos) << out;
}

// A macro that calls itself ends by a condition: a chain of links, read as any URDF.
TEST_F(Xacro, ARobotOfARecursion) {
  const std::string out = expand(R"(
<link name="l0"/>
<xacro:macro name="chain" params="i n">
  <link name="l${i}"><collision><geometry><box size="${0.1*i} 0.1 0.1"/></geometry></collision></link>
  <joint name="j${i}" type="revolute"><parent link="l${i-1}"/><child link="l${i}"/>
    <origin xyz="0 0 ${i*0.5}" rpy="${pi/2} 0 0"/><axis xyz="0 0 1"/><limit lower="${-pi}" upper="${radians(90)}" effort="1" velocity="1"/></joint>
  <xacro:if value="${i &lt; n}"><xacro:chain i="${i+1}" n="${n}"/></xacro:if>
</xacro:macro>
<xacro:chain i="1" n="5"/>)");
  const Robot robot = must(load_urdf(folder_.write("out.urdf", out)));
  ASSERT_EQ(robot.joints.size(), 5u);
  EXPECT_EQ(robot.joints[4].name, "j5");
  EXPECT_EQ(robot.joints[4].X_PJ.p.z, 2.5);
  EXPECT_EQ(robot.joints[0].limits.lower, -M_PI);
  EXPECT_EQ(robot.joints[0].limits.upper, M_PI / 2);
}

TEST_F(Xacro, RefusesByNameWithTheCommand) {
  expect_error("<x/>\n<xacro:element/>",
               "bot.xacro:3: <xacro:element> is not read; run: xacro bot.xacro");
  expect_error("<xacro:property name='a' value='1' scope='global'/>",
               "'scope' of <xacro:property> is not read");
  expect_error("<x v='$(eval 1)'/>", "$(eval 1) is not read; run: xacro");
  expect_error("<x v=\"${load_yaml('a')}\"/>", "load_yaml() is not read");
  expect_error("<x v='${a}'/>", "there is no property 'a'");
  expect_error("<x v='${1 +}'/>", "ends too early");
  expect_error("<x v='${1'/>", "is not closed");
  expect_error("<x v='${1/0}'/>", "a division by zero");
  expect_error("<x v='${[1,2]}'/>", "a list is not a text");
  expect_error("<x v='$(arg q)'/>", "argument 'q' has no value; give one with --arg q=VALUE");
  expect_error("<x v='$(find nowhere_at_all)'/>", "--package nowhere_at_all=FOLDER");
  expect_error("<xacro:nothing/>", "<xacro:nothing>, which no macro is named");
  expect_error("<xacro:include filename='none.xacro'/>", "is not found");
  expect_error("<xacro:if value='perhaps'><x/></xacro:if>", "is neither true nor false");
  expect_error(
      "<xacro:property name='a' value='${b}'/><xacro:property name='b' value='${a}'/><x v='${a}'/>",
      "needs itself");
  const std::string macro = "<xacro:macro name='m' params='p *b'><y/></xacro:macro>\n";
  expect_error(macro + "<xacro:m><z/></xacro:m>", "bot.xacro:3: <xacro:m> needs 'p'");
  expect_error(macro + "<xacro:m p='1'/>", "needs a block for 'b'");
  expect_error(macro + "<xacro:m p='1' q='2'><z/></xacro:m>", "has no parameter 'q'");
  expect_error(macro + "<xacro:m p='1'><z/><z/></xacro:m>", "takes no further block");
}

// Bombs end.
TEST_F(Xacro, EndsWhereItWouldNot) {
  expect_error("<xacro:macro name='m' params=''><xacro:m/></xacro:macro><xacro:m/>",
               "more than 100 deep");
  std::string text = "<xacro:macro name='m0' params=''><y/></xacro:macro>\n";
  for (int i = 1; i < 30; ++i)
    text += "<xacro:macro name='m" + std::to_string(i) + "' params=''><xacro:m" +
            std::to_string(i - 1) + "/><xacro:m" + std::to_string(i - 1) + "/></xacro:macro>\n";
  expect_error(text + "<xacro:m29/>", "more than 2000000 nodes");
  expect_error("<x v='${" + std::string(500, '(') + "1" + std::string(500, ')') + "}'/>",
               "more than 100 levels");
  folder_.write("self.xacro", "<robot><xacro:include filename='self.xacro'/></robot>");
  EXPECT_NE(expand("<xacro:include filename='self.xacro'/>")
                .find("self.xacro:1: files include each other"),
            std::string::npos);
}

}  // namespace
}  // namespace proven::test
