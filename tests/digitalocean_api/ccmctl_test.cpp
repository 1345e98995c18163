// ccmctl orphans, cleanup and doctor with digitalocean.so: what the real manager made, and what it
// did not.
#include "manager_fixture.hpp"
#include "support/command.hpp"

#include <gmock/gmock.h>

#include <set>

namespace ccm::digitalocean_api {
namespace {

using support::CommandOutcome;
using support::eventually;
using support::patience;
using testing::HasSubstr;
using testing::Not;

class CcmctlTest : public ManagerTest {
 protected:
  // `environment`: "NAME=value NAME=value".
  CommandOutcome ccmctl(const std::string& arguments, const std::string& environment) {
    return support::run_command(
        "env HOME= KUBECONFIG= DO_ACCESS_TOKEN=dop_v1_test DO_OVERRIDE_URL=" + cloud_.url() +
        " REGION=nyc3 " + environment + " " CCM_CTL_PROGRAM " " + arguments +
        " --cloud-provider=digitalocean");
  }
  CommandOutcome orphans(const std::string& environment = "DO_CLUSTER_ID=mine") {
    return ccmctl("orphans --kubeconfig=" + server_.kubeconfig().string(), environment);
  }
  // A Service with a load balancer, both made by the real manager, which has ended.
  void served() {
    two_nodes();
    serve("web");
    start("cloud-node-controller,service-lb-controller", {{"DO_CLUSTER_ID", "mine"}});
    ASSERT_TRUE(eventually(patience(), [&] { return has_address("web"); }));
    EXPECT_EQ(manager_->stop().code, 0);
  }
  // The user takes the finalizer off, and the Service goes without its load balancer.
  void lose_service() {
    const std::string path = "/api/v1/namespaces/default/services/web";
    ASSERT_TRUE(
        api_.patch(path, support::kMergePatch, {{"metadata", {{"finalizers", nullptr}}}}).ok());
    ASSERT_EQ(api_.remove(path).status, 200);
  }
  std::string add(const std::string& name, const std::vector<std::string>& tags) {
    json balancer = go_load_balancer(name);
    balancer["tags"] = tags;
    std::string id;
    cloud_.with([&](Api& api) { id = api.add_load_balancer(balancer)["id"]; });
    return id;
  }
  std::set<std::string> names() {
    std::set<std::string> all;
    cloud_.with([&](Api& api) {
      for (const auto& [id, balancer] : api.load_balancers()) all.insert(balancer.at("name"));
    });
    return all;
  }
  int64_t writes() {
    int64_t count = 0;
    cloud_.with([&](Api& api) { count = api.writes(); });
    return count;
  }
};

TEST_F(CcmctlTest, DO_92_ALoadBalancerIsAnOrphanOnceItsServiceIsGone) {
  served();
  if (HasFatalFailure()) return;
  const int64_t before = writes();
  const CommandOutcome needed = orphans();
  EXPECT_EQ(needed.exit_code, 0) << needed.output;
  EXPECT_THAT(needed.output, HasSubstr("No orphans"));
  lose_service();
  const CommandOutcome gone = orphans();
  EXPECT_EQ(gone.exit_code, 1) << gone.output;
  EXPECT_THAT(gone.output, HasSubstr("load-balancer"));
  EXPECT_THAT(gone.output, HasSubstr(" mine "));
  EXPECT_EQ(writes(), before);
  const CommandOutcome cleaned = ccmctl("cleanup --cluster=mine --yes", "");
  EXPECT_EQ(cleaned.exit_code, 0) << cleaned.output;
  EXPECT_TRUE(names().empty());
}

// The default of DigitalOcean's own manager, and so of those who come from it.
TEST_F(CcmctlTest, DO_12_WithoutAClusterIdTheUidOfKubeSystemTellsWhatIsWhose) {
  two_nodes();
  serve("web");
  start("cloud-node-controller,service-lb-controller");
  ASSERT_TRUE(eventually(patience(), [&] { return has_address("web"); }));
  EXPECT_EQ(manager_->stop().code, 0);
  const std::string uid =
      api_.get("/api/v1/namespaces/default/services/web").body["metadata"]["uid"];
  const std::string system = api_.get("/api/v1/namespaces/kube-system").body["metadata"]["uid"];
  const std::string of_uid = "a0f3c6a2e9b1d4c7e8a551d2e3f4a5b6";
  const std::string unknown = add(of_uid, {});
  const std::string theirs = add("theirs", {"k8s:theirs"});
  EXPECT_EQ(orphans("").exit_code, 0);
  lose_service();
  const CommandOutcome gone = orphans("");
  EXPECT_EQ(gone.exit_code, 1) << gone.output;
  EXPECT_THAT(gone.output, HasSubstr(system + "  default/web (" + uid + ")"));
  EXPECT_THAT(gone.output, HasSubstr("its mark names no cluster"));
  EXPECT_THAT(gone.output, HasSubstr("0f3c6a2e-9b1d-4c7e-8a55-1d2e3f4a5b6..."));
  const CommandOutcome wrong = ccmctl("cleanup --cluster=" + system + " --id=lb-nobodys --yes", "");
  EXPECT_EQ(wrong.exit_code, 2) << wrong.output;
  EXPECT_EQ(names().size(), 3U);
  const CommandOutcome cleaned =
      ccmctl("cleanup --cluster=" + system + " --id=" + unknown + " --yes", "");
  EXPECT_EQ(cleaned.exit_code, 0) << cleaned.output;
  EXPECT_EQ(names(), std::set<std::string>{"theirs"});
  const CommandOutcome others =
      ccmctl("cleanup --cluster=" + system + " --id=" + theirs + " --yes", "");
  EXPECT_EQ(others.exit_code, 2) << others.output;
  EXPECT_EQ(names(), std::set<std::string>{"theirs"});
}

TEST_F(CcmctlTest, CleanupLeavesOtherClustersAndUnmarkedOnesAlone) {
  add("mine", {"k8s:mine"});
  add("mine-too", {"k8s:mine:service:11111111-2222-3333-4444-555555555555"});
  add("theirs", {"k8s:theirs"});
  add("both", {"k8s:mine", "k8s:theirs"});
  add("by-hand", {"blue"});
  const std::string of_uid = "a0f3c6a2e9b1d4c7e8a551d2e3f4a5b6";
  add(of_uid, {});
  const CommandOutcome cleaned = ccmctl("cleanup --cluster=mine --yes", "");
  EXPECT_EQ(cleaned.exit_code, 0) << cleaned.output;
  EXPECT_THAT(cleaned.output, HasSubstr("others use it, too"));
  EXPECT_THAT(cleaned.output, HasSubstr("its mark names no cluster"));
  EXPECT_EQ(names(), (std::set<std::string>{"theirs", "both", "by-hand", of_uid}));
}

TEST_F(CcmctlTest, ARefusedDeletionKeepsNoOtherFromBeingMade) {
  const std::string stuck = add("stuck", {"k8s:mine"});
  add("easy", {"k8s:mine"});
  cloud_.with([&](Api& api) {
    ApiFault refused;
    refused.method = "DELETE";
    refused.path_prefix = "/v2/load_balancers/" + stuck;
    refused.status = 403;
    refused.count = -1;
    api.add_fault(refused);
  });
  const CommandOutcome cleaned = ccmctl("cleanup --cluster=mine --yes", "");
  EXPECT_EQ(cleaned.exit_code, 1) << cleaned.output;
  EXPECT_THAT(cleaned.output, HasSubstr("FAILED  load-balancer " + stuck));
  EXPECT_EQ(names(), std::set<std::string>{"stuck"});
}

TEST_F(CcmctlTest, DO_326_NothingIsRemovedAfterAListingThatWasCut) {
  for (int i = 0; i < 250; ++i) add("balancer-" + std::to_string(i), {"k8s:mine"});
  cloud_.with([](Api& api) {
    ApiFault fails;
    fails.method = "GET";
    fails.path_prefix = "/v2/load_balancers";
    fails.status = 200;
    fails.body = R"({"load_balancers":[],"links":{},"meta":{"total":250}})";
    fails.count = -1;
    api.add_fault(fails);
  });
  const CommandOutcome cleaned = ccmctl("cleanup --cluster=mine --yes", "");
  EXPECT_EQ(cleaned.exit_code, 1) << cleaned.output;
  EXPECT_THAT(cleaned.output, Not(HasSubstr("removed")));
  EXPECT_EQ(names().size(), 250U);
  EXPECT_EQ(writes(), 0);
}

TEST_F(CcmctlTest, DoctorSaysWhatIsWrongWithTheCredential) {
  two_nodes();
  const CommandOutcome outcome = support::run_command(
      "env HOME= KUBECONFIG= DO_ACCESS_TOKEN=dop_v1_wrong REGION=nyc3 "
      "DO_OVERRIDE_URL=" +
      cloud_.url() +
      " " CCM_CTL_PROGRAM
      " doctor --login-timeout=2 "
      "--leader-elect=false --own-rights --cloud-provider=digitalocean "
      "--kubeconfig=" +
      server_.kubeconfig().string());
  EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("PROBLEM  cloud "));
  EXPECT_EQ(writes(), 0);
}

TEST_F(CcmctlTest, DoctorTellsWhichRightTheTokenLacks) {
  served();
  if (HasFatalFailure()) return;
  const std::string doctor =
      "doctor --login-timeout=5 --leader-elect=false --own-rights --kubeconfig=" +
      server_.kubeconfig().string();
  const CommandOutcome well = ccmctl(doctor, "DO_CLUSTER_ID=mine");
  EXPECT_EQ(well.exit_code, 0) << well.output;
  EXPECT_THAT(well.output, HasSubstr("the cloud lists instances, and those of 2 Nodes"));
  // The log-in reads a machine; the rest shows in the listings.
  for (const auto& [path, seen] : {std::pair("/v2/droplets", "CheckCredential: "),
                                   std::pair("/v2/load_balancers", "OK       machines ")}) {
    cloud_.with([&, path = path](Api& api) {
      ApiFault fault;
      fault.method = "GET";
      fault.path_prefix = path;
      fault.status = 403;
      fault.count = -1;
      api.add_fault(fault);
    });
    const CommandOutcome refused = ccmctl(doctor, "DO_CLUSTER_ID=mine");
    EXPECT_EQ(refused.exit_code, 1) << refused.output;
    EXPECT_THAT(refused.output, HasSubstr("PROBLEM  cloud "));
    EXPECT_THAT(refused.output, HasSubstr(seen));
    EXPECT_THAT(refused.output, HasSubstr("403"));
    cloud_.with([](Api& api) { api.clear_faults(); });
  }
}

}  // namespace
}  // namespace ccm::digitalocean_api
