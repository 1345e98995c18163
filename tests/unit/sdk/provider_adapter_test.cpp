#include <ccm/testing/fake_component.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>

namespace ccm {
namespace {

using testing::Dispatch;
using testing::FakeComponent;
using testing::FakeHost;
using testing::plugin_of;

Instance machine(const std::string& id) {
  Instance instance;
  instance.state = InstanceState::running;
  instance.provider_id = "test://" + id;
  instance.name = id;
  instance.instance_type = "small";
  instance.zone = "z1";
  instance.region = "r1";
  instance.addresses = {{"InternalIP", "10.0.0.1"}, {"Hostname", id}};
  instance.labels = {{"rack", "7"}};
  return instance;
}

struct OnlyList {
  explicit OnlyList(Host&) {}
  Result<std::vector<Instance>> list(const Ctx&) {
    return std::vector<Instance>{machine("a"), machine("b")};
  }
};

struct Coroutines {
  explicit Coroutines(Host& h) : host(h) {}
  Task<Status> initialize(Ctx ctx) {
    HttpRequest request;
    request.url = "http://cloud/login";
    request.headers = {{"authorization", "Bearer t"}};
    auto answer = co_await host.http.send(ctx, std::move(request));
    if (!answer.ok()) co_return answer.status();
    if (answer->status_code != 200) {
      co_return Status(Code::unauthenticated, ErrorClass::auth, answer->body)
          .with_reason("BadToken")
          .with_retry_after(std::chrono::seconds(7));
    }
    co_return Status();
  }
  Task<Status> shutdown(Ctx ctx) {
    Status slept = co_await host.timer.sleep(ctx, std::chrono::seconds(60));
    co_return slept;
  }
  bool has_cluster_id() { return true; }
  Task<Result<std::vector<Instance>>> describe(Ctx, std::vector<NodeIdentity> nodes) {
    std::vector<Instance> answer;
    for (const NodeIdentity& node : nodes) {
      answer.push_back(machine(node.name + std::string(node.node.text("/metadata/labels/rack"))));
    }
    co_return answer;
  }
  Task<Result<Instance>> get(Ctx, NodeIdentity node) {
    if (node.provider_id.empty()) {
      co_return Status(Code::not_found, ErrorClass::not_found, "no such machine");
    }
    co_return machine(node.provider_id);
  }
  Host& host;
};

struct Blocking {
  explicit Blocking(Host& h) : host(h) {}
  Status initialize(Ctx ctx) {
    initialized_on = std::this_thread::get_id();
    HttpRequest request;
    request.url = "http://cloud/slow";
    return host.http.send_blocking(std::move(ctx), std::move(request)).status();
  }
  Result<Instance> get(Ctx ctx, NodeIdentity) {
    auto object = host.kube.get(std::move(ctx), {"v1/nodes", "n1", "", ""}).wait();
    if (!object.ok()) return object.status();
    return machine(std::string(object->text("/spec/providerID")));
  }
  Host& host;
  std::thread::id initialized_on;
};

struct BlocksOnTheLoop {
  explicit BlocksOnTheLoop(Host& h) : host(h) {}
  Status initialize(Ctx ctx) {
    HttpRequest request;
    request.url = "http://cloud/slow";
    return host.http.send_blocking(std::move(ctx), std::move(request)).status();
  }
  Host& host;
};

struct Throwing {
  explicit Throwing(Host&) {}
  Status initialize(Ctx) { throw std::runtime_error("no login"); }
  Task<Status> shutdown(Ctx) {
    throw std::logic_error("no logout");
    co_return Status();
  }
  bool has_cluster_id() { throw std::runtime_error("no id"); }
  Result<std::vector<Instance>> list(Ctx) { throw 42; }
};

struct ThrowsWhenMade {
  explicit ThrowsWhenMade(Host&) { throw std::runtime_error("cannot start"); }
  Status initialize(Ctx) { return {}; }
};

TEST(ProviderAdapter, FillsOnlyTheSlotsOfMethodsThatExist) {
  FakeHost host;
  FakeComponent component(host, plugin_of<OnlyList, Dispatch::loop>(), "test");
  ASSERT_TRUE(component.created().ok());
  const auto instances = component.interface<ccm_cloud_instances>(CCM_CLOUD_INSTANCES);
  EXPECT_NE(instances.get(&ccm_cloud_instances::list), nullptr);
  EXPECT_EQ(instances.get(&ccm_cloud_instances::describe), nullptr);
  EXPECT_EQ(instances.get(&ccm_cloud_instances::get), nullptr);
  const auto provider = component.interface<ccm_provider>(CCM_PROVIDER);
  ASSERT_TRUE(provider);
  EXPECT_EQ(provider.get(&ccm_provider::initialize), nullptr);
  EXPECT_EQ(provider.get(&ccm_provider::shutdown), nullptr);
  EXPECT_EQ(provider.get(&ccm_provider::has_cluster_id), nullptr);
  EXPECT_FALSE(component.interface<ccm_controller>(CCM_CONTROLLER));
}

TEST(ProviderAdapter, InstancesCrossUnchanged) {
  FakeHost host;
  FakeComponent component(host, plugin_of<OnlyList, Dispatch::loop>(), "test");
  const auto list = component.list();
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->instances, (std::vector<Instance>{machine("a"), machine("b")}));
}

TEST(ProviderAdapter, CoroutinesUseTheHost) {
  FakeHost host;
  FakeComponent component(host, plugin_of<Coroutines, Dispatch::loop>(), "test");
  host.http.expect("GET", "http://cloud/login").answer(200, "welcome");
  EXPECT_TRUE(component.initialize().ok());
  ASSERT_EQ(host.http.requests().size(), 1U);
  EXPECT_EQ(host.http.requests()[0].headers[0].value, "Bearer t");
  EXPECT_TRUE(component.interface<ccm_provider>(CCM_PROVIDER)
                  .get(&ccm_provider::has_cluster_id)(
                      component.interface<ccm_provider>(CCM_PROVIDER).self()));
  EXPECT_TRUE(host.faults().empty());
}

TEST(ProviderAdapter, AFailureKeepsClassReasonAndDelay) {
  FakeHost host;
  FakeComponent component(host, plugin_of<Coroutines, Dispatch::loop>(), "test");
  host.http.expect("GET", "http://cloud/login").answer(401, "the token is wrong");
  const Status status = component.initialize();
  EXPECT_EQ(status.code(), Code::unauthenticated);
  EXPECT_EQ(status.error_class(), ErrorClass::auth);
  EXPECT_EQ(status.reason(), "BadToken");
  EXPECT_EQ(status.message(), "the token is wrong");
  EXPECT_EQ(status.retry_after(), std::chrono::seconds(7));
}

TEST(ProviderAdapter, IdentitiesCrossWithTheirNode) {
  FakeHost host;
  FakeComponent component(host, plugin_of<Coroutines, Dispatch::loop>(), "test");
  const Object node = host.objects.make(R"({"metadata": {"labels": {"rack": "9"}}})");
  const auto answer = component.describe({{"n1", "", node}, {"n2", "", {}}});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ((*answer)[0].name, "n19");
  EXPECT_EQ((*answer)[1].name, "n2");
  EXPECT_EQ(component.get({"n1", "x", {}})->provider_id, "test://x");
  EXPECT_EQ(component.get({"n1", "", {}}).status().error_class(), ErrorClass::not_found);
}

TEST(ProviderAdapter, CancellationReachesAnAwaitedCall) {
  FakeHost host;
  FakeComponent component(host, plugin_of<Coroutines, Dispatch::loop>(), "test");
  host.http.expect("GET", "http://cloud/login").hang();
  const Ctx ctx = host.contexts.make();
  const auto pending = component.start_initialize(ctx);
  host.loop.run();
  EXPECT_FALSE(pending.done());
  host.contexts.cancel(ctx);
  host.loop.run();
  ASSERT_TRUE(pending.done());
  EXPECT_EQ(pending.outcome().code(), Code::cancelled);
}

TEST(ProviderAdapter, ASleepEndsWithItsCtx) {
  FakeHost host;
  FakeComponent component(host, plugin_of<Coroutines, Dispatch::loop>(), "test");
  EXPECT_EQ(component.shutdown().code(), Code::deadline_exceeded);
  const Ctx patient = host.contexts.make(std::chrono::minutes(5));
  const auto pending = component.start_shutdown(patient);
  host.loop.advance(std::chrono::seconds(59));
  EXPECT_FALSE(pending.done());
  host.loop.advance(std::chrono::seconds(2));
  ASSERT_TRUE(pending.done());
  EXPECT_TRUE(pending.outcome().ok());
}

TEST(ProviderAdapter, BlockingMethodsWaitOnAWorkerThread) {
  FakeHost host;
  FakeComponent component(host, plugin_of<Blocking, Dispatch::workers>(), "test");
  host.http.expect("GET", "http://cloud/slow").answer(200, "").after(std::chrono::seconds(3));
  const auto before = host.loop.now();
  EXPECT_TRUE(component.initialize().ok());
  EXPECT_GE(host.loop.now() - before, std::chrono::seconds(3));
  host.kube.put("v1/nodes", R"({"metadata": {"name": "n1"}, "spec": {"providerID": "p"}})");
  const auto instance = component.get({"n1", "", {}});
  ASSERT_TRUE(instance.ok()) << instance.status().message();
  EXPECT_EQ(instance->provider_id, "test://p");
}

TEST(ProviderAdapter, ABlockingCallOnTheLoopIsRefused) {
  FakeHost host;
  FakeComponent component(host, plugin_of<BlocksOnTheLoop, Dispatch::loop>(), "test");
  EXPECT_EQ(component.initialize().code(), Code::failed_precondition);
  EXPECT_TRUE(host.http.requests().empty());
}

TEST(ProviderAdapter, CoroutinesNeedANonblockingManifest) {
  FakeHost host;
  FakeComponent component(host, plugin_of<Coroutines, Dispatch::workers>(), "test");
  EXPECT_EQ(component.created().code(), Code::failed_precondition);
  EXPECT_NE(component.created().message().find("\"nonblocking\": true"), std::string::npos);
}

TEST(ProviderAdapter, NoExceptionPasses) {
  FakeHost host;
  FakeComponent component(host, plugin_of<Throwing, Dispatch::loop>(), "test");
  EXPECT_EQ(component.initialize().message(), "unhandled exception: no login");
  EXPECT_EQ(component.shutdown().message(), "unhandled exception: no logout");
  EXPECT_EQ(component.list().status().code(), Code::internal);
  const auto provider = component.interface<ccm_provider>(CCM_PROVIDER);
  EXPECT_FALSE(provider.get(&ccm_provider::has_cluster_id)(provider.self()));
  const auto errors = host.log.lines(CCM_LOG_ERROR);
  ASSERT_EQ(errors.size(), 3U);
  EXPECT_EQ(errors[0].value("operation"), "initialize");
  EXPECT_EQ(errors[1].value("operation"), "shutdown");
  EXPECT_EQ(errors[2].value("operation"), "list");
}

TEST(ProviderAdapter, NoExceptionPassesFromAWorker) {
  FakeHost host;
  struct OnWorker {
    explicit OnWorker(Host&) {}
    Status initialize(Ctx) { throw std::runtime_error("no login"); }
  };
  FakeComponent component(host, plugin_of<OnWorker, Dispatch::workers>(), "test");
  EXPECT_EQ(component.initialize().message(), "unhandled exception: no login");
}

TEST(ProviderAdapter, AConstructorThatThrowsFailsTheCreation) {
  FakeHost host;
  FakeComponent component(host, plugin_of<ThrowsWhenMade, Dispatch::loop>(), "test");
  EXPECT_EQ(component.created().message(), "unhandled exception: cannot start");
}

TEST(ProviderAdapter, AnUnknownComponentIsNamed) {
  FakeHost host;
  FakeComponent component(host, plugin_of<OnlyList, Dispatch::loop>(), "other");
  EXPECT_EQ(component.created().code(), Code::not_found);
  EXPECT_NE(component.created().message().find("\"other\""), std::string::npos);
}

TEST(ProviderAdapter, DestroyFreesWhatStillWaits) {
  FakeHost host;
  FakeComponent component(host, plugin_of<Coroutines, Dispatch::loop>(), "test");
  host.http.expect("GET", "http://cloud/login").hang();
  const auto waits_for_http = component.start_initialize(host.contexts.make());
  const auto sleeps = component.start_shutdown(host.contexts.make());
  host.loop.run();
  component.destroy();
  host.loop.run();
  EXPECT_EQ(waits_for_http.outcome().code(), Code::cancelled);
  EXPECT_EQ(sleeps.outcome().code(), Code::cancelled);
  EXPECT_TRUE(host.faults().empty());
}

TEST(ProviderAdapter, AMissingServiceIsNamedInTheError) {
  FakeHost host;
  host.hide(CCM_HOST_HTTP);
  host.hide(CCM_HOST_TIMER);
  FakeComponent component(host, plugin_of<Coroutines, Dispatch::loop>(), "test");
  EXPECT_EQ(component.initialize().code(), Code::unimplemented);
  EXPECT_NE(component.initialize().message().find(CCM_HOST_HTTP), std::string::npos);
  EXPECT_NE(component.shutdown().message().find(CCM_HOST_TIMER), std::string::npos);
}

}  // namespace
}  // namespace ccm
