// ccmctl orphans, cleanup and doctor with openstack.so: what the real manager made, and what it did
// not.
#include "openstack_api/manager_fixture.hpp"
#include "support/command.hpp"

#include <gmock/gmock.h>

#include <map>
#include <string>

namespace ccm::openstack_api {
namespace {

using support::CommandOutcome;
using support::eventually;
using support::patience;
using testing::HasSubstr;
using testing::Not;

class OpenStackCcmctlTest : public OpenStackManagerTest {
 protected:
  OpenStackCcmctlTest() {
    write_conf("secret", "[Route]\nrouter-id = " + router_id() +
                             "\n[LoadBalancer]\nmanage-security-groups = true\n");
  }
  std::string router_id() { return cloud_.facts().at("ids").at("router"); }

  CommandOutcome ccmctl(const std::string& arguments) {
    return support::run_command(
        "env HOME= KUBECONFIG= " CCM_CTL_PROGRAM " " + arguments +
        " --cloud-provider=openstack --cloud-config=" + (folder_.path() / "cloud.conf").string());
  }
  std::string kubeconfig() { return " --kubeconfig=" + server_.kubeconfig().string(); }

  // Two Nodes with routes and a Service with all that belongs to it, made by the real manager of
  // the cluster "mine", which has ended.
  void served() {
    const auto ids = add_servers("worker-", 2, "private");
    for (int i = 0; i < 2; ++i) {
      join("worker-" + std::to_string(i), "openstack:///" + ids[i],
           "10.244." + std::to_string(i) + ".0/24");
    }
    serve("web");
    start("cloud-node-controller,service-lb-controller,node-route-controller",
          {"--cluster-name=mine", "--cluster-cidr=10.244.0.0/16",
           "--route-reconciliation-period=1s"});
    ASSERT_TRUE(eventually(patience(), [&] {
      return !address("web").empty() && counts()["routes"] == 2;
    })) << tail(manager_->log());
    manager_->stop();
  }
  std::map<std::string, std::size_t> counts() {
    std::map<std::string, std::size_t> all;
    cloud_.with([&](Cloud& cloud) {
      cloud.region().load_balancing.advance();
      for (const json& one : cloud.region().load_balancing.records("loadbalancers")) {
        all["loadbalancers"] += one.at("provisioning_status") == "DELETED" ? 0 : 1;
      }
      for (const json& one : cloud.region().network.records("floatingips")) {
        (void)one;
        ++all["floatingips"];
      }
      for (const json& one : cloud.region().network.records("security_groups")) {
        all["groups"] += one.at("name").get<std::string>().starts_with("lb-sg-") ? 1 : 0;
      }
      all["routes"] =
          cloud.region().network.records("routers").find(router_id())->at("routes").size();
    });
    return all;
  }
  int64_t writes() {
    int64_t count = 0;
    cloud_.with([&](Cloud& cloud) { count = cloud.writes(); });
    return count;
  }
  void forget_calls() {
    cloud_.with([](Cloud& cloud) { cloud.clear_log(); });
  }
  std::string uid_of_cluster() {
    return api_.get("/api/v1/namespaces/kube-system").body["metadata"]["uid"];
  }
};

TEST_F(OpenStackCcmctlTest, OS_307_AllThatTheManagerMadeIsSeenAndCanBeRemoved) {
  served();
  if (HasFatalFailure()) return;
  forget_calls();
  const CommandOutcome needed = ccmctl("orphans --cluster-name=mine" + kubeconfig());
  EXPECT_EQ(needed.exit_code, 0) << needed.output;
  EXPECT_THAT(needed.output, HasSubstr("No orphans"));

  const std::string path = "/api/v1/namespaces/default/services/web";
  ASSERT_TRUE(
      api_.patch(path, support::kMergePatch, {{"metadata", {{"finalizers", nullptr}}}}).ok());
  ASSERT_EQ(api_.remove(path).status, 200);
  ASSERT_EQ(api_.remove("/api/v1/nodes/worker-1").status, 200);
  const CommandOutcome gone = ccmctl("orphans --cluster-name=mine" + kubeconfig());
  EXPECT_EQ(gone.exit_code, 1) << gone.output;
  for (const char* part : {"load-balancer", "floating-ip", "security-group", "route"}) {
    EXPECT_THAT(gone.output, HasSubstr(part));
  }
  EXPECT_THAT(gone.output, HasSubstr("10.244.1.0/24"));
  EXPECT_THAT(gone.output, Not(HasSubstr("10.244.0.0/24")));
  EXPECT_EQ(writes(), 0);

  const CommandOutcome cleaned =
      ccmctl("cleanup --cluster=mine --cluster=" + uid_of_cluster() + " --yes");
  EXPECT_EQ(cleaned.exit_code, 0) << cleaned.output;
  for (const auto& [kind, count] : counts()) EXPECT_EQ(count, 0U) << kind << cleaned.output;
}

TEST_F(OpenStackCcmctlTest, AnotherClustersThingsStay) {
  served();
  if (HasFatalFailure()) return;
  const auto before = counts();
  forget_calls();
  const CommandOutcome cleaned = ccmctl("cleanup --cluster=theirs --yes");
  EXPECT_EQ(cleaned.exit_code, 0) << cleaned.output;
  EXPECT_THAT(cleaned.output, HasSubstr("Nothing to remove"));
  EXPECT_EQ(counts(), before);
  EXPECT_EQ(writes(), 0);
}

TEST_F(OpenStackCcmctlTest, AListingThatFailsHalfWayRemovesNothing) {
  served();
  if (HasFatalFailure()) return;
  const auto before = counts();
  for (const char* path :
       {"/lbaas/loadbalancers", "/v2.0/floatingips", "/v2.0/security-groups", "/v2.0/routers/"}) {
    for (const bool cut : {true, false}) {
      cloud_.with([&](Cloud& cloud) {
        Fault fault;
        fault.path = path;
        fault.cut_body = cut;
        if (!cut) fault.status = 403;
        fault.count = -1;
        cloud.faults.add(fault);
        cloud.clear_log();
      });
      const CommandOutcome cleaned = ccmctl("cleanup --cluster=mine --yes");
      EXPECT_EQ(cleaned.exit_code, 1) << path << cleaned.output;
      EXPECT_EQ(writes(), 0) << path;
      cloud_.with([](Cloud& cloud) { cloud.faults.clear(); });
    }
  }
  EXPECT_EQ(counts(), before);
}

TEST_F(OpenStackCcmctlTest, ARefusedDeletionKeepsNoOtherFromBeingMade) {
  served();
  if (HasFatalFailure()) return;
  cloud_.with([](Cloud& cloud) {
    Fault fault;
    fault.method = "DELETE";
    fault.path = "/v2.0/security-groups/";
    fault.status = 403;
    fault.count = -1;
    cloud.faults.add(fault);
  });
  const CommandOutcome cleaned = ccmctl("cleanup --cluster=mine --yes");
  EXPECT_EQ(cleaned.exit_code, 1) << cleaned.output;
  EXPECT_THAT(cleaned.output, HasSubstr("FAILED  security-group "));
  EXPECT_THAT(cleaned.output, HasSubstr("removed load-balancer "));
  EXPECT_EQ(counts()["loadbalancers"], 0U);
  EXPECT_EQ(counts()["groups"], 1U);
}

TEST_F(OpenStackCcmctlTest, DoctorFindsOrphansAndSecurityGroups) {
  served();
  if (HasFatalFailure()) return;
  const std::string flags =
      "doctor --leader-elect=false --own-rights --cluster-cidr=10.244.0.0/16 "
      "--cluster-name=mine" +
      kubeconfig();
  forget_calls();
  const CommandOutcome well = ccmctl(flags);
  EXPECT_EQ(well.exit_code, 0) << well.output;
  EXPECT_THAT(well.output, HasSubstr("OK      cloud "));
  EXPECT_THAT(well.output, HasSubstr("OK      orphans "));
  EXPECT_THAT(well.output, HasSubstr("security group of the manager lets clients in to 1 Service"));
  ASSERT_EQ(api_.remove("/api/v1/nodes/worker-1").status, 200);
  const CommandOutcome orphans = ccmctl(flags + " -o json");
  EXPECT_EQ(orphans.exit_code, 0) << orphans.output;
  EXPECT_THAT(orphans.output,
              HasSubstr("1 object of this cluster in the cloud is needed by nothing"));
  EXPECT_EQ(writes(), 0);
}

// Nobody removes their finalizer any more.
TEST_F(OpenStackCcmctlTest, DoctorListsTheServicesThatEnabledFalseLeavesBehind) {
  served();
  if (HasFatalFailure()) return;
  const std::string flags =
      "doctor --leader-elect=false --own-rights --cluster-name=mine "
      "--configure-cloud-routes=false" +
      kubeconfig();
  EXPECT_THAT(ccmctl(flags).output, HasSubstr("OK      load-balancer-finalizers "));
  EXPECT_THAT(ccmctl(flags + " --controllers=*,-service-lb-controller").output,
              HasSubstr("WARNING  load-balancer-finalizers "));
  write_conf("secret", "[LoadBalancer]\nenabled = false\n");
  const CommandOutcome left = ccmctl(flags);
  EXPECT_EQ(left.exit_code, 0) << left.output;
  EXPECT_THAT(left.output, HasSubstr("WARNING  load-balancer-finalizers "));
  EXPECT_THAT(left.output, HasSubstr("default/web"));
  ASSERT_EQ(api_.remove("/api/v1/namespaces/default/services/web").status, 200);
  const CommandOutcome stuck = ccmctl(flags);
  EXPECT_EQ(stuck.exit_code, 1) << stuck.output;
  EXPECT_THAT(stuck.output, HasSubstr("PROBLEM  load-balancer-finalizers "));
  EXPECT_THAT(stuck.output, HasSubstr("1 Service that is being deleted stays for its finalizer"));
}

}  // namespace
}  // namespace ccm::openstack_api
