// resourceVersion and UID as conditions of a write.
#include "contract.hpp"

namespace ccm::contract {
namespace {

class Precondition : public Contract {
 protected:
  Precondition() : node_(create_node()), path_(node_path(node_)) {}
  // Somebody else writes; the version of node_ is old from now on.
  json interfere() {
    return must(api().patch(path_, kMergePatch, {{"metadata", {{"labels", {{"other", "1"}}}}}}));
  }
  static void expect_conflict(const KubeResponse& response) {
    EXPECT_EQ(response.status, 409) << response.http.body;
    EXPECT_EQ(response.reason(), "Conflict");
  }

  json node_;
  std::string path_;
};

constexpr const char* kForeignUid = "11111111-2222-3333-4444-555555555555";

TEST_F(Precondition, API_44_PutWithAStaleVersionIsAConflict) {
  interfere();
  expect_conflict(api().replace(path_, node_));
  EXPECT_EQ(must(api().get(path_)).at("metadata").at("labels").at("other"), "1");
}

TEST_F(Precondition, API_44_PutWithoutVersionIsUnconditionalOnNodes) {
  interfere();
  json object = node_;
  object["metadata"].erase("resourceVersion");
  const json result = must(api().replace(path_, object));
  EXPECT_FALSE(result.at("metadata").at("labels").contains("other"));
}

TEST_F(Precondition, API_46_PutWithAnotherUidIsAConflict) {
  json object = node_;
  object["metadata"]["uid"] = kForeignUid;
  expect_conflict(api().replace(path_, object));
}

TEST_F(Precondition, API_44_PutOfStatusChecksTheVersionToo) {
  interfere();
  expect_conflict(api().replace(path_ + "/status", node_));
}

TEST_F(Precondition, API_48_PatchWithTheCurrentVersionApplies) {
  for (const char* type : {kMergePatch, kStrategicPatch}) {
    const json current = must(api().get(path_));
    const json result =
        must(api().patch(path_, type,
                         {{"metadata",
                           {{"resourceVersion", version(current)},
                            {"labels", {{"by", type == kMergePatch ? "merge" : "strategic"}}}}}}));
    EXPECT_NE(version(result), version(current)) << type;
  }
}

TEST_F(Precondition, API_48_PatchWithAStaleVersionIsAConflict) {
  interfere();
  for (const char* type : {kMergePatch, kStrategicPatch}) {
    for (const char* subresource : {"", "/status"}) {
      expect_conflict(api().patch(
          path_ + subresource, type,
          {{"metadata", {{"resourceVersion", version(node_)}, {"labels", {{"late", "1"}}}}}}));
    }
  }
  EXPECT_FALSE(must(api().get(path_)).at("metadata").at("labels").contains("late"));
}

TEST_F(Precondition, API_46_PatchWithAnotherUidIsRefused) {
  // Unlike a PUT, a patch is taken as an attempt to change the field.
  const KubeResponse response = api().patch(
      path_, kMergePatch, {{"metadata", {{"uid", kForeignUid}, {"labels", {{"x", "1"}}}}}});
  EXPECT_EQ(response.status, 422);
  EXPECT_EQ(response.reason(), "Invalid");
  EXPECT_TRUE(api()
                  .patch(path_, kMergePatch,
                         {{"metadata",
                           {{"uid", node_.at("metadata").at("uid")}, {"labels", {{"x", "1"}}}}}})
                  .ok());
}

TEST_F(Precondition, API_22_DeleteChecksUidAndVersion) {
  const json current = interfere();
  const auto options = [](const json& conditions) {
    return json{{"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"preconditions", conditions}};
  };
  expect_conflict(api().remove(path_, options({{"uid", kForeignUid}})));
  expect_conflict(api().remove(path_, options({{"resourceVersion", version(node_)}})));
  EXPECT_EQ(api().get(path_).status, 200);
  EXPECT_TRUE(api()
                  .remove(path_, options({{"uid", node_.at("metadata").at("uid")},
                                          {"resourceVersion", version(current)}}))
                  .ok());
  EXPECT_EQ(api().get(path_).status, 404);
}

TEST_F(Precondition, API_46_RecreatedObjectHasAnotherUid) {
  must(api().remove(path_));
  const json again = create_node(node(node_.at("metadata").at("name")));
  EXPECT_NE(again.at("metadata").at("uid"), node_.at("metadata").at("uid"));
  const json by_old_uid = {{"preconditions", {{"uid", node_.at("metadata").at("uid")}}}};
  expect_conflict(api().remove(path_, by_old_uid));
}

TEST_F(Precondition, API_50_PutWithoutChangeKeepsTheVersion) {
  EXPECT_EQ(version(must(api().replace(path_, node_))), version(node_));
}

TEST_F(Precondition, API_62_OfManyWritersWithOneVersionOneWins) {
  int won = 0;
  for (int i = 0; i < 5; ++i) {
    json object = node_;
    object["metadata"]["labels"]["writer"] = std::to_string(i);
    const KubeResponse response = api().replace(path_, object);
    if (response.ok()) ++won;
  }
  EXPECT_EQ(won, 1);
}

}  // namespace
}  // namespace ccm::contract
