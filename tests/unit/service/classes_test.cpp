// The table of load balancer classes.
#include "service/classes.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace ccm::service {
namespace {

TEST(ClassTableTest, SVC_7_WithoutATableServicesWithoutAClassAreServed) {
  const ClassTable table;
  ASSERT_NE(table.find(std::nullopt), nullptr);
  EXPECT_TRUE(table.find(std::nullopt)->parameters.empty());
  EXPECT_EQ(table.find("example.com/internal"), nullptr);
  EXPECT_EQ(table.find(""), nullptr);
}

TEST(ClassTableTest, OnlyClassesOfTheTableAreServed) {
  const auto table = ClassTable::parse(
      R"({"classes": [{"name": "example.com/internal", "parameters": {"b": "2", "a": "1"}}]})");
  ASSERT_TRUE(table.ok()) << table.status().message();
  EXPECT_EQ(table->find(std::nullopt), nullptr);
  EXPECT_EQ(table->find("example.com/other"), nullptr);
  const LoadBalancerClass* found = table->find("example.com/internal");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->parameters, (std::vector<Label>{{"a", "1"}, {"b", "2"}}));
}

TEST(ClassTableTest, TheDefaultIsAlsoForServicesWithoutAClass) {
  const auto table = ClassTable::parse(
      R"({"classes": [{"name": "x"}, {"name": "y", "default": true, "parameters": {"k": "v"}}]})");
  ASSERT_TRUE(table.ok()) << table.status().message();
  ASSERT_NE(table->find(std::nullopt), nullptr);
  EXPECT_EQ(table->find(std::nullopt)->name, "y");
  EXPECT_EQ(table->find("x")->name, "x");
}

TEST(ClassTableTest, WhatIsWrongIsSaid) {
  const std::vector<std::pair<const char*, const char*>> cases{
      {"", "must hold"},
      {"[]", "must hold"},
      {R"({"classes": {}})", "must hold"},
      {R"({"classes": [], "more": 1})", "must hold"},
      {R"({"classes": []})", "is empty"},
      {R"({"classes": [1]})", "must be an object"},
      {R"({"classes": [{"name": ""}]})", "needs a \"name\""},
      {R"({"classes": [{"name": 1}]})", "\"name\" is not known or of the wrong type"},
      {R"({"classes": [{"name": "x", "parametres": {}}]})", "\"parametres\" is not known"},
      {R"({"classes": [{"name": "x", "parameters": {"k": 1}}]})", "\"k\" must be a text"},
      {R"({"classes": [{"name": "x"}, {"name": "x"}]})", "is there twice"},
      {R"({"classes": [{"name": "x", "default": true}, {"name": "y", "default": true}]})",
       "two classes are the default"}};
  for (const auto& [text, expected] : cases) {
    const auto table = ClassTable::parse(text);
    ASSERT_FALSE(table.ok()) << text;
    EXPECT_NE(table.status().message().find(expected), std::string::npos)
        << table.status().message();
  }
}

TEST(ClassTableTest, AFileThatIsNotThereIsNamed) {
  const auto table = ClassTable::read_file("/nonexistent/classes.json");
  ASSERT_FALSE(table.ok());
  EXPECT_NE(table.status().message().find("/nonexistent/classes.json cannot be read"),
            std::string::npos);
}

}  // namespace
}  // namespace ccm::service
