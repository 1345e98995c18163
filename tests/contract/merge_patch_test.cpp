// RFC 7386 patches.
#include "contract.hpp"

namespace ccm::contract {
namespace {

class MergePatch : public Contract {
 protected:
  MergePatch() {
    json object = node(unique("node"));
    object["metadata"]["labels"]["keep"] = "1";
    object["metadata"]["labels"]["drop"] = "1";
    object["spec"] = {
        {"taints",
         {{{"key", "one"}, {"effect", "NoSchedule"}}, {{"key", "two"}, {"effect", "NoExecute"}}}}};
    node_ = create_node(object);
  }
  KubeResponse apply(const json& patch) {
    return api().patch(node_path(node_), kMergePatch, patch);
  }

  json node_;
};

TEST_F(MergePatch, API_55_NullDeletesAndTheRestIsMerged) {
  const json result = must(apply({{"metadata", {{"labels", {{"drop", nullptr}, {"new", "2"}}}}}}));
  const json& labels = result.at("metadata").at("labels");
  EXPECT_FALSE(labels.contains("drop"));
  EXPECT_EQ(labels.at("keep"), "1");
  EXPECT_EQ(labels.at("new"), "2");
}

TEST_F(MergePatch, API_55_NullOfAnAbsentKeyChangesNothing) {
  const json result = must(apply({{"metadata", {{"labels", {{"absent", nullptr}}}}}}));
  EXPECT_EQ(version(result), version(node_));
}

TEST_F(MergePatch, API_55_ListsAreReplacedWhole) {
  const json result =
      must(apply({{"spec", {{"taints", {{{"key", "three"}, {"effect", "NoSchedule"}}}}}}}));
  ASSERT_EQ(result.at("spec").at("taints").size(), 1U);
  EXPECT_EQ(result.at("spec").at("taints").at(0).at("key"), "three");
}

TEST_F(MergePatch, API_55_NullRemovesAWholeList) {
  const json result = must(apply({{"spec", {{"taints", nullptr}}}}));
  EXPECT_FALSE(result.value("spec", json::object()).contains("taints"));
}

TEST_F(MergePatch, API_49_EmptyPatchChangesNothing) {
  EXPECT_EQ(version(must(apply(json::object()))), version(node_));
}

TEST_F(MergePatch, API_49_PatchOnMissingObjectIsNotFound) {
  EXPECT_EQ(api().patch(kNodes + "/there-is-none", kMergePatch, json::object()).status, 404);
}

TEST_F(MergePatch, API_47_MalformedPatchIsABadRequest) {
  support::HttpRequest request;
  request.method = "PATCH";
  request.target = node_path(node_);
  request.headers = {{"Content-Type", kMergePatch}};
  request.body = "{\"metadata\":";
  EXPECT_EQ(api().send(request).status, 400);
}

TEST_F(MergePatch, API_47_NameCannotBeChanged) {
  EXPECT_FALSE(apply({{"metadata", {{"name", "another"}}}}).ok());
}

TEST_F(MergePatch, API_48_PatchWithoutVersionIsUnconditional) {
  must(apply({{"metadata", {{"labels", {{"new", "1"}}}}}}));
  EXPECT_TRUE(apply({{"metadata", {{"labels", {{"new", "2"}}}}}}).ok());
}

TEST_F(MergePatch, API_58_ResultIsValidated) {
  const KubeResponse response =
      apply({{"metadata", {{"labels", {{"new", std::string(64, 'x')}}}}}});
  EXPECT_EQ(response.status, 422);
  EXPECT_EQ(response.reason(), "Invalid");
  EXPECT_EQ(version(must(api().get(node_path(node_)))), version(node_));
}

}  // namespace
}  // namespace ccm::contract
