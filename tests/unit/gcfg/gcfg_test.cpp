#include "gcfg/gcfg.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace ccm {
namespace {

// The value of the only variable of "[s]\nname = TEXT".
std::string value_of(const std::string& text) {
  const auto sections = parse_gcfg("[s]\nname = " + text);
  if (!sections.ok()) return "FAULT " + sections.status().message();
  if (sections->size() != 1 || sections->front().variables.size() != 1) return "not one variable";
  return sections->front().variables.front().value.value_or("no value");
}

std::string gcfg_fault_of(const std::string& text) {
  const auto sections = parse_gcfg(text);
  return sections.ok() ? "" : sections.status().message();
}

TEST(GcfgTest, OS_18_20_21_22_33_SectionsAsTheyStandInTheFile) {
  const auto sections =
      parse_gcfg("[Global]\nA1-b = x\n[ lb \"Big \\\"one\\\" \\\\\" ]\n[Global]\na=y\na=z\n");
  ASSERT_TRUE(sections.ok()) << sections.status().message();
  ASSERT_EQ(sections->size(), 3U);
  EXPECT_EQ((*sections)[0].name, "Global");
  EXPECT_EQ((*sections)[0].line, 1U);
  EXPECT_EQ((*sections)[0].variables.at(0).name, "A1-b");
  EXPECT_EQ((*sections)[0].variables.at(0).line, 2U);
  EXPECT_EQ((*sections)[1].name, "lb");
  EXPECT_EQ((*sections)[1].subsection, "Big \"one\" \\");
  EXPECT_EQ((*sections)[2].line, 4U);
  EXPECT_EQ((*sections)[2].variables.size(), 2U);
  EXPECT_EQ((*sections)[2].variables.at(1).value, "z");
}

TEST(GcfgTest, OS_19_CommentsEndALine) {
  const auto sections =
      parse_gcfg("; one\n  # two\n[s] ; three\na = b # four\n\nc=d;five\n[t]# six");
  ASSERT_TRUE(sections.ok()) << sections.status().message();
  ASSERT_EQ(sections->size(), 2U);
  EXPECT_EQ((*sections)[0].variables.at(0).value, "b");
  EXPECT_EQ((*sections)[0].variables.at(1).value, "d");
}

TEST(GcfgTest, OS_23_to_26_Values) {
  for (const auto& [text, value] : std::vector<std::pair<std::string, std::string>>{
           {"a b  c \t \n", "a b  c"},
           {"", ""},
           {"  # nothing", ""},
           {"\"\"", ""},
           {"\" a \" b ", " a  b"},
           {"a\"b # c\"d", "ab # cd"},
           {"\"p#a;s\\\\s\\\"\\n\\t\" ", "p#a;s\\s\"\n\t"},
           {"\\\"a\\\"", "\"a\""},
           {"a \\\n  b", "a   b"},
           {"a \\\r\n  b\r\n", "a   b"},
           {"a \\\n", "a "},
           {"a\rb \"c\rd\"\r\n", "ab cd"},
           {"a = b [c]", "a = b [c]"},
           {"gr\u00fcn\u3000", "gr\u00fcn\u3000"},
       }) {
    EXPECT_EQ(value_of(text), value) << text;
  }
}

TEST(GcfgTest, OS_27_28_NoValueIsNotTheEmptyOne) {
  const auto sections = parse_gcfg("[s]\na\nb =\nc # more\nd");
  ASSERT_TRUE(sections.ok()) << sections.status().message();
  const auto& variables = sections->front().variables;
  ASSERT_EQ(variables.size(), 4U);
  EXPECT_EQ(variables[0].value, std::nullopt);
  EXPECT_EQ(variables[1].value, "");
  EXPECT_EQ(variables[2].value, std::nullopt);
  EXPECT_EQ(variables[3].value, std::nullopt);
}

TEST(GcfgTest, OS_32_FaultsHaveLineAndColumn) {
  for (
      const auto& [text, fault] : std::vector<std::pair<std::string, std::string>>{
          {"a = b", "line 1, column 1: expected [section] before the first name"},
          {"[s]\n 1a = b", "line 2, column 2: expected [section], a name or a comment"},
          {"[s]\n= b", "line 2, column 1: expected [section], a name or a comment"},
          {"[s]\na b", "line 2, column 3: expected = after a"},
          {"[s]\nauth_url = b",
           "line 2, column 5: expected = after auth; names have - instead of _"},
          {"[]", "line 1, column 2: expected the name of a section"},
          {"[s", "line 1, column 3: expected ] or a subsection in double quotes"},
          {"[s.t]", "line 1, column 3: expected ] or a subsection in double quotes"},
          {"[s] a = b", "line 1, column 5: expected the end of the line after ]"},
          {"[s \"\"]", "line 1, column 4: the name of a subsection is empty"},
          {"[s \"a", "line 1, column 4: the closing quote is missing"},
          {"[s \"a\nb\"]", "line 1, column 4: the closing quote is missing"},
          {R"([s "a\n"])", R"(line 1, column 6: a backslash here goes before \ or " only)"},
          {"[s]\na = \"b\nc\"", "line 2, column 5: the closing quote is missing"},
          {"[s]\na = b \"c", "line 2, column 7: the closing quote is missing"},
          {R"([s]
a = "\x")",
           R"(line 2, column 6: in quotes a backslash goes before \, ", n or t only: write \\ for one)"},
          {R"([s]
a = b\c)",
           R"(line 2, column 6: put the value into double quotes and write \\ for a backslash)"},
      }) {
    EXPECT_EQ(gcfg_fault_of(text), fault) << text;
  }
}

TEST(GcfgTest, OS_17_OnlyUtf8WithoutMark) {
  EXPECT_EQ(gcfg_fault_of(std::string("[s]\na = \0", 9)), "line 2, column 5: a NUL byte");
  for (const char* wrong :
       {"\xFF", "\xC3", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\x80"}) {
    EXPECT_EQ(gcfg_fault_of(std::string("[s]\na = ") + wrong),
              "line 2, column 5: this is not UTF-8")
        << wrong;
  }
  EXPECT_EQ(gcfg_fault_of("\xEF\xBB\xBF[s]"),
            "line 1, column 1: a byte-order mark; save the file as UTF-8 without one");
  EXPECT_EQ(gcfg_fault_of("[s]\n\u00a0a = b"),
            "line 2, column 1: expected [section], a name or a comment");
}

TEST(GcfgTest, FaultsShowNoPartOfAValue) {
  for (const char* text : {"[s]\npassword = pass\\word", "[s]\npassword = \"pass\\word\"",
                           "[s]\npassword = \"password"}) {
    EXPECT_EQ(gcfg_fault_of(text).find("pass"), std::string::npos) << gcfg_fault_of(text);
  }
}

}  // namespace
}  // namespace ccm
