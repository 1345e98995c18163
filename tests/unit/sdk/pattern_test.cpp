#include <ccm/pattern.hpp>

#include <gtest/gtest.h>

#include <string>

namespace ccm {
namespace {

struct Case {
  const char* pattern;
  const char* text;
  bool fits;
};

void expect(const Case& one, const Result<Pattern>& pattern) {
  ASSERT_TRUE(pattern.ok()) << one.pattern << ": " << pattern.status().message();
  EXPECT_EQ(pattern->fits(one.text), one.fits) << one.pattern << " and " << one.text;
}

// The answers of Go's regexp for \A(?:PATTERN)\z.
TEST(PatternTest, RegularExpressionsMeanWhatTheyMeanToGo) {
  for (const Case& one : std::initializer_list<Case>{
           {"", "", true},
           {"", "a", false},
           {"abc", "abc", true},
           {"abc", "abcd", false},
           {"a|ab", "ab", true},
           {"ext|public|", "", true},
           {"(ext|pub)-[0-9]+", "pub-17", true},
           {"(ext|pub)-[0-9]+", "pub-", false},
           {"a.c", "a\nc", false},
           {"(?s)a.c", "a\nc", true},
           {"a{2,4}", "aaa", true},
           {"a{2,4}", "aaaaa", false},
           {"a{2,}", "a", false},
           {"a{2,}", "aaaaaa", true},
           {"a{3}", "aaa", true},
           {"a{0,2}b", "aab", true},
           {"a{0,2}b", "aaab", false},
           {"(ab){2}", "abab", true},
           {"a{,3}", "a{,3}", true},
           {"a{", "a{", true},
           {"x{0}y", "y", true},
           {"a*?b+?c??", "aab", true},
           {"[]a]+", "a]", true},
           {"[^]a]", "]", false},
           {"[^a]", "\n", true},
           {"[a-c-]+", "b-", true},
           {"[\\]\\\\]+", "]\\", true},
           {"[\\w.-]+", "ext_1.2-b", true},
           {"[^\\d]", "1", false},
           {"\\d\\D\\w\\W\\s\\S", "1a_- x", true},
           {"[[:alpha:]][[:^digit:]]", "ab", true},
           {"[[:xdigit:]]+", "fF09g", false},
           {"(?i)Ext-[a-c]", "eXT-B", true},
           {"(?i:a)b", "AB", false},
           {"a(?i)b|c", "C", true},
           {"(a(?i)b)c", "aBC", false},
           {"(?P<net>x)(?<no>y)(?:z)", "xyz", true},
           {"^abc$", "abc", true},
           {"a^b", "ab", false},
           {"(?m)a\n^b", "a\nb", true},
           {"(?m)a$\nb", "a\nb", true},
           {"\\Aa\\z", "a", true},
           {"\\bfoo\\b-\\Bx", "foo-x", false},
           {"\\bfoo\\b-\\bx", "foo-x", true},
           {"\\Qa.b*\\E+", "a.b**", true},
           {"\\Qa.b", "axb", false},
           {"\\x41\\x{62}\\103\\t", "AbC\t", true},
           {"\\.\\-\\_\\/", ".-_/", true},
           {"(|a)+", "aaa", true},
           {"(a*)*", "aab", false},
           {"((a?)+)+", "aaaa", true},
           {"ü.", "üé", true},
           {"[à-ü]", "é", true},
           {".", "\xf0\x9f\x98\x80", true},
           {"..", "\xf0\x9f\x98\x80", false},
       }) {
    expect(one, Pattern::regular_expression(one.pattern));
  }
}

TEST(PatternTest, WhatIsNoRegularExpressionIsRefusedWithAReason) {
  const std::pair<const char*, const char*> kWrong[] = {
      {"(", "has a ( without a )"},
      {"a)", "has a ) without a ("},
      {"[a", "has a [ without a ]"},
      {"*a", "has a repetition with nothing before it"},
      {"{2}", "has a repetition with nothing before it"},
      {"a|+", "has a repetition with nothing before it"},
      {"a**", "repeats a repetition"},
      {"a{2}{3}", "repeats a repetition"},
      {"a{3,2}", "has a repetition count that is none"},
      {"a{1001}", "has a repetition count that is none"},
      {"[b-a]", "has a range whose end is before its begin"},
      {"a\\", "ends with a backslash"},
      {"\\e", "has a \\ before a character that needs none"},
      {"(a)\\1", "refers to a group, which is not supported"},
      {"(a)\\8", "refers to a group, which is not supported"},
      {"(?=a)", "has a (? that is not known"},
      {"(?<!a)", "has a (? that is not known"},
      {"(?P<>a)", "has a group whose name is none"},
      {"[[:word", "has a [ without a ]"},
      {"[[:wrd:]]", "has a [: :] that is not known"},
      {"\\x{110000}", "has a \\x that is no character"},
      {"\\xg", "has a \\x that is no character"},
      {"\\pL", "uses a class of Unicode, which is not supported"},
  };
  for (const auto& [pattern, reason] : kWrong) {
    const auto refused = Pattern::regular_expression(pattern);
    ASSERT_FALSE(refused.ok()) << pattern;
    EXPECT_EQ(refused.status().message(), reason) << pattern;
    EXPECT_EQ(refused.status().error_class(), ErrorClass::invalid_spec);
  }
}

TEST(PatternTest, Globs) {
  for (const Case& one : std::initializer_list<Case>{
           {"", "", true},
           {"test-*", "test-", true},
           {"test-*", "test-1/2", false},
           {"test-**", "test-1/2", true},
           {"a*b*c", "abxbc", true},
           {"a*b*c", "abxb", false},
           {"t?st", "tést", true},
           {"[a-c]x[!0-9]", "bx-", true},
           {"[!a]", "a", false},
           {"[^a]", "b", true},
           {"[]x]", "]", true},
           {"[[:digit:]]", "7", true},
           {"[abc", "[abc", true},
           {"[a][b", "a[b", true},
           {"{one,two}-?", "two-x", true},
           {"{one,t*}", "three", true},
           {"{a,{b,c}d}", "cd", true},
           {"{a,}b", "b", true},
           {"{abc", "{abc", true},
           {"a}b,c", "a}b,c", true},
           {"\\*\\{a\\}", "*{a}", true},
           {"a.b", "axb", false},
           {"a+(b)|^$", "a+(b)|^$", true},
           {"a\\", "a\\", true},
       }) {
    expect(one, Pattern::glob(one.pattern));
  }
}

// The proven bound: size() + 1 steps for each character and for the end.
TEST(PatternTest, Issue37_NoPatternTakesMoreThanLinearTime) {
  const std::string hostile[] = {
      "((((((((a?)+)+)+)+)+)+)+)+",
      "(((((((((((((((a*)*)*)*)*)*)*)*)*)*)*)*)*)*)*)*",
      "(a|a)*(a|a)*(a|a)*(a|a)*(a|aa)*(.*.*)*.*.*.*",
      "(a?){100}a{100}",
      "(x+x+)+y|(a+a+)+b",
      "([a-zA-Z]+)*[0-9]",
  };
  for (const std::string& text : hostile) {
    const auto pattern = Pattern::regular_expression(text);
    ASSERT_TRUE(pattern.ok()) << text;
    ASSERT_LE(pattern->size(), Pattern::kMostSteps);
    for (const std::size_t length : {1U, 100U, 10'000U}) {
      uint64_t steps = 0;
      (void)pattern->fits(std::string(length, 'a') + "!", steps);
      EXPECT_LE(steps, (pattern->size() + 1) * (length + 2)) << text;
    }
  }
}

TEST(PatternTest, ProgramsAndPatternsHaveALargestSize) {
  for (const std::string& text :
       {std::string("(a{1,99}){1,99}"), std::string("((((a{9}){9}){9}){9}){9}"),
        std::string("((((){1000}){1000}){1000}x){501}"), std::string(501, 'a')}) {
    EXPECT_EQ(Pattern::regular_expression(text).status().message(), "is too large") << text;
  }
  EXPECT_EQ(Pattern::regular_expression("a{501}").status().message(), "is too large");
  EXPECT_TRUE(Pattern::regular_expression("(((){1000}){1000}){1000}").ok()) << "nothing, often";
  EXPECT_EQ(
      Pattern::regular_expression(std::string(60, '(') + std::string(60, ')')).status().message(),
      "has too many parentheses in each other");
  EXPECT_EQ(Pattern::glob(std::string(Pattern::kLongest + 1, 'a')).status().message(),
            "is too long");
  EXPECT_EQ(Pattern::glob(std::string(600, '?')).status().message(), "is too large");
  EXPECT_TRUE(Pattern::glob(std::string(400, '{')).ok()) << "none of them is closed";
  EXPECT_EQ(Pattern::glob(std::string(60, '{') + std::string(60, '}')).status().message(),
            "has too many braces in each other");
}

TEST(PatternTest, BytesThatAreNoUtf8CountOneByOne) {
  const auto three = Pattern::regular_expression("...");
  EXPECT_TRUE(three->fits("\xff\xc0\x80"));
  EXPECT_TRUE(three->fits("\xed\xa0\x80")) << "half of a pair";
  EXPECT_FALSE(three->fits("\xe2\x82\xac")) << "one character";
}

}  // namespace
}  // namespace ccm
