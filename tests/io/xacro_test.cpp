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
    return text.ok() ? text.value().urdf : "error: " + text.error().text();
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
      {"${[1, 2, 3][-1]} ${dict(a=5)['a']}", "3 5"},
      {"${'b' in ['a', 'b']}", "True"},
      {"${len([4, 5])} ${int(2.9)} ${float('1')}", "2 2 1.0"},
      {"$${x} costs $5", "${x} costs $5"},
      {"${floor(-1.5)} ${ceil(1.2)} ${sqrt(4)}", "-2 2 2.0"},
  };
  for (const auto& [text, expected] : kCases) EXPECT_EQ(value(text), expected) << text;
  EXPECT_EQ(std::stod(value("${sin(pi/6)*cos(0)+atan2(1,1)}")), std::sin(M_PI / 6) + M_PI / 4);
}

std::string property(const std::string& name, const std::string& value,
                     const std::string& more = "") {
  return "<xacro:property name='" + name + "' value=\"" + value + "\" " + more + "/>";
}

TEST_F(Xacro, PropertiesAreReadWhenUsed) {
  EXPECT_EQ(value("${b}", property("b", "${2*a}") + property("a", "3")), "6");
  EXPECT_EQ(value("${a}", property("a", "1") + "<xacro:property name='a' default='2'/>"), "1");
  EXPECT_EQ(
      value("${v[1]*2} ${d['k']}", property("v", "${[1, 2]}") + property("d", "${dict(k='w')}")),
      "4 w");
  EXPECT_EQ(value("${name}_link", property("name", "arm")), "arm_link");
  EXPECT_EQ(value("${a} ${b}", property("a", "0.10") + property("b", "'${a}_0'")), "0.1 0.1_0");
}

// A lazy property is evaluated where it is defined, once, and by the names that it uses: not by
// those of a macro that uses it, nor by the letters of its own name in a longer one.
TEST_F(Xacro, LazyPropertiesBelongWhereTheyAreDefined) {
  const std::string macro =
      "<xacro:macro name='m' params='x'><x v='${lazy}'/></xacro:macro><xacro:m x='50'/>";
  EXPECT_NE(expand(property("x", "1") + property("lazy", "${x*2}") + macro).find("v=\"2\""),
            std::string::npos);
  expect_error(property("lazy", "${only_in_macro*2}") +
                   "<xacro:macro name='m' params='only_in_macro'><x v='${lazy}'/></xacro:macro>"
                   "<xacro:m only_in_macro='50'/>",
               "there is no property 'only_in_macro'");
  EXPECT_EQ(value("${r}", property("r", "${radius/2}") + property("radius", "10")), "5.0");
  EXPECT_EQ(value("${a}", property("a", "1") + property("a", "${a+1}", "lazy_eval='false'")), "2");
  expect_error(property("a", "1") + property("a", "${a+1}") + "<x v='${a}'/>",
               "property 'a' needs itself; lazy_eval=\"false\" takes its former value");
}

TEST_F(Xacro, InitialValuesDoNotSeeOtherParameters) {
  EXPECT_NE(expand(property("a", "outer") +
                   "<xacro:macro name='m' params='a b:=${a}'><x v='${b}'/></xacro:macro>"
                   "<xacro:m a='5'/>")
                .find("v=\"outer\""),
            std::string::npos);
  expect_error(
      "<xacro:macro name='m' params='a b:=${a}'><x v='${b}'/></xacro:macro>\n"
      "<xacro:m a='5'/>",
      "bot.xacro:3: there is no property 'a'");
}

TEST_F(Xacro, MacrosInMacrosStayThere) {
  expect_error(
      "<xacro:macro name='m' params=''><xacro:macro name='inner' params=''><i/>"
      "</xacro:macro></xacro:macro><xacro:m/>\n<xacro:inner/>",
      "bot.xacro:3: <xacro:inner>, which no macro is named");
}

TEST_F(Xacro, ScopesOfProperties) {
  const std::string macros =
      "<xacro:macro name='inner' params=''><xacro:property name='p' value='${1+1}' scope='parent'/>"
      "<xacro:property name='g' value='7' scope='global'/></xacro:macro>"
      "<xacro:macro name='outer' params=''><xacro:inner/><y v='${p}'/></xacro:macro><xacro:outer/>";
  EXPECT_NE(expand(macros).find("<y v=\"2\""), std::string::npos);
  EXPECT_EQ(value("${g}", macros), "7");
  expect_error(macros + "<x v='${p}'/>", "there is no property 'p'");
  expect_error(property("a", "1", "scope='parent'"), "stands outside of a macro");
  expect_error(property("a", "1", "scope='gobal'"),
               "'scope' is local, parent or global, not 'gobal'");
}

TEST_F(Xacro, ArgumentsAreReplacedAnywhere) {
  XacroOptions options;
  options.arguments = {{"name", "bot"}, {"count", "7"}};
  const std::string text =
      "<x v='${$(arg count) * 2} -${$(arg count)}' w=\"${'$(arg name)' == 'bot'}\"/>";
  const std::string out = expand(text, options);
  EXPECT_NE(out.find("v=\"14 -7\" w=\"True\""), std::string::npos) << out;
  const auto file = folder_.write("root.xacro", "<robot name='$(arg name)_$(arg count)'/>");
  EXPECT_NE(must(expand_xacro(file, options)).urdf.find("bot_7"), std::string::npos);
  options.arguments["colour"] = "red";
  EXPECT_NE(error_text(expand_xacro(file, options)).find("it has no argument 'colour'"),
            std::string::npos);
  options.arguments = {{"nam", "bot"}};
  EXPECT_NE(expand("<xacro:arg name='name' default='x'/>", options)
                .find("it has no argument 'nam', did you mean 'name'?"),
            std::string::npos);
}

TEST_F(Xacro, ReadsYaml) {
  folder_.write("limits.yaml",
                "joint: {upper: !degrees 180, lower: !radians -pi/2, 1: one, names: [a, 'b']}\n"
                "text: 1e3\nyes: on\n");
  const std::string before = property("y", "${xacro.load_yaml('limits.yaml')}");
  EXPECT_EQ(value("${y['joint']['upper'] == pi} ${y.joint.lower == -pi/2} ${y.joint[1]}", before),
            "True True one");
  EXPECT_EQ(value("${y.joint.names} ${y.text} ${y[True]}", before), "['a', 'b'] 1e3 True");
  folder_.write("bad.yaml", "a: 1\nb: !degree 3\n");
  EXPECT_NE(expand("<x v=\"${load_yaml('bad.yaml')}\"/>")
                .find("bad.yaml:2: the tag '!degree' of '3' is not read"),
            std::string::npos);
  folder_.write("twice.yaml", "a: 1\na: 2\n");
  const auto file = folder_.write("twice.xacro", "<robot name=\"${load_yaml('twice.yaml').a}\"/>");
  const ExpandedXacro expanded = must(expand_xacro(file));
  EXPECT_NE(expanded.urdf.find("\"2\""), std::string::npos);
  ASSERT_EQ(expanded.notes.size(), 1u);
  EXPECT_NE(expanded.notes[0].find("twice.yaml:2: the key 'a' is there twice"), std::string::npos);
}

// What is not evaluated: comments and CDATA. What is not xacro's: other prefixes, which its
// reference copies as if they were no directives.
TEST_F(Xacro, TextsAndPrefixes) {
  const std::string out = expand(
      "<k/><!-- ${undefined} --><y><![CDATA[${x} <raw>]]></y><!-- of the macro -->\n"
      "<xacro:property name='a' value='1'/>");
  EXPECT_NE(out.find("<!-- ${undefined} -->"), std::string::npos) << out;
  EXPECT_NE(out.find("<![CDATA[${x} <raw>]]>"), std::string::npos) << out;
  EXPECT_EQ(out.find("of the macro"), std::string::npos) << out;
  expect_error("<m:property xmlns:m='http://www.ros.org/wiki/xacro' name='a' value='1'/>",
               "bot.xacro:2: <m:property>: the prefix of xacro must be 'xacro'");
  expect_error("<x v='&nothing;'/>", "bot.xacro:2: the entity '&nothing;' is not read");
  expect_error("<x v='a&#10;b'/>", "the reference '&#10;' is not read");
}

TEST_F(Xacro, AttributesAndElementsByName) {
  EXPECT_NE(expand("<xacro:element xacro:name='${\"lin\" + \"k\"}' name='a'><xacro:attribute "
                   "name='b' value='${1+1}'/></xacro:element>")
                .find("<link name=\"a\" b=\"2\"/>"),
            std::string::npos);
  expect_error("<x><xacro:if value='1'>\n<xacro:attribute name='b' value='2'/></xacro:if></x>",
               "bot.xacro:3: <xacro:attribute> stands in no element that it could be of");
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
                "<robot xmlns:xacro='http://www.ros.org/wiki/xacro'>"
                "<xacro:macro name='part' params='n'><link "
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
  expect_error("<x/>\n<xacro:element/>", "bot.xacro:3: <xacro:element> has no 'xacro:name'");
  expect_error("<x v='$(anon a)'/>", "$(anon a) is not read; there are $(arg NAME)");
  expect_error("<x v='$(eval int(1))'/>", "which ends at the first ')'; write ${...} instead");
  expect_error("<x v=\"${load_yaml('a')}\"/>", "is not found");
  expect_error("<x v='${lambda a: a}'/>", "'lambda' is not read here");
  expect_error("<x v='${true}'/>", "did you mean 'True'?");
  expect_error("<xacro:property name='width' value='1'/><x v='${widh}'/>",
               "there is no property 'widh', did you mean 'width'?");
  expect_error("<x v=\"${{'a': 1}['a']}\"/>", "write dict(a=1) for {'a': 1}");
  expect_error("<x v='${a}'/>", "there is no property 'a'");
  expect_error("<x v='${1 +}'/>", "ends too early");
  expect_error("<x v='${1'/>", "is not closed");
  expect_error("<x v='${1/0}'/>", "a division by zero");
  expect_error("<x v='${map(str, [1])}'/>", "an iterator has no text");
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
  folder_.write("self.xacro",
                "<robot xmlns:xacro='http://www.ros.org/wiki/xacro'><xacro:include "
                "filename='self.xacro'/></robot>");
  EXPECT_NE(expand("<xacro:include filename='self.xacro'/>")
                .find("self.xacro:1: files include each other"),
            std::string::npos);
}

}  // namespace
}  // namespace proven::test
