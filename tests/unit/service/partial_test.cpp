// Load balancers that were made in part, and those that several Services share.
#include "service_fixture.hpp"

#include <algorithm>

namespace ccm::service {
namespace {

class PartialTest : public ServiceTest {
 protected:
  // The part that an operation made before it failed.
  static LoadBalancer made(const std::string& id) {
    LoadBalancer balancer;
    balancer.state = LoadBalancerState::pending;
    balancer.id = id;
    balancer.annotations = {{"cloud.example/listener", "l-7"}};
    return balancer;
  }
  void fail_with(Status status, const LoadBalancer& so_far) {
    host.load_balancers.answer_next("ensure", {std::move(status), so_far});
  }
  Json annotations(const std::string& name) const {
    return stored(name)["metadata"].value("annotations", Json::object());
  }
  std::string id_of_last_ensure() const {
    const auto calls = host.load_balancers.calls("ensure");
    return calls.empty() ? "none" : calls.back().service.id;
  }
};

TEST_F(PartialTest, WhatAFailedEnsureMadeIsRecordedBeforeTheFailureIsTold) {
  fail_with(quota(), made("lb-half"));
  put_nodes(1);
  put(balanced("web"));
  bool recorded_first = false;
  host.kube.validate_patches("v1/services", [&](std::string_view before, std::string_view after) {
    const auto has = [](std::string_view text, const char* part) {
      return text.find(part) != std::string_view::npos;
    };
    if (has(after, "SyncLoadBalancerFailed")) recorded_first = has(before, "lb-half");
    return Status();
  });
  start();
  run();
  EXPECT_TRUE(recorded_first);
  EXPECT_EQ(annotations("web")[kIdAnnotationName], "lb-half");
  EXPECT_EQ(annotations("web")["cloud.example/listener"], "l-7");
  EXPECT_EQ(condition("web", kReady)["reason"], "SyncLoadBalancerFailed");
  EXPECT_EQ(take_writes().size(), 3U) << "finalizer, id, condition";
}

TEST_F(PartialTest, TheNextRunGoesOnFromThere) {
  fail_with(down(), made("lb-half"));
  put(balanced("web"));
  start();
  run();
  const auto calls = host.load_balancers.calls("ensure");
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].service.id, "");
  EXPECT_EQ(calls[1].service.id, "lb-half");
  EXPECT_NE(address("web"), "");
}

TEST_F(PartialTest, AfterARestartToo) {
  fail_with(quota(), made("lb-half"));
  put(balanced("web"));
  start();
  run();
  start();
  run();
  const auto calls = host.load_balancers.calls();
  ASSERT_FALSE(calls.empty());
  EXPECT_EQ(calls.back().service.id, "lb-half");
}

TEST_F(PartialTest, AnIdThatCouldNotBeRecordedIsKnownAllTheSame) {
  Json service = balanced("web");
  service["metadata"]["finalizers"] = {kCleanup};
  put(service);
  fail_with(down(), made("lb-half"));
  host.load_balancers.before_next(
      "ensure", [this] { host.kube.fail_next("patch", "v1/services/status", down()); });
  start();
  run();
  EXPECT_TRUE(host.log.contains("Could not record what a failed operation has made"));
  advance(seconds(20));
  EXPECT_EQ(id_of_last_ensure(), "lb-half");
}

TEST_F(PartialTest, AnIdThatIsRecordedInPlaceOfAnotherEndsNoWait) {
  fail_with(quota(), made("lb-half"));
  Json service = balanced("web");
  service["metadata"]["annotations"][kIdAnnotationName] = "lb-of-yesterday";
  put(service);
  start();
  run();
  EXPECT_EQ(annotations("web")[kIdAnnotationName], "lb-half");
  EXPECT_EQ(take_cloud(), Texts{"ensure"});
  put_node(plain_node("new"));
  advance(seconds(5));
  EXPECT_TRUE(take_cloud().empty());
}

TEST_F(PartialTest, AWaitCarriesItsIdToo) {
  fail_with(Status(Code::unavailable, ErrorClass::waiting, "the network is being made")
                .with_retry_after(seconds(3)),
            made("lb-half"));
  put_nodes(1);
  put(balanced("web"));
  start();
  run();
  EXPECT_EQ(annotations("web")[kIdAnnotationName], "lb-half");
  EXPECT_EQ(condition("web", kReady)["message"], "the network is being made");
  EXPECT_EQ(take_events(), Texts{"Normal EnsuringLoadBalancer"});
  advance(seconds(3));
  EXPECT_EQ(id_of_last_ensure(), "lb-half");
}

TEST_F(PartialTest, AFailureWithoutAnIdRecordsNothing) {
  fail_with(down(), made(""));
  put(balanced("web"));
  start();
  run();
  EXPECT_EQ(annotations("web"), Json::object());
}

TEST_F(PartialTest, AQuotaEndsWithAChangeOfTheService) {
  fail_with(quota(), made("lb-half"));
  put(balanced("web"));
  start();
  run();
  host.load_balancers.clear_calls();
  advance(minutes(1));
  EXPECT_TRUE(host.load_balancers.calls("ensure").empty());
  edit("web", [](Json& s) { s["spec"]["ports"][0]["port"] = 81; });
  run();
  ASSERT_EQ(host.load_balancers.calls("ensure").size(), 1U);
  EXPECT_EQ(id_of_last_ensure(), "lb-half");
  EXPECT_NE(address("web"), "");
}

// --- shared by several Services

class SharedTest : public PartialTest {
 protected:
  LoadBalancer shared() {
    LoadBalancer balancer;
    balancer.state = LoadBalancerState::shared;
    balancer.id = "lb-shared";
    Ingress ingress;
    ingress.ip = "192.0.2.7";
    balancer.ingress = {ingress};
    return balancer;
  }
  void share(const std::string& name) {
    host.load_balancers.balancers["uid-of-" + name].shown = shared();
    put(balanced(name));
  }
};

TEST_F(SharedTest, BothServicesAreReadyAtOneAddress) {
  put_nodes(1);
  share("web");
  share("api");
  start();
  run();
  for (const char* name : {"web", "api"}) {
    EXPECT_EQ(address(name), "192.0.2.7") << name;
    EXPECT_EQ(annotations(name)[kIdAnnotationName], "lb-shared") << name;
  }
  const Texts events = take_events();
  EXPECT_EQ(std::count(events.begin(), events.end(), "Normal EnsuredLoadBalancer"), 2);
}

TEST_F(SharedTest, ARestartAndAnAuditFindNothingToDo) {
  put_nodes(1);
  share("web");
  share("api");
  start();
  run();
  start();
  run();
  take_writes();
  take_events();
  take_cloud();
  advance(minutes(61));
  const Texts cloud = take_cloud();
  EXPECT_FALSE(cloud.empty());
  EXPECT_EQ(std::count(cloud.begin(), cloud.end(), "ensure"), 0);
  EXPECT_TRUE(take_writes().empty());
  EXPECT_TRUE(take_events().empty());
}

TEST_F(SharedTest, OneThatGoesLeavesTheOtherAlone) {
  put_nodes(1);
  share("web");
  share("api");
  start();
  run();
  host.load_balancers.clear_calls();
  mark_deleted("web");
  run();
  EXPECT_FALSE(exists("web"));
  const auto removed = host.load_balancers.calls("remove");
  ASSERT_EQ(removed.size(), 1U);
  EXPECT_EQ(removed[0].service.uid, "uid-of-web");
  EXPECT_EQ(removed[0].service.id, "lb-shared");
  EXPECT_EQ(address("api"), "192.0.2.7");
}

}  // namespace
}  // namespace ccm::service
