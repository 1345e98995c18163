#include "network_fixture.hpp"

#include <utility>

namespace sandbox {
namespace {

using ccm::Code;
using ccm::ErrorClass;
using ccm::LoadBalancerState;
using std::chrono::milliseconds;

class BalancerTest : public NetworkTest {};

TEST_F(BalancerTest, FromNothingToAnAddress) {
  settings({{"active_ms", 3'600'000}});
  EXPECT_EQ(observe(service(), {"node-0"})->state, LoadBalancerState::absent);
  const auto created = ensure(service(), {"node-1", "node-0"});
  ASSERT_TRUE(created.ok()) << created.status().message();
  EXPECT_EQ(created->state, LoadBalancerState::pending);
  EXPECT_EQ(created->id, "lb-1");
  EXPECT_EQ(created->retry_after, milliseconds(5'000));
  EXPECT_TRUE(created->ingress.empty());
  control("POST", "/load_balancers/lb-1/activate");
  const auto active = observe(service(), {"node-0", "node-1"});
  EXPECT_EQ(active->state, LoadBalancerState::active);
  EXPECT_EQ(active->difference, "");
  ASSERT_EQ(active->ingress.size(), 1u);
  EXPECT_EQ(active->ingress[0].ip, "198.18.0.2");
}

TEST_F(BalancerTest, ASecondEnsureOnlyReads) {
  ccm::LoadBalancerService wanted = service();
  wanted.id = ensure(service(), {"node-0"})->id;
  take_calls();
  EXPECT_EQ(ensure(wanted, {"node-0"})->difference, "");
  EXPECT_EQ(take_calls(), (Json{{"GetLoadBalancer", 1}}));
}

TEST_F(BalancerTest, EveryMemberIsComparedAndRepaired) {
  ccm::LoadBalancerService wanted = service();
  wanted.id = ensure(wanted, {"node-0"})->id;
  wanted.ports.push_back({"dns", "UDP", "", 53, 30053});
  wanted.source_ranges = {"10.0.0.0/8"};
  wanted.ip_families = {"IPv4", "IPv6"};
  wanted.local_traffic = true;
  wanted.health_check_node_port = 31000;
  wanted.client_ip_affinity = true;
  wanted.affinity_timeout = std::chrono::seconds(60);
  const std::string all =
      "ports, backends, source ranges, IP families, health check, session affinity";
  EXPECT_EQ(observe(wanted, {"node-1"})->difference, all);
  EXPECT_EQ(ensure(wanted, {"node-1"})->difference, all);
  EXPECT_EQ(observe(wanted, {"node-1"})->difference, "");
  EXPECT_EQ(balancers()[0].at("health_check").at("path"), "/healthz");
  EXPECT_EQ(observe(wanted, {"node-1"})->ingress.size(), 2u);
  control("PUT", "/load_balancers/lb-1", {{"source_ranges", Json::array()}});
  EXPECT_EQ(observe(wanted, {"node-1"})->difference, "source ranges");
  EXPECT_EQ(ensure(wanted, {"node-1"})->difference, "source ranges");
}

TEST_F(BalancerTest, BackendsAloneAreChanged) {
  EXPECT_EQ(update(service(), {"node-0"}).status().code(), Code::not_found);
  make(service(), {"node-0"});
  take_calls();
  EXPECT_EQ(update(service(), {"node-2", "node-1"})->difference, "backends");
  EXPECT_EQ(balancers()[0].at("backends"), (Json{"node-1", "node-2"}));
  EXPECT_EQ(update(service(), {"node-1", "node-2"})->difference, "");
  EXPECT_EQ(take_calls(), (Json{{"ListLoadBalancers", 2}, {"UpdateBackends", 1}}));
}

TEST_F(BalancerTest, ALostAnswerLeadsToNoSecondOne) {
  fault("CreateLoadBalancer", "lost", {{"count", 1}});
  EXPECT_EQ(ensure(service(), {}).status().error_class(), ErrorClass::unavailable);
  EXPECT_EQ(ensure(service(), {})->id, "lb-1");
  EXPECT_EQ(balancers().size(), 1u);
}

TEST_F(BalancerTest, AnAnswerWithoutADeedIsFoundOut) {
  fault("CreateLoadBalancer", "nothing", {{"count", 1}});
  ccm::LoadBalancerService wanted = service();
  wanted.id = ensure(wanted, {})->id;
  EXPECT_EQ(observe(wanted, {})->state, LoadBalancerState::absent);
  EXPECT_EQ(ensure(wanted, {})->difference, "created");
  EXPECT_EQ(balancers().size(), 1u);
}

TEST_F(BalancerTest, AnothersIsNeitherChangedNorDeleted) {
  make(service("u-2"), {});
  ccm::LoadBalancerService wrong = service("u-1");
  wrong.id = "lb-1";
  take_calls();
  EXPECT_EQ(observe(wrong, {})->state, LoadBalancerState::foreign);
  EXPECT_EQ(ensure(wrong, {"node-0"})->state, LoadBalancerState::foreign);
  EXPECT_EQ(update(wrong, {"node-0"})->state, LoadBalancerState::foreign);
  const ccm::Status status = remove(wrong);
  EXPECT_EQ(status.code(), Code::failed_precondition);
  EXPECT_EQ(status.reason(), "NotOwned");
  EXPECT_EQ(take_calls(), (Json{{"GetLoadBalancer", 4}, {"ListLoadBalancers", 1}}));
}

// An id is written by the user, so it proves nothing.
TEST_F(BalancerTest, OneWithoutAMarkIsNeitherChangedNorDeleted) {
  control("PUT", "/load_balancers/by-hand", {{"name", "by-hand"}});
  const Json before = balancers();
  ccm::LoadBalancerService wrong = service();
  wrong.id = "by-hand";
  EXPECT_EQ(observe(wrong, {})->state, LoadBalancerState::foreign);
  EXPECT_EQ(ensure(wrong, {"node-0"})->state, LoadBalancerState::foreign);
  EXPECT_EQ(update(wrong, {"node-0"})->state, LoadBalancerState::foreign);
  EXPECT_EQ(remove(wrong).reason(), "NotOwned");
  EXPECT_EQ(balancers(), before);
}

TEST_F(BalancerTest, AnIdThatLeadsElsewhereSavesItsOwnFromNothing) {
  settings({{"active_ms", 0}});
  make(service("u-2"), {});
  make(service(), {});
  ccm::LoadBalancerService swapped = service();
  swapped.id = "lb-1";
  EXPECT_EQ(remove(swapped).reason(), "NotOwned");
  ASSERT_EQ(balancers().size(), 1u);
  EXPECT_EQ(balancers()[0].at("id"), "lb-1");
}

TEST_F(BalancerTest, AnotherClustersMarkIsNotOurs) {
  ccm::LoadBalancerService theirs = service();
  theirs.cluster_name = "other";
  make(theirs, {});
  EXPECT_EQ(observe(service(), {})->state, LoadBalancerState::absent);
  EXPECT_EQ(ensure(service(), {})->id, "lb-2");
}

TEST_F(BalancerTest, AdoptedByTheAdministratorsWord) {
  control("PUT", "/load_balancers/old", {{"name", "old"}, {"owner", {{"cluster", "x"}}}});
  ccm::LoadBalancerService wanted = service();
  wanted.adopt_id = "old";
  EXPECT_EQ(ensure(wanted, {"node-0"})->id, "old");
  EXPECT_EQ(balancers()[0].at("owner").at("service_uid"), "u-1");
  wanted.adopt_id = "nobody";
  const ccm::Status status = ensure(wanted, {}).status();
  EXPECT_EQ(status.error_class(), ErrorClass::invalid_spec);
  EXPECT_EQ(status.reason(), "AdoptionFailed");
}

TEST_F(BalancerTest, DeletionWaitsForTheCloudAndIsVerified) {
  settings({{"active_ms", 0}, {"delete_ms", 3'600'000}});
  make(service(), {});
  const ccm::Status waiting = remove(service());
  EXPECT_EQ(waiting.error_class(), ErrorClass::waiting);
  EXPECT_GT(waiting.retry_after().count(), 0);
  take_calls();
  EXPECT_EQ(remove(service()).error_class(), ErrorClass::waiting);
  EXPECT_EQ(take_calls(), (Json{{"ListLoadBalancers", 1}, {"GetLoadBalancer", 1}}));
  control("DELETE", "/load_balancers/lb-1");
  EXPECT_TRUE(remove(service()).ok());

  make(service(), {});
  settings({{"active_ms", 0}});
  fault("DeleteLoadBalancer", "nothing", {{"count", 1}});
  EXPECT_EQ(remove(service()).error_class(), ErrorClass::waiting);
  EXPECT_TRUE(remove(service()).ok());
  EXPECT_TRUE(balancers().empty());
}

TEST_F(BalancerTest, DeletionTakesAllWithItsMarkAndNoOther) {
  make(service(), {});
  make(service("u-2"), {});
  control("PUT", "/load_balancers/lb-1", {{"owner", nullptr}});
  control("PUT", "/load_balancers/lb-9",
          {{"owner", {{"cluster", "kubernetes"}, {"service_uid", "u-1"}}}});
  ccm::LoadBalancerService gone = service();
  gone.id = "lb-1";
  gone.ports.clear();  // TRAP-41
  EXPECT_EQ(remove(gone).reason(), "NotOwned");
  ASSERT_EQ(balancers().size(), 2u);
  EXPECT_EQ(balancers()[0].at("id"), "lb-1");  // nobody's since it lost its mark
  EXPECT_EQ(balancers()[1].at("owner").at("service_uid"), "u-2");
}

TEST_F(BalancerTest, AnnotationsAndParametersOfTheClass) {
  ccm::LoadBalancerService wanted = service();
  wanted.parameters = {{"internal", "true"}, {"ip-mode", "VIP"}};
  annotate(wanted, {{"sandbox.cloud/ip-mode", "Proxy"},
                    {"sandbox.cloud/port-errors", "80/TCP=example.com/Busy"}});
  const auto made = ensure(wanted, {});
  ASSERT_TRUE(made.ok()) << made.status().message();
  ASSERT_EQ(made->ingress.size(), 1u);
  EXPECT_EQ(made->ingress[0].ip, "10.255.0.2");
  EXPECT_EQ(made->ingress[0].ip_mode, "Proxy");
  ASSERT_EQ(made->ingress[0].ports.size(), 1u);
  EXPECT_EQ(made->ingress[0].ports[0].error, "example.com/Busy");
  annotate(wanted, {{"sandbox.cloud/hostname", "lb.example"}});
  EXPECT_EQ(ensure(wanted, {})->ingress[0].hostname, "lb.example");
}

TEST_F(BalancerTest, WhatCannotBeIsPermanent) {
  for (const auto& [name, value] : {std::pair("ip-mode", "Both"), std::pair("internal", "maybe"),
                                    std::pair("port-errors", "80")}) {
    ccm::LoadBalancerService wanted = service();
    annotate(wanted, {{std::string("sandbox.cloud/") + name, value}});
    const ccm::Status status = ensure(wanted, {}).status();
    EXPECT_EQ(status.error_class(), ErrorClass::invalid_spec) << name;
    EXPECT_NE(status.message().find(name), std::string::npos) << status.message();
  }
  ccm::LoadBalancerService sctp = service();
  sctp.ports = {{"", "SCTP", "", 80, 30080}};
  EXPECT_EQ(ensure(sctp, {}).status().error_class(), ErrorClass::invalid_spec);
  settings({{"load_balancers", 1}, {"active_ms", 0}});
  make(service(), {});
  EXPECT_EQ(ensure(service("u-2"), {}).status().error_class(), ErrorClass::quota);
}

TEST_F(BalancerTest, CLOUD_13_BackendsWithoutAProviderIdAreFoundByName) {
  const auto table = provider.interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
  std::vector<ccm::Backend> backends = nodes({"node-0", "node-1", "gone"});
  backends[1].provider_id.clear();
  backends[2].provider_id.clear();
  backends.push_back({"elsewhere", "other://1", {}, ccm::Object()});
  const auto made = provider.finish(provider.start(
      "ensure", ccm::LoadBalancers::Apply{table, &ccm_cloud_loadbalancers::ensure, "ensure",
                                          provider.ctx(), service(), backends}));
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(balancers()[0].at("backends"), (Json{"node-0", "node-1"}));
}

TEST_F(BalancerTest, GarbageIsNoAnswer) {
  make(service(), {});
  for (const char* operation : {"ListLoadBalancers", "GetLoadBalancer", "DeleteLoadBalancer"}) {
    fault(operation, "garbage");
    ccm::LoadBalancerService recorded = service();
    if (std::string(operation) == "GetLoadBalancer") recorded.id = "lb-1";
    const auto observed = observe(recorded, {});
    if (std::string(operation) != "DeleteLoadBalancer") {
      EXPECT_EQ(observed.status().code(), Code::data_loss) << operation;
    } else {
      EXPECT_TRUE(observed.ok());
    }
  }
}

TEST_F(BalancerTest, LimitsAreTheClouds) {
  settings({{"load_balancers", 7}, {"backends", 9}});
  const auto table = provider.interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
  const auto limits =
      provider.finish(provider.start("limits", ccm::LoadBalancers::Limits{table, provider.ctx()}));
  EXPECT_EQ(limits->load_balancers, 7);
  EXPECT_EQ(limits->backends, 9);
}

}  // namespace
}  // namespace sandbox
