// RFC 6902 patches.
#include "contract.hpp"

namespace ccm::contract {
namespace {

class JsonPatch : public Contract {
 protected:
  JsonPatch() {
    json object = node(unique("node"));
    object["metadata"]["annotations"] = {{"a/b", "slash"}, {"plain", "1"}};
    object["spec"] = {
        {"taints",
         {{{"key", "one"}, {"effect", "NoSchedule"}}, {{"key", "two"}, {"effect", "NoExecute"}}}}};
    node_ = create_node(object);
  }
  KubeResponse apply(const json& operations) {
    return api().patch(node_path(node_), kJsonPatch, operations);
  }
  json annotations(const json& operations) {
    return must(apply(operations)).at("metadata").at("annotations");
  }

  json node_;
};

TEST_F(JsonPatch, API_47_AddReplaceRemove) {
  const json result =
      annotations({{{"op", "add"}, {"path", "/metadata/annotations/new"}, {"value", "n"}},
                   {{"op", "replace"}, {"path", "/metadata/annotations/plain"}, {"value", "2"}},
                   {{"op", "remove"}, {"path", "/metadata/annotations/a~1b"}}});
  EXPECT_EQ(result, json({{"new", "n"}, {"plain", "2"}}));
}

TEST_F(JsonPatch, API_47_MoveAndCopy) {
  const json result = annotations({{{"op", "copy"},
                                    {"from", "/metadata/annotations/plain"},
                                    {"path", "/metadata/annotations/copied"}},
                                   {{"op", "move"},
                                    {"from", "/metadata/annotations/a~1b"},
                                    {"path", "/metadata/annotations/moved"}}});
  EXPECT_EQ(result, json({{"plain", "1"}, {"copied", "1"}, {"moved", "slash"}}));
}

TEST_F(JsonPatch, API_47_ListsByIndexAndAtTheEnd) {
  const json result = must(apply({{{"op", "remove"}, {"path", "/spec/taints/0"}},
                                  {{"op", "add"},
                                   {"path", "/spec/taints/-"},
                                   {"value", {{"key", "three"}, {"effect", "NoSchedule"}}}}}));
  const json& taints = result.at("spec").at("taints");
  ASSERT_EQ(taints.size(), 2U);
  EXPECT_EQ(taints.at(0).at("key"), "two");
  EXPECT_EQ(taints.at(1).at("key"), "three");
}

TEST_F(JsonPatch, API_47_TestGuardsThePatch) {
  const json guarded = {
      {{"op", "test"}, {"path", "/spec/taints/0/key"}, {"value", "one"}},
      {{"op", "replace"}, {"path", "/metadata/annotations/plain"}, {"value", "guarded"}}};
  EXPECT_EQ(annotations(guarded).at("plain"), "guarded");
}

TEST_F(JsonPatch, API_47_FailedTestIs422AndNothingIsWritten) {
  const KubeResponse response =
      apply({{{"op", "replace"}, {"path", "/metadata/annotations/plain"}, {"value", "no"}},
             {{"op", "test"}, {"path", "/spec/taints/0/key"}, {"value", "two"}}});
  EXPECT_EQ(response.status, 422);
  EXPECT_EQ(response.reason(), "Invalid");
  const json read = must(api().get(node_path(node_)));
  EXPECT_EQ(version(read), version(node_));
  EXPECT_EQ(read.at("metadata").at("annotations").at("plain"), "1");
}

TEST_F(JsonPatch, API_47_TestOfTheResourceVersionIsAPrecondition) {
  EXPECT_TRUE(
      apply({{{"op", "test"}, {"path", "/metadata/resourceVersion"}, {"value", version(node_)}},
             {{"op", "remove"}, {"path", "/spec/taints/1"}}})
          .ok());
  const KubeResponse stale =
      apply({{{"op", "test"}, {"path", "/metadata/resourceVersion"}, {"value", version(node_)}},
             {{"op", "remove"}, {"path", "/spec/taints/0"}}});
  EXPECT_EQ(stale.status, 422);
}

TEST_F(JsonPatch, API_47_MissingPathIs422) {
  EXPECT_EQ(apply({{{"op", "remove"}, {"path", "/metadata/annotations/absent"}}}).status, 422);
  EXPECT_EQ(apply({{{"op", "add"}, {"path", "/absent/map/key"}, {"value", "x"}}}).status, 422);
  EXPECT_EQ(apply({{{"op", "add"}, {"path", "/spec/taints/9"}, {"value", json::object()}}}).status,
            422);
}

TEST_F(JsonPatch, API_47_ReplaceOfAMissingKeyAddsIt) {
  // The RFC wants an error; the server's library is lenient for members of objects.
  EXPECT_EQ(
      annotations({{{"op", "replace"}, {"path", "/metadata/annotations/absent"}, {"value", "x"}}})
          .at("absent"),
      "x");
}

TEST_F(JsonPatch, API_47_MalformedPatchIsABadRequest) {
  EXPECT_EQ(apply({{"op", "add"}}).status, 400);
  EXPECT_FALSE(apply({{{"op", "invent"}, {"path", "/metadata/labels/x"}, {"value", "1"}}}).ok());
}

TEST_F(JsonPatch, API_9_TooManyOperationsAre413) {
  json operations = json::array();
  for (int i = 0; i <= 10000; ++i) {
    operations.push_back({{"op", "add"}, {"path", "/metadata/annotations/many"}, {"value", "1"}});
  }
  const KubeResponse response = apply(operations);
  EXPECT_EQ(response.status, 413);
  EXPECT_EQ(response.reason(), "RequestEntityTooLarge");
}

TEST_F(JsonPatch, API_50_PatchWithoutChangeKeepsTheVersion) {
  const json same =
      must(apply({{{"op", "replace"}, {"path", "/metadata/annotations/plain"}, {"value", "1"}}}));
  EXPECT_EQ(version(same), version(node_));
  EXPECT_EQ(version(must(apply(json::array()))), version(node_));
}

TEST_F(JsonPatch, API_49_PatchOnMissingObjectIsNotFound) {
  EXPECT_EQ(api().patch(kNodes + "/there-is-none", kJsonPatch, json::array()).status, 404);
}

}  // namespace
}  // namespace ccm::contract
