#include <ccm/json_answer.hpp>

#include <gtest/gtest.h>

#include <string>

namespace ccm {
namespace {

Status bad(std::string_view what) { return Status(Code::data_loss, std::string(what)); }

Result<std::string> name_in(std::string_view text) {
  return read_json_answer(
      text,
      [](const nlohmann::json& answer) -> Result<std::string> { return text_of(answer, "name"); },
      bad);
}

TEST(JsonAnswerTest, WhatCannotBeReadIsAStatus) {
  EXPECT_EQ(*name_in(R"({"name": "n"})"), "n");
  EXPECT_EQ(*name_in(R"({"name": null})"), "");
  EXPECT_EQ(*name_in("{}"), "");
  EXPECT_EQ(name_in(R"({"name": 1})").status().message(), "has a value of the wrong type");
  EXPECT_EQ(name_in("[]").status().message(), "is not a JSON object");
  EXPECT_EQ(name_in("<html>").status().message(), "is not a JSON object");
  EXPECT_EQ(name_in(std::string(65, '[')).status().message(), "nests deeper than 64 levels");
}

TEST(JsonAnswerTest, AnErrorsBodyMayBeAnything) {
  EXPECT_EQ(text_or_empty(read_error_body(R"({"error": "e"})"), "error"), "e");
  for (const std::string& body :
       {std::string("<html>"), std::string("[]"), std::string(R"({"error": 7})"),
        R"({"error": ")" + std::string(70'000, 'x') + R"("})", std::string(17, '[')}) {
    EXPECT_EQ(text_or_empty(read_error_body(body), "error"), "") << body.substr(0, 20);
  }
}

}  // namespace
}  // namespace ccm
