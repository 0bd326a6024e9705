// Values that versions of YAML read differently are refused; those that all read alike are read.
#include <gtest/gtest.h>

#include "io/io_support.h"
#include "proven/io/document.h"

namespace proven::test {
namespace {

class Yaml : public testing::Test {
 protected:
  std::string error(const std::string& text) {
    return error_text(read_document_with(text, [](const io::Node&) {}));
  }
  Result<void> read_document_with(const std::string& text,
                                  const std::function<void(const io::Node&)>& read) {
    return io::read_document_with(folder_.write("a.yaml", text), read);
  }
  TemporaryFolder folder_;
};

TEST_F(Yaml, AmbiguousValuesAreRefused) {
  for (const char* value :
       {"010",   "-010",  "+07",  "00",         "0_1",    "0o10",  "0x10",  "0X1f", "0b11",
        "1_000", "1_0.5", "1:30", "-190:20:30", "1:30.5", "yes",   "Yes",   "NO",   "no",
        "on",    "Off",   "True", "FALSE",      ".inf",   "-.inf", "+.INF", ".nan", ".NaN"})
    for (const std::string& text :
         {std::string("a: ") + value + "\n", std::string("a: [1, ") + value + "]\n",
          std::string("- ") + value + "\n"}) {
      EXPECT_NE(error(text).find("versions of YAML differ"), std::string::npos) << text;
      EXPECT_NE(error(text).find("a.yaml:1:"), std::string::npos) << error(text);
    }
}

TEST_F(Yaml, WhatAllReadAlikeIsRead) {
  for (const auto& [value, number] : std::vector<std::pair<std::string, double>>{{"0", 0},
                                                                                 {"-0", 0},
                                                                                 {"0.5", 0.5},
                                                                                 {"00.5", 0.5},
                                                                                 {"1e-3", 1e-3},
                                                                                 {"10", 10},
                                                                                 {".5", 0.5},
                                                                                 {"+3.", 3}}) {
    double read = -1;
    EXPECT_EQ(
        error_text(read_document_with("a: " + value + "\n",
                                      [&](const io::Node& root) { read = root.at("a").number(); })),
        "no error");
    EXPECT_EQ(read, number) << value;
  }
  for (const std::string value : {"'010'", "\"yes\"", "joint_1", "x:y", "a_1", "0_joint", "y", "n",
                                  "10:a", "1_x", "no_way", "0xg"}) {
    std::string read;
    EXPECT_EQ(
        error_text(read_document_with("a: " + value + "\n",
                                      [&](const io::Node& root) { read = root.at("a").string(); })),
        "no error")
        << value;
    EXPECT_FALSE(read.empty());
  }
}

TEST_F(Yaml, MergeKeysAliasesAndRepeatedKeysAreRefused) {
  EXPECT_NE(error("<<: {a: 1}\nb: 2\n").find("merge keys"), std::string::npos);
  EXPECT_NE(error("a: &x 1\nb: *x\n").find("aliases"), std::string::npos);
  EXPECT_NE(error("a: 1\na: 2\n").find("repeated key"), std::string::npos);
  EXPECT_NE(error("a: 1\n---\na: 2\n").find("more than one"), std::string::npos);
}

}  // namespace
}  // namespace proven::test
