#include "api/patch/patch.hpp"

#include <gtest/gtest.h>

namespace sandbox {
namespace {

Json patched(const char* object, const char* patch) {
  return apply_json_patch(Json::parse(object), Json::parse(patch));
}

TEST(JsonPatch, API_47_AddsReplacesRemovesMovesAndCopies) {
  EXPECT_EQ(patched(R"({"a":{}})", R"([{"op":"add","path":"/a/b","value":1}])"),
            Json::parse(R"({"a":{"b":1}})"));
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"replace","path":"/a","value":2}])"),
            Json::parse(R"({"a":2})"));
  EXPECT_EQ(patched(R"({"a":1,"b":2})", R"([{"op":"remove","path":"/a"}])"),
            Json::parse(R"({"b":2})"));
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"move","from":"/a","path":"/b"}])"),
            Json::parse(R"({"b":1})"));
  EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"copy","from":"/a","path":"/b"}])"),
            Json::parse(R"({"a":1,"b":1})"));
}

TEST(JsonPatch, API_47_ListsTakeIndicesDashAndNegativeIndices) {
  EXPECT_EQ(patched("[1,3]", R"([{"op":"add","path":"/1","value":2}])"), Json::parse("[1,2,3]"));
  EXPECT_EQ(patched("[1]", R"([{"op":"add","path":"/-","value":2}])"), Json::parse("[1,2]"));
  EXPECT_EQ(patched("[1,2,3]", R"([{"op":"remove","path":"/-1"}])"), Json::parse("[1,2]"));
  EXPECT_THROW(patched("[1]", R"([{"op":"add","path":"/3","value":2}])"), PatchError);
  EXPECT_THROW(patched("[1]", R"([{"op":"remove","path":"/1"}])"), PatchError);
}

TEST(JsonPatch, API_47_EscapesInPathsAreResolved) {
  EXPECT_EQ(patched(R"({"a/b":1,"c~d":2})",
                    R"([{"op":"remove","path":"/a~1b"},{"op":"remove","path":"/c~0d"}])"),
            Json::object());
}

TEST(JsonPatch, API_47_FailedTestStopsThePatch) {
  EXPECT_NO_THROW(patched(R"({"a":1})", R"([{"op":"test","path":"/a","value":1}])"));
  EXPECT_THROW(patched(R"({"a":1})", R"([{"op":"test","path":"/a","value":2}])"), PatchError);
  EXPECT_NO_THROW(patched(R"({"a":1})", R"([{"op":"test","path":"/b","value":null}])"));
  EXPECT_THROW(patched(R"({"a":1})", R"([{"op":"test","path":"/b","value":1}])"), PatchError);
}

TEST(JsonPatch, API_47_ReplaceOfAMissingMemberAddsItRemoveFails) {
  EXPECT_EQ(patched("{}", R"([{"op":"replace","path":"/a","value":2}])"),
            Json::parse(R"({"a":2})"));
  EXPECT_THROW(patched("{}", R"([{"op":"remove","path":"/a"}])"), PatchError);
  EXPECT_THROW(patched("{}", R"([{"op":"add","path":"/a/b","value":1}])"), PatchError);
}

TEST(JsonPatch, API_47_MalformedPatchesAreToldApart) {
  try {
    patched("{}", R"({"op":"add"})");
    FAIL() << "accepted";
  } catch (const PatchError& error) {
    EXPECT_TRUE(error.malformed);
  }
  try {
    patched("{}", R"([{"op":"invent","path":"/a"}])");
    FAIL() << "accepted";
  } catch (const PatchError& error) {
    EXPECT_FALSE(error.malformed);
  }
}

TEST(JsonPatch, API_9_MoreThanTenThousandOperationsAreRefused) {
  Json patch = Json::array();
  Json operation = {{"op", "add"}, {"path", "/a"}, {"value", 1}};
  for (int i = 0; i < 10001; ++i) patch.push_back(operation);
  EXPECT_THROW(apply_json_patch(Json::object(), patch), PatchTooLarge);
  patch.erase(0);
  EXPECT_NO_THROW(apply_json_patch(Json::object(), patch));
}

TEST(MergePatch, API_47_MergesObjectsReplacesListsAndDeletesByNull) {
  Json object = Json::parse(R"({"a":{"b":1,"c":2},"l":[1,2]})");
  EXPECT_EQ(apply_merge_patch(object, Json::parse(R"({"a":{"b":null},"l":[3]})")),
            Json::parse(R"({"a":{"c":2},"l":[3]})"));
  EXPECT_THROW(apply_merge_patch(object, Json::array()), PatchError);
}

}  // namespace
}  // namespace sandbox
