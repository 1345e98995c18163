// The configuration of leader migration, and whose turn it gives to whom.
#include "election/leader_migration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ccm::election {
namespace {

using testing::HasSubstr;

constexpr const char* kWhole = R"(
apiVersion: controllermanager.config.k8s.io/v1
kind: LeaderMigrationConfiguration
leaderName: cloud-migration
controllerLeaders:
  - {name: node-route-controller, component: "*"}
  - {name: service-lb-controller, component: kube-controller-manager}
  - {name: cloud-node-controller, component: cloud-controller-manager}
)";

std::string fault_of(const std::string& text) {
  const auto read = parse_leader_migration(text, "m.yaml");
  return read.ok() ? "" : read.status().message();
}

std::string with(const std::string& version, const std::string& rest) {
  return "apiVersion: controllermanager.config.k8s.io/" + version +
         "\nkind: LeaderMigrationConfiguration\n" + rest;
}

TEST(LeaderMigrationFile, HOST_122_IsYamlOrJson) {
  const auto yaml = parse_leader_migration(kWhole, "m.yaml");
  ASSERT_TRUE(yaml.ok()) << yaml.status().message();
  EXPECT_EQ(yaml->leader_name, "cloud-migration");
  ASSERT_EQ(yaml->controller_leaders.size(), 3U);
  EXPECT_EQ(yaml->controller_leaders[1].name, "service-lb-controller");
  EXPECT_EQ(yaml->controller_leaders[1].component, "kube-controller-manager");
  const auto json = parse_leader_migration(
      R"({"apiVersion":"controllermanager.config.k8s.io/v1beta1","leaderName":"m",
          "kind":"LeaderMigrationConfiguration","resourceLock":"leases"})",
      "m.json");
  ASSERT_TRUE(json.ok()) << json.status().message();
  EXPECT_TRUE(json->controller_leaders.empty());
}

TEST(LeaderMigrationFile, MergeKeysOfYaml) {
  const auto yaml =
      parse_leader_migration(with("v1",
                                  "leaderName: m\ncontrollerLeaders:\n"
                                  "- &a {name: one, component: \"*\"}\n- {<<: *a, name: two}\n"),
                             "m.yaml");
  ASSERT_TRUE(yaml.ok()) << yaml.status().message();
  ASSERT_EQ(yaml->controller_leaders.size(), 2U);
  EXPECT_EQ(yaml->controller_leaders[1].name, "two");
  EXPECT_EQ(yaml->controller_leaders[1].component, "*");
  EXPECT_THAT(fault_of(with("v1", "leaderName: m\n<<: {more: 1}")),
              HasSubstr("the unknown field \"more\""));
}

TEST(LeaderMigrationFile, HOST_122_HasThreeVersionsOfOneKind) {
  EXPECT_EQ(fault_of(with("v1", "leaderName: m")), "");
  EXPECT_EQ(fault_of(with("v1beta1", "leaderName: m\nresourceLock: leases")), "");
  EXPECT_EQ(fault_of(with("v1alpha1", "leaderName: m\nresourceLock: leases")), "");
  EXPECT_EQ(fault_of(with("v2", "leaderName: m")),
            "leader migration configuration m.yaml: apiVersion is "
            "\"controllermanager.config.k8s.io/v2\", must be "
            "controllermanager.config.k8s.io/v1, v1beta1 or v1alpha1");
  EXPECT_THAT(fault_of("kind: Lease\nleaderName: m"), HasSubstr("kind is \"Lease\", must be"));
  EXPECT_THAT(fault_of("[]"), HasSubstr("must be an object of kind LeaderMigrationConfiguration"));
  EXPECT_THAT(fault_of(""), HasSubstr("must be an object"));
}

TEST(LeaderMigrationFile, HOST_122_UnknownAndDoubledFieldsAreRefused) {
  EXPECT_THAT(fault_of(with("v1", "leaderName: m\nleadername: n")),
              HasSubstr("the file has the unknown field \"leadername\"; remove it"));
  EXPECT_THAT(fault_of(with("v1", "leaderName: m\nresourceLock: leases")),
              HasSubstr("unknown field \"resourceLock\""))
      << "not in v1";
  EXPECT_THAT(fault_of(with("v1", "leaderName: m\nleaderName: n")),
              HasSubstr("the file has leaderName twice"));
  EXPECT_THAT(fault_of(with("v1",
                            "leaderName: m\ncontrollerLeaders: [{name: a, component: b, "
                            "port: 1}]")),
              HasSubstr("controllerLeaders[0] has the unknown field \"port\""));
}

TEST(LeaderMigrationFile, HOST_123_NamesAreNeeded) {
  EXPECT_THAT(fault_of(with("v1", "controllerLeaders: []")), HasSubstr("leaderName must be given"));
  EXPECT_THAT(fault_of(with("v1", "leaderName: m\ncontrollerLeaders: [{name: a}]")),
              HasSubstr("controllerLeaders[0]: component must be given"));
  EXPECT_THAT(fault_of(with("v1",
                            "leaderName: m\ncontrollerLeaders: [{name: a, component: b}, "
                            "{component: b}]")),
              HasSubstr("controllerLeaders[1]: name must be given"));
  EXPECT_THAT(fault_of(with("v1", "leaderName: [m]")), HasSubstr("leaderName must be a text"));
  EXPECT_THAT(fault_of(with("v1", "leaderName: m\ncontrollerLeaders: {a: b}")),
              HasSubstr("controllerLeaders must be a list"));
  EXPECT_THAT(fault_of(with("v1", "leaderName: m\ncontrollerLeaders: [a]")),
              HasSubstr("controllerLeaders[0] must have name and component"));
}

TEST(LeaderMigrationFile, HOST_123_TheLockIsALease) {
  EXPECT_THAT(fault_of(with("v1beta1", "leaderName: m")),
              HasSubstr("resourceLock is \"\", must be leases"));
  EXPECT_THAT(fault_of(with("v1alpha1", "leaderName: m\nresourceLock: endpoints")),
              HasSubstr("resourceLock is \"endpoints\", must be leases"));
}

TEST(LeaderMigrationFile, FaultsOfTheTextNameTheirPlace) {
  EXPECT_EQ(fault_of("kind: [\n"),
            "leader migration configuration m.yaml: line 2, column 1: it is not well-formed YAML "
            "or JSON");
  EXPECT_THAT(read_leader_migration("/nowhere/m.yaml").status().message(),
              HasSubstr("/nowhere/m.yaml"));
}

TEST(LeaderMigration, HOST_124_AnEntrySaysWhoRunsAController) {
  const auto migration = parse_leader_migration(kWhole, "m.yaml");
  ASSERT_TRUE(migration.ok());
  EXPECT_EQ(lease_of(*migration, {"node-route-controller", "route"}), ControllerLease::migration);
  EXPECT_EQ(lease_of(*migration, {"service-lb-controller"}), ControllerLease::none);
  EXPECT_EQ(lease_of(*migration, {"cloud-node-controller"}), ControllerLease::migration);
  EXPECT_EQ(lease_of(*migration, {"node-ipam-controller"}), ControllerLease::main);
}

TEST(LeaderMigration, HOST_113_WithoutAFileThreeControllersMove) {
  const LeaderMigration migration = default_leader_migration();
  EXPECT_EQ(migration.leader_name, "cloud-provider-extraction-migration");
  for (const char* name :
       {"route-controller", "service-controller", "cloud-node-lifecycle-controller"}) {
    EXPECT_EQ(lease_of(migration, {name}), ControllerLease::migration) << name;
  }
  EXPECT_EQ(migration.controller_leaders.size(), 3U);
}

}  // namespace
}  // namespace ccm::election
