// Nodes that the server refuses.
#include "contract.hpp"

namespace ccm::contract {
namespace {

class NodeRules : public Contract {
 protected:
  NodeRules() : node_(create_node()), path_(node_path(node_)) {}
  void expect_invalid(const KubeResponse& response) {
    EXPECT_EQ(response.status, 422) << response.http.body;
    EXPECT_EQ(response.reason(), "Invalid");
    EXPECT_FALSE(response.body.value("/details/causes"_json_pointer, json::array()).empty())
        << response.http.body;
  }
  KubeResponse patch(const json& patch) { return api().patch(path_, kMergePatch, patch); }

  json node_;
  std::string path_;
};

using namespace nlohmann::literals;

TEST_F(NodeRules, API_57_ProviderIdCanBeSetOnce) {
  EXPECT_TRUE(patch({{"spec", {{"providerID", "cloud://1"}}}}).ok());
  EXPECT_TRUE(patch({{"spec", {{"providerID", "cloud://1"}}}}).ok());
  expect_invalid(patch({{"spec", {{"providerID", "cloud://2"}}}}));
  expect_invalid(patch({{"spec", {{"providerID", nullptr}}}}));
  EXPECT_EQ(must(api().get(path_)).at("spec").at("providerID"), "cloud://1");
}

TEST_F(NodeRules, TRAP_34_ProviderIdIsImmutableByPutToo) {
  must(patch({{"spec", {{"providerID", "cloud://1"}}}}));
  json object = must(api().get(path_));
  object["spec"]["providerID"] = "cloud://2";
  expect_invalid(api().replace(path_, object));
}

TEST_F(NodeRules, API_57_PodCIDRsCanBeSetOnce) {
  const json first = {{"spec", {{"podCIDR", "10.1.0.0/24"}, {"podCIDRs", {"10.1.0.0/24"}}}}};
  const json second = {{"spec", {{"podCIDR", "10.2.0.0/24"}, {"podCIDRs", {"10.2.0.0/24"}}}}};
  EXPECT_TRUE(patch(first).ok());
  expect_invalid(patch(second));
}

TEST_F(NodeRules, TRAP_33_DuplicateAddressesAreInvalid) {
  const json twice = {{{"type", "InternalIP"}, {"address", "10.0.0.1"}},
                      {{"type", "InternalIP"}, {"address", "10.0.0.1"}}};
  expect_invalid(api().patch(path_ + "/status", kMergePatch, {{"status", {{"addresses", twice}}}}));
  // One address under two types, and one type with two addresses, are fine.
  const json fine = {{{"type", "InternalIP"}, {"address", "10.0.0.1"}},
                     {{"type", "ExternalIP"}, {"address", "10.0.0.1"}},
                     {{"type", "InternalIP"}, {"address", "10.0.0.2"}}};
  EXPECT_TRUE(
      api().patch(path_ + "/status", kMergePatch, {{"status", {{"addresses", fine}}}}).ok());
}

TEST_F(NodeRules, API_57_TaintsAreUniqueByKeyAndEffect) {
  const auto taint = [](const char* effect) { return json{{"key", "k"}, {"effect", effect}}; };
  expect_invalid(patch({{"spec", {{"taints", {taint("NoSchedule"), taint("NoSchedule")}}}}}));
  EXPECT_TRUE(patch({{"spec", {{"taints", {taint("NoSchedule"), taint("NoExecute")}}}}}).ok());
}

TEST_F(NodeRules, API_57_TaintsNeedAKnownEffect) {
  for (const char* effect : {"", "Sometimes"}) {
    const KubeResponse response =
        patch({{"spec", {{"taints", {{{"key", "k"}, {"effect", effect}}}}}}});
    EXPECT_EQ(response.status, 422) << effect;
    EXPECT_EQ(response.reason(), "Invalid") << effect;
  }
}

TEST_F(NodeRules, TRAP_32_LabelValuesAreValidated) {
  for (const std::string& value : {std::string(64, 'x'), std::string("two words"),
                                   std::string("-dash"), std::string("dot.")}) {
    expect_invalid(patch({{"metadata", {{"labels", {{"key", value}}}}}}));
  }
  for (const std::string& value : {std::string(63, 'x'), std::string(), std::string("a_b-c.D")}) {
    EXPECT_TRUE(patch({{"metadata", {{"labels", {{"key", value}}}}}}).ok()) << value;
  }
}

TEST_F(NodeRules, TRAP_32_LabelKeysAreValidated) {
  for (const std::string& key : {std::string("two words"), std::string("a/b/c"),
                                 std::string("UPPER.example.com/x"), "p/" + std::string(64, 'x')}) {
    expect_invalid(patch({{"metadata", {{"labels", {{key, "v"}}}}}}));
  }
  EXPECT_TRUE(patch({{"metadata", {{"labels", {{"example.com/Key_1", "v"}}}}}}).ok());
}

TEST_F(NodeRules, NODE_21_RefusedWriteHasNoPartialEffect) {
  const std::string before = version(must(api().get(path_)));
  expect_invalid(patch({{"metadata", {{"labels", {{"good", "1"}, {"bad", "two words"}}}}}}));
  const json read = must(api().get(path_));
  EXPECT_EQ(version(read), before);
  EXPECT_FALSE(read.at("metadata").at("labels").contains("good"));
}

}  // namespace
}  // namespace ccm::contract
