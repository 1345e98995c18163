// ccmctl as a user calls it: output and exit code.
#include "base/text.hpp"
#include "plugin_folder.hpp"
#include "support/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace ccm::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using support::CommandOutcome;
using testing::HasSubstr;
using testing::Not;

CommandOutcome ccmctl(const std::string& arguments) {
  return support::run_command(std::string(CCM_TEST_CCMCTL) + " " + arguments);
}

TEST(Ccmctl, HelpNamesEachCommand) {
  const CommandOutcome outcome = ccmctl("plugin --help");
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* command : {"list", "inspect", "check"}) {
    EXPECT_THAT(outcome.output, HasSubstr(command));
  }
}

TEST(Ccmctl, WrongUseEndsWithTwo) {
  EXPECT_EQ(ccmctl("").exit_code, 2);
  EXPECT_EQ(ccmctl("plugin inspect").exit_code, 2);
  EXPECT_EQ(ccmctl("plugin list -o yaml").exit_code, 2);
  EXPECT_EQ(ccmctl("plugin check --timeout 0 x.so").exit_code, 2);
}

// And nothing for a controller that another component runs.
TEST(Ccmctl, HOST_125_RbacGrantsTheLeaseOfAMigration) {
  const std::string rbac = "rbac --cloud-provider=sandbox --secure-port=0 -o json ";
  const CommandOutcome outcome = ccmctl(rbac + "--enable-leader-migration");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_EQ(json::parse(outcome.output)["items"][3]["rules"][1]["resourceNames"],
            json({"cloud-controller-manager", "cloud-provider-extraction-migration"}));
  EXPECT_THAT(outcome.output, HasSubstr("services/status"));
  const std::string file = testing::TempDir() + "ccmctl-migration.yaml";
  std::ofstream(file) << "{apiVersion: controllermanager.config.k8s.io/v1, leaderName: moving, "
                         "kind: LeaderMigrationConfiguration, controllerLeaders: "
                         "[{name: service, component: kube-controller-manager}]}";
  const std::string flags = "--enable-leader-migration --leader-migration-config=";
  const CommandOutcome moved = ccmctl(rbac + flags + file);
  std::remove(file.c_str());
  EXPECT_EQ(moved.exit_code, 0) << moved.output;
  EXPECT_THAT(moved.output, HasSubstr("\"moving\""));
  EXPECT_THAT(moved.output, Not(HasSubstr("services/status")));
  const CommandOutcome missing = ccmctl(rbac + flags + "/nowhere/m.yaml");
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.output, HasSubstr("/nowhere/m.yaml"));
}

TEST(Ccmctl, Issue43_PermissionsAreThoseOfTheControllersThatRun) {
  const CommandOutcome all = ccmctl("permissions --cloud-provider=aws");
  ASSERT_EQ(all.exit_code, 0) << all.output;
  const json statement = json::parse(all.output).at("Statement").at(0);
  EXPECT_EQ(statement.at("Effect"), "Allow");
  EXPECT_THAT(all.output, HasSubstr("elasticloadbalancing:CreateListener"));
  const CommandOutcome some = ccmctl(
      "permissions --cloud-provider=aws --controllers=cloud-node-controller,"
      "cloud-node-lifecycle-controller");
  EXPECT_EQ(json::parse(some.output).at("Statement").at(0).at("Action"),
            json({"ec2:DescribeAvailabilityZones", "ec2:DescribeInstanceTopology",
                  "ec2:DescribeInstances", "ec2:DescribeNetworkInterfaces"}));
  const CommandOutcome scopes =
      ccmctl("permissions --cloud-provider=digitalocean --controllers=cloud-node-controller");
  EXPECT_EQ(scopes.output, "droplet:read\nregions:read\nvpc:read\n");
  EXPECT_THAT(ccmctl("permissions --cloud-provider=openstack").output,
              HasSubstr("compute GET /v2.1/servers\n"));
  const CommandOutcome none = ccmctl("permissions --cloud-provider=sandbox");
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.output, HasSubstr("lists no cloudPermissions"));
}

TEST(Ccmctl, HOST_151_RbacGrantsLeaseCandidatesWithTheGateOnly) {
  const std::string rbac = "rbac --cloud-provider=sandbox --secure-port=0 ";
  const std::string plain = ccmctl(rbac).output;
  EXPECT_THAT(plain, Not(HasSubstr("leasecandidates")));
  EXPECT_EQ(ccmctl(rbac + "--feature-gates=CoordinatedLeaderElection=false").output, plain);
  const CommandOutcome gated =
      ccmctl(rbac + "--feature-gates=LoggingAlphaOptions=true,CoordinatedLeaderElection=true");
  EXPECT_EQ(gated.exit_code, 0) << gated.output;
  EXPECT_THAT(gated.output, HasSubstr("leasecandidates"));
  EXPECT_THAT(
      ccmctl(rbac + "--leader-elect=false --feature-gates=CoordinatedLeaderElection=true").output,
      Not(HasSubstr("leasecandidates")));
  const CommandOutcome wrong = ccmctl(rbac + "--feature-gates=CoordinatedLeaderElecton=true");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.output, HasSubstr("did you mean CoordinatedLeaderElection?"));
}

// One role for each controller's account, and less for the program: it reads, and has tokens made.
TEST(Ccmctl, RBAC_9_10_RbacPrintsARoleForEachServiceAccount) {
  const CommandOutcome outcome = ccmctl(
      "rbac --cloud-provider=sandbox --controllers=cloud-node-controller,route --secure-port=0 "
      "--leader-elect=false --use-service-account-credentials -o json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  const json items = json::parse(outcome.output)["items"];
  std::vector<std::string> objects;
  for (const json& object : items) {
    objects.push_back(object["kind"].get<std::string>() + " " +
                      object["metadata"]["name"].get<std::string>());
  }
  const std::string name = "system:cloud-controller-manager";
  EXPECT_THAT(objects,
              testing::ElementsAre("ServiceAccount cloud-controller-manager", "ClusterRole " + name,
                                   "ClusterRoleBinding " + name, "ServiceAccount node-controller",
                                   "ClusterRole " + name + ":node-controller",
                                   "ClusterRoleBinding " + name + ":node-controller",
                                   "ServiceAccount route-controller",
                                   "ClusterRole " + name + ":route-controller",
                                   "ClusterRoleBinding " + name + ":route-controller",
                                   "Role " + name + ":service-account-tokens",
                                   "RoleBinding " + name + ":service-account-tokens"));
  EXPECT_EQ(items[1]["rules"], json::parse(R"([
    {"apiGroups":[""],"resources":["events"],"verbs":["create","patch"]},
    {"apiGroups":[""],"resources":["nodes"],"verbs":["list","watch"]}])"));
  EXPECT_EQ(items[4]["rules"], json::parse(R"([
    {"apiGroups":[""],"resources":["events"],"verbs":["create","patch"]},
    {"apiGroups":[""],"resources":["nodes"],"verbs":["get","list","watch","patch"]},
    {"apiGroups":[""],"resources":["nodes/status"],"verbs":["patch"]}])"));
  EXPECT_EQ(items[5]["subjects"], json::parse(R"([
    {"kind":"ServiceAccount","name":"node-controller","namespace":"kube-system"}])"));
  EXPECT_EQ(items[9]["rules"], json::parse(R"([
    {"apiGroups":[""],"resources":["serviceaccounts"],"verbs":["create"]},
    {"apiGroups":[""],"resources":["serviceaccounts/token"],
     "resourceNames":["node-controller","route-controller"],"verbs":["create"]}])"));
}

// The plugins are those that are shipped, which lie beside the program.
TEST(Ccmctl, RbacPrintsWhatThePluginsDeclareAndNothingElse) {
  const CommandOutcome node = ccmctl(
      "rbac --cloud-provider=sandbox --controllers=cloud-node-controller --secure-port=0 -o json");
  ASSERT_EQ(node.exit_code, 0) << node.output;
  const json list = json::parse(node.output);
  EXPECT_EQ(list["kind"], "List");
  std::vector<std::string> kinds;
  for (const json& object : list["items"]) kinds.push_back(object["kind"]);
  EXPECT_THAT(kinds, testing::ElementsAre("ServiceAccount", "ClusterRole", "ClusterRoleBinding",
                                          "Role", "RoleBinding"));
  const json rules = list["items"][1]["rules"];
  EXPECT_EQ(rules, json::parse(R"([
    {"apiGroups":[""],"resources":["events"],"verbs":["create","patch"]},
    {"apiGroups":[""],"resources":["nodes"],"verbs":["get","list","watch","patch"]},
    {"apiGroups":[""],"resources":["nodes/status"],"verbs":["patch"]}])"));
  EXPECT_EQ(list["items"][3]["rules"], json::parse(R"([
    {"apiGroups":["coordination.k8s.io"],"resources":["leases"],"verbs":["create"]},
    {"apiGroups":["coordination.k8s.io"],"resources":["leases"],
     "resourceNames":["cloud-controller-manager"],"verbs":["get","watch","update"]}])"));
  // With more controllers there are more rules, and each line of them says for whom.
  const CommandOutcome all =
      ccmctl("rbac --cloud-provider=sandbox --controllers=*,node-ipam-controller");
  EXPECT_EQ(all.exit_code, 0) << all.output;
  EXPECT_THAT(all.output, HasSubstr("  # ccm.controller-service\n  - apiGroups: [\"\"]\n"
                                    "    resources: [\"services/status\"]\n"
                                    "    verbs: [\"patch\"]\n"));
  EXPECT_THAT(all.output, HasSubstr("extension-apiserver-authentication-reader"));
  // The order in which they are named makes no difference below the line that repeats it.
  const std::string other =
      ccmctl("rbac --cloud-provider=sandbox --controllers=node-ipam-controller,*").output;
  EXPECT_EQ(all.output.substr(all.output.find("apiVersion")),
            other.substr(other.find("apiVersion")));
}

TEST(Ccmctl, RbacTakesNamesAndFlagsOfTheManager) {
  const CommandOutcome outcome = ccmctl(
      "rbac --cloud-provider=sandbox --name=my:ccm --namespace=clouds --service-account=ccm "
      "--leader-elect-resource-name=lock --leader-elect-resource-namespace=locks "
      "--authentication-skip-lookup -o json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  const json items = json::parse(outcome.output)["items"];
  ASSERT_EQ(items.size(), 6U);
  EXPECT_EQ(items[0]["metadata"], json::parse(R"({"name":"ccm","namespace":"clouds"})"));
  EXPECT_EQ(items[3]["metadata"], json::parse(R"({"name":"my:ccm","namespace":"locks"})"));
  EXPECT_EQ(items[3]["rules"][1]["resourceNames"], json::parse(R"(["lock"])"));
  EXPECT_EQ(items[5]["roleRef"]["name"], "system:auth-delegator");
  for (const json& object : items) {
    if (!object.contains("subjects")) continue;
    EXPECT_EQ(object["subjects"], json::parse(R"([{"kind":"ServiceAccount","name":"ccm",
                                                   "namespace":"clouds"}])"));
  }
  const CommandOutcome alone =
      ccmctl("rbac --cloud-provider=sandbox --leader-elect=false --secure-port=0 -o json");
  EXPECT_EQ(json::parse(alone.output)["items"].size(), 3U);
}

TEST(Ccmctl, RbacSaysWhatIsWrong) {
  const CommandOutcome provider = ccmctl("rbac --cloud-provider=sandbix");
  EXPECT_EQ(provider.exit_code, 1);
  EXPECT_THAT(provider.output, HasSubstr("sandbix"));
  EXPECT_THAT(provider.output, Not(HasSubstr("ClusterRole")));
  const CommandOutcome controller = ccmctl("rbac --cloud-provider=sandbox --controllers=cloud-nod");
  EXPECT_EQ(controller.exit_code, 1);
  EXPECT_THAT(controller.output, HasSubstr("\"cloud-nod\" is not a known controller"));
  EXPECT_EQ(ccmctl("rbac").exit_code, 2);
  EXPECT_EQ(ccmctl("rbac --cloud-provider=sandbox --namespace=Kube_System").exit_code, 2);
  EXPECT_EQ(ccmctl("rbac --cloud-provider=sandbox --name=a/b").exit_code, 2);
}

TEST(Ccmctl, ListShowsComponentsAndRefusedFiles) {
  const PluginFolder folder;
  folder.add("good");
  folder.add("no_note");
  const CommandOutcome outcome = ccmctl("plugin list --plugin-path " + folder.path().string());
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("controller  good-sync  sync"));
  EXPECT_THAT(outcome.output, HasSubstr("test.good"));
  EXPECT_THAT(outcome.output, HasSubstr("Not usable:"));
  EXPECT_THAT(outcome.output, HasSubstr("no_note.so: has no .note.ccm note"));
}

TEST(Ccmctl, ListTakesTheFlagTwiceAndPrintsJson) {
  const PluginFolder one;
  const PluginFolder other;
  one.add("good");
  other.add("newer_minor");
  const CommandOutcome outcome = ccmctl("plugin list -o json --plugin-path " + one.path().string() +
                                        " --plugin-path=" + other.path().string());
  const json document = json::parse(outcome.output);
  ASSERT_EQ(document["plugins"].size(), 2U);
  EXPECT_EQ(document["plugins"][0]["manifest"]["id"], "test.good");
  EXPECT_EQ(document["plugins"][1]["manifest"]["id"], "test.newer-minor");
  EXPECT_TRUE(document["problems"].empty());
}

// The lines are those of --plugin-sha256-file.
TEST(Ccmctl, ListPrintsPins) {
  const PluginFolder folder;
  const fs::path good = folder.add("good");
  folder.add("no_note");
  const CommandOutcome outcome =
      ccmctl("plugin list --pins --plugin-path " + folder.path().string());
  EXPECT_EQ(outcome.exit_code, 0);
  const std::string sum = support::run_command("sha256sum " + good.string()).output.substr(0, 64);
  EXPECT_THAT(outcome.output, testing::StartsWith("test.good=" + sum + "  # " + good.string() +
                                                  "\nccmctl: left out: plugin "));
}

TEST(Ccmctl, ListOfAnEmptyFolderSaysWhere) {
  const PluginFolder folder;
  const CommandOutcome outcome = ccmctl("plugin list --plugin-path " + folder.path().string());
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.output, "No plugins in " + folder.path().string() + ".\n");
}

TEST(Ccmctl, InspectShowsManifestLibrariesAndChecks) {
  const PluginFolder folder;
  const CommandOutcome outcome = ccmctl("plugin inspect " + folder.add("good").string());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("test.good 1.2.3"));
  EXPECT_THAT(outcome.output, HasSubstr("1.0 (host 1.1)"));
  EXPECT_THAT(outcome.output, HasSubstr("--good-speed (integer, default 3): how fast"));
  EXPECT_THAT(outcome.output, HasSubstr("SHA-256"));
  EXPECT_THAT(outcome.output, HasSubstr("ccm_plugin_v1 alone"));
  EXPECT_THAT(outcome.output, Not(HasSubstr("failed")));
}

// Whether a terminal would obey: C0 but newlines, DEL, C1 as UTF-8, bytes that are no UTF-8.
bool steers(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_character(text).length;
    const auto byte = static_cast<unsigned char>(text[0]);
    if (length == 0 || (byte < 0x20 && byte != '\n') || byte == 0x7f) return true;
    if (length == 2 && byte == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0) return true;
    text.remove_prefix(length);
  }
  return false;
}

TEST(Ccmctl, NothingInAManifestSteersTheTerminal) {
  const PluginFolder folder;
  const std::string file = folder.add("steers_the_terminal").string();
  for (const std::string& command :
       {"plugin inspect " + file, "plugin inspect -o json " + file, "plugin check " + file,
        "plugin check -o json " + file, "plugin list --plugin-path " + folder.path().string(),
        "plugin list -o json --plugin-path " + folder.path().string(),
        std::string("explain 'node/\xc2\x9b"
                    "31m'"),
        std::string("explain 'node/\x9b"
                    "31m'"),
        std::string("lint '\xc2\x9b"
                    "31m\x9b'")}) {
    const CommandOutcome outcome = ccmctl(command);
    EXPECT_FALSE(steers(outcome.output)) << command << "\n" << outcome.output;
  }
  const CommandOutcome outcome = ccmctl("plugin inspect " + file);
  EXPECT_THAT(outcome.output, HasSubstr("?31m red ? \u00e9 ?"));
  EXPECT_THAT(outcome.output, HasSubstr("--steers-key (string, secret): a ?key"));
}

TEST(Ccmctl, InspectRunsNothing) {
  const PluginFolder folder;
  EXPECT_EQ(ccmctl("plugin inspect " + folder.add("crashes").string()).exit_code, 0);
  EXPECT_EQ(ccmctl("plugin inspect " + folder.add("exits").string()).exit_code, 0);
}

TEST(Ccmctl, InspectReportsEachFailedCheck) {
  const PluginFolder folder;
  const auto path = folder.add("unknown_need");
  fs::permissions(path, fs::perms(0777));
  const CommandOutcome outcome = ccmctl("plugin inspect -o json " + path.string());
  EXPECT_EQ(outcome.exit_code, 1);
  const json document = json::parse(outcome.output);
  EXPECT_FALSE(document["ok"].get<bool>());
  std::vector<std::string> failed;
  for (const json& check : document["checks"]) {
    if (check["state"] == "failed") failed.push_back(check["name"]);
  }
  EXPECT_THAT(failed, testing::ElementsAre("owner", "needs"));
}

TEST(Ccmctl, InspectTakesARelativePath) {
  const PluginFolder folder;
  const auto path = folder.add("good");
  const auto relative = fs::proximate(path, fs::current_path());
  EXPECT_EQ(ccmctl("plugin inspect " + relative.string()).exit_code, 0);
}

TEST(Ccmctl, InspectOfSomethingElseIsOneClearLine) {
  const CommandOutcome outcome = ccmctl("plugin inspect /etc/hostname");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("is not an ELF file; a plugin is a shared library"));
}

TEST(Ccmctl, CheckLoadsAPluginWithoutFault) {
  const PluginFolder folder;
  const CommandOutcome outcome = ccmctl("plugin check " + folder.add("good").string());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("good.so: the host would load it"));
}

void expect_failed_check(const std::string& name, const std::string& what,
                         const std::string& arguments = "") {
  const PluginFolder folder;
  const CommandOutcome outcome =
      ccmctl("plugin check " + arguments + " " + folder.add(name).string());
  EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr(what));
  EXPECT_THAT(outcome.output, HasSubstr("the host would refuse it"));
}

TEST(Ccmctl, CheckReportsACrash) {
  expect_failed_check("crashes", "crashed with SIGABRT while it was loaded");
}

TEST(Ccmctl, CheckReportsAHang) {
  expect_failed_check("hangs", "did not return within 1 s while it was loaded", "--timeout 1");
}

TEST(Ccmctl, CheckReportsAnExit) {
  expect_failed_check("exits", "ended the process with exit code 0 while it was loaded");
}

TEST(Ccmctl, CheckReportsAFaultyTable) {
  expect_failed_check("short_table", "its ccm_plugin has size 32, at least 40 are needed");
}

TEST(Ccmctl, CheckDoesNotLoadWhatFailsBefore) {
  expect_failed_check("no_note", "has no .note.ccm note");
}

}  // namespace
}  // namespace ccm::test
