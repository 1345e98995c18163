// Deletion and finalizers.
#include "contract.hpp"

namespace ccm::contract {
namespace {

class Delete : public Contract {
 protected:
  json with_finalizers(const json& finalizers) {
    json object = node(unique("node"));
    object["metadata"]["finalizers"] = finalizers;
    return create_node(object);
  }
  KubeResponse set_finalizers(const json& node, const json& finalizers) {
    return api().patch(node_path(node), kMergePatch, {{"metadata", {{"finalizers", finalizers}}}});
  }
};

TEST_F(Delete, API_22_DeleteRemovesAtOnceAndTheSecondIsNotFound) {
  const json created = create_node();
  const KubeResponse response = api().remove(node_path(created));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body.at("kind"), "Status");
  EXPECT_EQ(response.body.at("status"), "Success");
  EXPECT_EQ(response.body.at("details").at("name"), created.at("metadata").at("name"));
  EXPECT_EQ(response.body.at("details").at("uid"), created.at("metadata").at("uid"));
  EXPECT_EQ(api().get(node_path(created)).status, 404);
  EXPECT_EQ(api().remove(node_path(created)).status, 404);
}

TEST_F(Delete, API_56_FinalizerKeepsTheObjectWithADeletionTimestamp) {
  const json created = with_finalizers({"example.com/hold"});
  EXPECT_TRUE(api().remove(node_path(created)).ok());
  const json held = must(api().get(node_path(created)));
  EXPECT_TRUE(held.at("metadata").contains("deletionTimestamp"));
  EXPECT_GT(std::stoll(version(held)), std::stoll(version(created)));
  EXPECT_TRUE(set_finalizers(created, nullptr).ok());
}

TEST_F(Delete, API_56_RemovingTheLastFinalizerDeletes) {
  const json created = with_finalizers({"example.com/a", "example.com/b"});
  must(api().remove(node_path(created)));
  must(set_finalizers(created, {"example.com/b"}));
  EXPECT_EQ(api().get(node_path(created)).status, 200);
  EXPECT_TRUE(set_finalizers(created, nullptr).ok());
  EXPECT_EQ(api().get(node_path(created)).status, 404);
}

TEST_F(Delete, API_56_NoFinalizerCanBeAddedUnderDeletion) {
  const json created = with_finalizers({"example.com/a"});
  must(api().remove(node_path(created)));
  const KubeResponse response = set_finalizers(created, {"example.com/a", "example.com/late"});
  EXPECT_EQ(response.status, 422);
  EXPECT_EQ(response.reason(), "Invalid");
  must(set_finalizers(created, nullptr));
}

TEST_F(Delete, API_56_WatchSeesTheMarkThenTheEnd) {
  const json created = with_finalizers({"example.com/a"});
  WatchStream stream =
      api().watch(kNodes + "?" + selector() + "&resourceVersion=" + version(created));
  must(api().remove(node_path(created)));
  const auto marked = stream.next_change();
  ASSERT_TRUE(marked);
  EXPECT_EQ(marked->at("type"), "MODIFIED");
  EXPECT_TRUE(marked->at("object").at("metadata").contains("deletionTimestamp"));
  must(set_finalizers(created, nullptr));
  const auto gone = stream.next_change();
  ASSERT_TRUE(gone);
  EXPECT_EQ(gone->at("type"), "DELETED");
}

TEST_F(Delete, API_56_DeletionTimestampCannotBeSetByAClient) {
  const json created = create_node();
  const KubeResponse response =
      api().patch(node_path(created), kMergePatch,
                  {{"metadata", {{"deletionTimestamp", "2026-01-01T00:00:00Z"}}}});
  EXPECT_EQ(response.status, 422);
  EXPECT_EQ(response.reason(), "Invalid");
  EXPECT_EQ(version(must(api().get(node_path(created)))), version(created));
}

TEST_F(Delete, API_22_NamespacedObjectsAreDeletedByTheirPath) {
  const std::string space = make_namespace();
  create_config_map(space, "one");
  create_config_map(space, "two");
  EXPECT_EQ(api().remove(space + "/configmaps/one").status, 200);
  EXPECT_EQ(names(must(api().get(space + "/configmaps"))), std::vector<std::string>{"two"});
}

}  // namespace
}  // namespace ccm::contract
