// The controller of examples/controller-cpp under the real host, beside our own controllers and the
// provider of examples/provider-cpp: CCM_EXAMPLE and CCM_EXAMPLE_PROVIDER name the files.
#include "example_fixture.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ccm::test {
namespace {

using nlohmann::json;

constexpr const char* kNode = "/api/v1/nodes/worker-1";
constexpr const char* kFamily = "example.com/instance-family";
constexpr const char* kType = "node.kubernetes.io/instance-type";
constexpr const char* kOldType = "beta.kubernetes.io/instance-type";

class ExampleController : public Example {
 protected:
  ExampleController() : Example(variable("CCM_EXAMPLE")) {}

  void start(const std::vector<std::string>& more = {}) {
    std::vector<std::string> flags{
        "--plugin-path=" + plugin_path(), "--cloud-provider=" + variable("CCM_EXAMPLE_PROVIDER"),
        "--cloud-config=" + machines_file("A7 worker-1 192.0.2.11 m5.large 2 on\n"),
        "--controllers=cloud-node-controller,instance-family",
        "--refresh-node-labels=false"};  // so that a type that is changed here stays
    flags.insert(flags.end(), more.begin(), more.end());
    run(flags);
  }
  // Our controllers and this one.
  [[nodiscard]] std::string plugin_path() const {
    const auto theirs = std::filesystem::path(example()).parent_path().parent_path();
    return CCM_PLUGIN_FOLDER "," + theirs.string();
  }
  // Whether worker-1 gets that family; null: no label.
  bool family_becomes(const json& wanted) {
    return support::eventually(support::patience(), [&] {
      const json metadata = api_.get(kNode).body["metadata"];
      return metadata.value("labels", json::object()).value(kFamily, json()) == wanted;
    });
  }
  bool has_event(const std::string& message) {
    return support::eventually(support::patience(), [&] {
      const json events = api_.get("/api/v1/namespaces/default/events").body;
      for (const json& event : events["items"]) {
        if (event.value("reason", "") == "InstanceFamilyChanged" &&
            event.value("message", "") == message) {
          return event["source"].value("component", "") == "instance-family-controller";
        }
      }
      return false;
    });
  }
  // Under both names: the node controller repairs the newer one by the older one.
  void change_type(const json& type) {
    const json labels = {{kType, type}, {kOldType, type}};
    const json patch = {{"metadata", {{"labels", labels}}}};
    ASSERT_EQ(api_.patch(kNode, support::kMergePatch, patch).status, 200);
  }
};

TEST_F(ExampleController, PassesTheCheck) { passes_the_check(); }

TEST_F(ExampleController, TheLabelFollowsTheTypeOfTheNode) {
  ASSERT_EQ(api_.create("/api/v1/nodes", tainted_node("worker-1")).status, 201);
  start();
  EXPECT_TRUE(family_becomes("m5")) << manager_->log();
  EXPECT_TRUE(has_event("The instance type m5.large is of family m5")) << manager_->log();
  change_type("c6i-xlarge");
  EXPECT_TRUE(family_becomes("c6i")) << manager_->log();
  change_type(nullptr);
  EXPECT_TRUE(family_becomes(nullptr)) << manager_->log();
  EXPECT_EQ(manager_->stop().code, 0) << manager_->log();
}

// A value of a label ends with a letter or digit, and so does what is left of it.
TEST_F(ExampleController, TheFlagSaysWhereAFamilyEnds) {
  ASSERT_EQ(api_.create("/api/v1/nodes", tainted_node("worker-1")).status, 201);
  start({"--instance-family-separators=5l"});
  EXPECT_TRUE(family_becomes("m")) << manager_->log();
  change_type("x-large");
  EXPECT_TRUE(family_becomes("x")) << manager_->log();
  EXPECT_EQ(manager_->stop().code, 0) << manager_->log();
}

TEST_F(ExampleController, AnEmptyFlagEndsTheHostWithTheReason) {
  start({"--instance-family-separators="});
  const auto ended = manager_->wait(support::patience());
  ASSERT_TRUE(ended.has_value());
  EXPECT_NE(ended->code, 0);
  EXPECT_TRUE(logs("--instance-family-separators must name at least one character"))
      << manager_->log();
}

// An administrator grants the role that its manifest declares.
TEST_F(ExampleController, ItsRightsArePartOfTheRoles) {
  support::Process roles(
      {CCM_TEST_CCMCTL, "rbac", "--plugin-path=" + plugin_path(), "-o", "json",
       "--cloud-provider=" + variable("CCM_EXAMPLE_PROVIDER"), "--controllers=instance-family"},
      {folder_.path() / "roles.log", {}});
  const auto ended = roles.wait(support::patience());
  ASSERT_TRUE(ended.has_value());
  ASSERT_EQ(ended->code, 0) << roles.log();
  json verbs;
  const json list = json::parse(roles.log());
  for (const json& item : list["items"]) {
    for (const json& rule : item.value("rules", json::array())) {
      if (rule["resources"] == json::array({"nodes"})) verbs = rule["verbs"];
    }
  }
  EXPECT_EQ(verbs, json::array({"list", "watch", "patch"})) << roles.log();
}

}  // namespace
}  // namespace ccm::test
