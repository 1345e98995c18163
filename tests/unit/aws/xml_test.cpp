#include "aws/api/xml.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace ccm::aws {
namespace {

std::string xml_fault(const std::string& text, const XmlLimits& limits = {}) {
  return XmlDocument::parse(text, {}, limits).status().message();
}

TEST(AwsXmlTest, ElementsListsAndTexts) {
  const auto document = XmlDocument::parse(
      "<?xml version=\"1.0\"?>\n<R xmlns=\"x\">\n <set>\n  <item><id>i-1</id><n> 42 </n></item>"
      "<item><id>a &lt;&#x41;&amp;</id><on>true</on></item>\n </set><empty/>\n</R>");
  ASSERT_TRUE(document.ok()) << document.status().message();
  const XmlElement root = document->root();
  EXPECT_EQ(root.name(), "R");
  std::vector<std::string> ids;
  for (const XmlElement item : root.list("set")) ids.push_back(item.text("id"));
  EXPECT_EQ(ids, (std::vector<std::string>{"i-1", "a <A&"}));
  const XmlElement first = *root.list("set").begin();
  EXPECT_EQ(first.number("n"), 42);
  EXPECT_EQ(first.number("id"), std::nullopt);
  EXPECT_FALSE(first.flag("on"));
  EXPECT_TRUE((*++root.list("set").begin()).flag("on"));
  EXPECT_TRUE(root.list("set").empty() == false && root.list("none").empty());
  EXPECT_TRUE(root.child("empty"));
  EXPECT_FALSE(root.child("none"));
  EXPECT_EQ(root.child("none").child("deeper").text("x"), "");
  EXPECT_EQ(root.text("set"), "") << "blanks between children are no text";
}

TEST(AwsXmlTest, AWS_159_SkippedElementsLeaveNothing) {
  const auto document = XmlDocument::parse("<R><a><b><a>1</a></b></a><c>2</c><a>3</a></R>", {"a"});
  ASSERT_TRUE(document.ok());
  int children = 0;
  for (const XmlElement child : document->root().children()) {
    EXPECT_EQ(child.name(), "c");
    ++children;
  }
  EXPECT_EQ(children, 1);
}

TEST(AwsXmlTest, WhatIsNoDocumentOrTooMuchIsRefused) {
  EXPECT_EQ(xml_fault(""), "is not well formed: no element found");
  EXPECT_EQ(xml_fault("<a>\n<b></a>"), "is not well formed: mismatched tag");
  EXPECT_NE(xml_fault("<a>&unknown;</a>"), "");
  EXPECT_NE(xml_fault(std::string("<a>\0</a>", 8)), "");
  EXPECT_EQ(xml_fault("<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>"),
            "has a document type declaration");
  std::string deep;
  for (int i = 0; i < 40; ++i) deep += "<a>";
  EXPECT_EQ(xml_fault(deep), "has more than 32 levels");
  EXPECT_EQ(xml_fault("<a><b/><b/></a>", {1'000, 2, 32, 10}), "has more than 2 elements");
  EXPECT_EQ(xml_fault("<a><b/><c/></a>", {1'000, 10, 32, 2}), "has more than 2 different names");
  EXPECT_EQ(xml_fault("<a><b/><c/></a>", {10, 10, 32, 2}), "has more than 10 bytes");
}

}  // namespace
}  // namespace ccm::aws
