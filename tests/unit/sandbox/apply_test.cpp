#include "api_fixture.hpp"

namespace sandbox::testing {
namespace {

class Apply : public ApiFixture {
 protected:
  Answer apply(const std::string& manager, const Json& config, const std::string& more = "") {
    return patch("/api/v1/nodes/a?fieldManager=" + manager + more, config,
                 "application/apply-patch+yaml");
  }
  static Json labels(const Json& values) {
    Json config = identity();
    config["metadata"]["labels"] = values;
    return config;
  }
  static Json identity() {
    return Json::parse(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}})");
  }
};

TEST_F(Apply, API_49_CreatesWhatIsMissing) {
  Answer created = apply("one", labels({{"a", "1"}}));
  EXPECT_EQ(created.status, 201);
  EXPECT_EQ(created.body.at("metadata").at("managedFields")[0].at("manager"), "one");
}

TEST_F(Apply, API_47_NeedsAFieldManager) {
  EXPECT_EQ(patch("/api/v1/nodes/a", labels({}), "application/apply-patch+yaml").status, 422);
}

TEST_F(Apply, NeedsTypeAndName) {
  Json config = identity();
  config["metadata"].erase("name");
  EXPECT_EQ(apply("one", config).status, 400);
  config = identity();
  config.erase("kind");
  EXPECT_EQ(apply("one", config).status, 400);
}

TEST_F(Apply, DropsWhatTheManagerNoLongerNames) {
  make_node("a", {{"kept", "1"}});
  apply("one", labels({{"a", "1"}, {"b", "2"}}));
  Json node = apply("one", labels({{"b", "3"}})).body;
  EXPECT_EQ(node.at("metadata").at("labels"), Json::parse(R"({"b":"3","kept":"1"})"));
}

TEST_F(Apply, AnotherManagersFieldNeedsForce) {
  apply("one", labels({{"a", "1"}}));
  EXPECT_EQ(apply("two", labels({{"a", "1"}})).status, 200);
  Answer refused = apply("two", labels({{"a", "2"}}));
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.body.at("details").at("causes")[0].at("reason"), "FieldManagerConflict");
  EXPECT_EQ(apply("two", labels({{"a", "2"}}), "&force=true").status, 200);
}

TEST_F(Apply, ListsMergeByTheirKeys) {
  apply("one", identity());
  auto condition = [](const char* type) {
    Json config = identity();
    Json one = {{"type", type}, {"status", "True"}};
    config["status"]["conditions"] = Json::array({one});
    return config;
  };
  auto apply_status = [&](const char* manager, const Json& config) {
    return patch(std::string("/api/v1/nodes/a/status?fieldManager=") + manager, config,
                 "application/apply-patch+yaml");
  };
  apply_status("one", condition("Ready"));
  Json node = apply_status("two", condition("Net")).body;
  EXPECT_EQ(node.at("status").at("conditions").size(), 2u);
  node = apply_status("two", identity()).body;
  ASSERT_EQ(node.at("status").at("conditions").size(), 1u);
  EXPECT_EQ(node.at("status").at("conditions")[0].at("type"), "Ready");
}

TEST_F(Apply, API_50_RepeatingItChangesNothing) {
  Json first = apply("one", labels({{"a", "1"}})).body;
  EXPECT_EQ(version_of(apply("one", labels({{"a", "1"}})).body), version_of(first));
}

}  // namespace
}  // namespace sandbox::testing
