// Services beyond the first ones: HTTP clients of one's own, files, cryptography, queue and hints,
// the cache's answers, lists, Events by reference.
#include <ccm/testing/fake_component.hpp>
#include <ccm/testing/fake_controller.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ccm {
namespace {

using testing::Dispatch;
using testing::FakeComponent;
using testing::FakeController;
using testing::FakeHost;
using testing::plugin_of;

// A component that runs what a test says.
struct Scripted {
  explicit Scripted(Host& h) : host(h) { last = this; }
  Task<Status> initialize(Ctx ctx) { return script(*this, std::move(ctx)); }
  static inline Scripted* last = nullptr;
  static inline Task<Status> (*script)(Scripted&, Ctx) = nullptr;
  Host& host;
  Http http;
  std::string seen;
};

class HostServices : public ::testing::Test {
 protected:
  Status run(Task<Status> (*script)(Scripted&, Ctx)) {
    Scripted::script = script;
    return component.initialize();
  }
  static Scripted& scripted() { return *Scripted::last; }
  FakeHost host;
  FakeComponent component{host, plugin_of<Scripted, Dispatch::loop>(), "test"};
};

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += kDigits[static_cast<uint8_t>(c) >> 4U];
    text += kDigits[static_cast<uint8_t>(c) & 0xFU];
  }
  return text;
}

Task<Status> open_client(Scripted& self, Ctx ctx) {
  HttpClientOptions options;
  options.name = "keystone";
  options.ca_file = "/etc/ca.pem";
  options.certificate_pem = "CERT";
  options.key_file = "/etc/key.pem";
  options.server_name = "cloud.internal";
  options.fingerprint = "AB:CD";
  options.proxy = "http://proxy:3128";
  options.insecure = true;
  options.max_connections = 4;
  options.body_limit = 1 << 20;
  options.secrets = {"hunter2"};
  auto client = co_await self.host.http_clients.open(ctx, std::move(options));
  if (!client.ok()) co_return client.status();
  self.http = std::move(*client);
  co_return Status();
}

Task<Status> send_by_client(Scripted& self, Ctx ctx) {
  HttpRequest request;
  request.method = "POST";
  request.url = "https://cloud.internal/v3/auth/tokens";
  request.body = R"({"password": "hunter2"})";
  request.secrets = {"hunter2"};
  request.idempotent = true;
  request.read_only = true;
  const auto answer = co_await self.http.send(ctx, std::move(request));
  if (!answer.ok()) co_return answer.status();
  self.seen = answer->body;
  co_return Status();
}

TEST_F(HostServices, R_140_AClientOfItsOwnHasTheOptionsThatWereGiven) {
  ASSERT_TRUE(run(&open_client).ok());
  const auto clients = host.http.clients();
  ASSERT_EQ(clients.size(), 1U);
  EXPECT_EQ(clients[0].name, "keystone");
  EXPECT_EQ(clients[0].ca_file, "/etc/ca.pem");
  EXPECT_EQ(clients[0].certificate_pem, "CERT");
  EXPECT_EQ(clients[0].key_file, "/etc/key.pem");
  EXPECT_EQ(clients[0].server_name, "cloud.internal");
  EXPECT_EQ(clients[0].fingerprint, "AB:CD");
  EXPECT_EQ(clients[0].proxy, "http://proxy:3128");
  EXPECT_TRUE(clients[0].insecure);
  EXPECT_FALSE(clients[0].no_proxy);
  EXPECT_EQ(clients[0].max_connections, 4U);
  EXPECT_EQ(clients[0].body_limit, 1 << 20);
  EXPECT_EQ(clients[0].secrets, std::vector<std::string>{"hunter2"});
  host.http.expect("POST", "https://cloud.internal/v3/auth/tokens").answer(201, "token");
  ASSERT_TRUE(run(&send_by_client).ok());
  EXPECT_EQ(scripted().seen, "token");
  EXPECT_EQ(host.http.client_of(0), 0U);
  const HttpRequest sent = host.http.requests()[0];
  EXPECT_TRUE(sent.idempotent && sent.read_only);
  EXPECT_EQ(sent.secrets, std::vector<std::string>{"hunter2"});
}

TEST_F(HostServices, R_142_AClientIsClosedWithItsLastUser) {
  ASSERT_TRUE(run(&open_client).ok());
  const Http copy = scripted().http;
  scripted().http = Http();
  EXPECT_EQ(host.http.open_clients(), 1U);
  scripted().http = copy;
  host.http.expect("POST", "https://cloud.internal/v3/auth/tokens").hang();
  Scripted::script = &send_by_client;
  const auto pending = component.start_initialize(host.contexts.make());
  host.loop.run();
  EXPECT_FALSE(pending.done());
  EXPECT_EQ(host.http.open_clients(), 1U);
  component.destroy();
  EXPECT_EQ(pending.outcome().code(), Code::cancelled);
}

TEST_F(HostServices, AClientThatCannotBeOpenedSaysWhy) {
  host.http.fail_next_client(Status(Code::invalid_argument, "/etc/ca.pem: no certificate in it"));
  EXPECT_EQ(run(&open_client).message(), "/etc/ca.pem: no certificate in it");
  host.hide(CCM_HOST_HTTP_CLIENT);
  FakeComponent bare(host, plugin_of<Scripted, Dispatch::loop>(), "test");
  EXPECT_NE(bare.initialize().message().find(CCM_HOST_HTTP_CLIENT), std::string::npos);
}

// send_wait as a plugin in C calls it, on the thread of its operation.
struct Waits {
  explicit Waits(Host& h) : host(h) {}
  Status initialize(const Ctx& ctx) {
    const auto http = host.find<ccm_host_http>(CCM_HOST_HTTP);
    auto request = sized<ccm_http_request>();
    request.url = c_str("http://cloud/x");
    struct Seen {
      std::thread::id thread;
      Status status;
      std::string body;
    } seen;
    const auto done = [](void* owner, uint64_t, const ccm_status* status, const void* result) {
      auto& seen = *static_cast<Seen*>(owner);
      seen.thread = std::this_thread::get_id();
      seen.status = Status::from_c(status);
      if (result != nullptr) seen.body = view(static_cast<const ccm_http_response*>(result)->body);
    };
    http.get (&ccm_host_http::send_wait)(http.self(), ctx.get(), &request, {done, &seen, 1});
    EXPECT_EQ(seen.thread, std::this_thread::get_id());
    return seen.status.ok() ? Status(Code::aborted, seen.body) : seen.status;
  }
  Host& host;
};

TEST(SendWait, R_32_CompletesOnTheThreadThatWaits) {
  FakeHost host;
  host.http.expect("GET", "http://cloud/x").answer(200, "late").after(std::chrono::seconds(2));
  FakeComponent component(host, plugin_of<Waits, Dispatch::workers>(), "test");
  EXPECT_EQ(component.initialize().message(), "late");
}

TEST(SendWait, R_15_IsRefusedInSerial) {
  FakeHost host;
  FakeComponent component(host, plugin_of<Waits, Dispatch::loop>(), "test");
  const Status refused = component.initialize();
  EXPECT_EQ(refused.code(), Code::failed_precondition);
  EXPECT_EQ(refused.reason(), CCM_REASON_WRONG_THREAD);
  EXPECT_TRUE(host.http.requests().empty());
}

Task<Status> read_file(Scripted& self, Ctx ctx) {
  auto text = co_await self.host.files.read(ctx, "/etc/clouds.yaml", 10);
  if (!text.ok()) co_return text.status();
  self.seen = *text;
  co_return Status();
}

TEST_F(HostServices, FilesAreReadWithinTheirLimit) {
  EXPECT_EQ(run(&read_file).code(), Code::not_found);
  host.files.set("/etc/clouds.yaml", "clouds: {}");
  EXPECT_TRUE(run(&read_file).ok());
  EXPECT_EQ(scripted().seen, "clouds: {}");
  host.files.set("/etc/clouds.yaml", "clouds: {} # more");
  EXPECT_EQ(run(&read_file).code(), Code::resource_exhausted);
  host.files.fail("/etc/clouds.yaml", Status(Code::permission_denied, "no"));
  EXPECT_EQ(run(&read_file).code(), Code::permission_denied);
}

TEST_F(HostServices, AChangedConfigurationCanBeRejected) {
  Config const& config = scripted().host.config;
  host.config.set_cloud_config("good");
  config.accepted();
  host.config.change_cloud_config("bad");
  config.rejected(
      "--cloud-config line 1: \"bad\" is no option; the one from before stays in force");
  EXPECT_NE(host.config.rejection()->find("line 1"), std::string::npos);
  config.rejected("no cloud \"x\"", "/etc/clouds.yaml");
  EXPECT_TRUE(host.config.rejection("/etc/clouds.yaml").has_value());
  config.accepted("/etc/clouds.yaml");
  EXPECT_FALSE(host.config.rejection("/etc/clouds.yaml").has_value());
  host.config.change_cloud_config("good again");
  EXPECT_FALSE(host.config.rejection().has_value());
  EXPECT_EQ(host.config.accepted(), 2);
}

TEST_F(HostServices, CryptoKnowsThePublishedVectors) {
  const Crypto& crypto = scripted().host.crypto;
  // FIPS 180-4 and RFC 4231, case 2.
  EXPECT_EQ(hex(*crypto.sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(*crypto.sha256("")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(*crypto.hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hex(*crypto.hmac_sha256(std::string(131, '\xaa'),
                                    "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  EXPECT_EQ(*crypto.sign(SignAlgorithm::rs256, "key", "text"), testing::hmac_sha256("key", "text"));
  EXPECT_EQ(crypto.sign(SignAlgorithm::rs256, "", "text").status().code(), Code::invalid_argument);
  EXPECT_EQ(crypto.sign(static_cast<SignAlgorithm>(9), "key", "").status().code(),
            Code::unimplemented);
  EXPECT_EQ(crypto.random(40)->size(), 40U);
  EXPECT_NE(*crypto.random(40), *crypto.random(40));
}

TEST_F(HostServices, AnyJsonCanBeParsed) {
  const Object answer = scripted().host.parse(R"({"servers": [{"id": "a"}, {"id": "b"}]})");
  EXPECT_EQ(answer.text("/servers/1/id"), "b");
  EXPECT_FALSE(scripted().host.parse("{"));
  EXPECT_EQ(scripted().host.parse("7").at("").integer(), 7);
}

TEST_F(HostServices, R_120_HintsNameTheirThing) {
  const Hints& hints = scripted().host.hints;
  hints.instance_changed("test://7", "n1");
  hints.load_balancer_changed("default", "web");
  hints.load_balancer_changed_by_id("lb-1");
  const auto all = host.hints.all();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].kind, CCM_HINT_INSTANCE);
  EXPECT_EQ(all[0].provider_id + all[0].name, "test://7n1");
  EXPECT_EQ(all[1].kind, CCM_HINT_LOAD_BALANCER);
  EXPECT_EQ(all[1].namespace_name + all[1].name, "defaultweb");
  EXPECT_EQ(all[2].id, "lb-1");
}

TEST_F(HostServices, EventsMayNameAnObjectThatNobodyHolds) {
  ObjectReference node;
  node.api_version = "v1";
  node.kind = "Node";
  node.name = "n7";
  scripted().host.events.warning(node, "MachineVanished", "It is gone");
  ASSERT_EQ(host.events.all().size(), 1U);
  EXPECT_TRUE(host.events.all()[0].warning);
  EXPECT_EQ(host.events.all()[0].object, "n7");
}

TEST_F(HostServices, ALeaderHearsOfItsChange) {
  std::string seen;
  const Leader& leader = scripted().host.leader;
  EXPECT_TRUE(leader.on_change([&] { seen += leader.leading() ? "leads " : "stands by "; }));
  host.leader.change(false);
  host.loop.run();
  host.leader.change(true);
  host.loop.run();
  EXPECT_EQ(seen, "stands by leads ");
}

TEST_F(HostServices, R_163_TheCacheSaysWhyAnObjectIsMissing) {
  const Kube& kube = scripted().host.kube;
  host.kube.put("v1/nodes", R"({"metadata": {"name": "n1"}})");
  EXPECT_EQ(kube.look_up("v1/nodes", "n1").state, CacheState::not_watched);
  EXPECT_EQ(kube.cached_each("v1/nodes", {}, [](const Object&) {}), CacheState::not_watched);
  host.kube.read("v1/nodes", {"/metadata/labels"});
  host.kube.set_synced("v1/nodes", false);
  EXPECT_EQ(kube.look_up("v1/nodes", "n1").state, CacheState::not_synced);
  host.kube.set_synced("v1/nodes", true);
  EXPECT_EQ(kube.look_up("v1/nodes", "n1").object.name(), "n1");
  EXPECT_EQ(kube.look_up("v1/nodes", "n2").state, CacheState::absent);
  EXPECT_FALSE(kube.cached("v1/nodes", "n2"));
  int visited = 0;
  EXPECT_EQ(kube.cached_each("v1/nodes", {}, [&](const Object&) { ++visited; }), CacheState::found);
  EXPECT_EQ(visited, 1);
}

Task<Status> list_and_ask_for_a_token(Scripted& self, Ctx ctx) {
  KubeSelection selection;
  selection.resource = "v1/services";
  selection.namespace_name = "default";
  const auto services = co_await self.host.kube.list(ctx, std::move(selection));
  if (!services.ok()) co_return services.status();
  for (const Object& service : *services) self.seen += std::string(service.name()) + " ";
  KubeReference reference{"v1/serviceaccounts", "ccm", "kube-system", "token"};
  const auto token = co_await self.host.kube.create(ctx, std::move(reference), R"({"spec": {}})");
  if (!token.ok()) co_return token.status();
  self.seen += token->text("/status/token");
  co_return Status();
}

TEST_F(HostServices, ListsAreLiveAndSubresourcesAreCreatedByName) {
  host.kube.put("v1/services", R"({"metadata": {"name": "a", "namespace": "default"}})");
  host.kube.put("v1/services", R"({"metadata": {"name": "b", "namespace": "other"}})");
  host.kube.answer_create("v1/serviceaccounts/token", R"({"status": {"token": "jwt"}})");
  const Status status = run(&list_and_ask_for_a_token);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(scripted().seen, "a jwt");
  const auto created = host.kube.calls("create");
  ASSERT_EQ(created.size(), 1U);
  EXPECT_EQ(created[0].name + "/" + created[0].subresource, "ccm/token");
}

// A controller that hears of news from outside, on a thread of its own.
struct Listener {
  explicit Listener(Host& h) : host(h) { last = this; }
  Status setup(Setup& setup) {
    Watch watch;
    watch.resource = "v1/nodes";
    watch.map = [this](EventKind kind, const Object&, const Object& now, const Queue& queue) {
      if (kind == EventKind::hinted) queue.add("hinted " + std::string(now.name()));
    };
    setup.watch(std::move(watch));
    return {};
  }
  Status reconcile(const Ctx&, const Request& request) {
    if (request.key == "full") return Status(Code::resource_exhausted, ErrorClass::quota, "full");
    return {};
  }
  static inline Listener* last = nullptr;
  Host& host;
};

TEST(Queue, AnyThreadMayAddAfterSetup) {
  FakeHost host;
  FakeController controller(host, plugin_of<Listener, Dispatch::loop>(), "test");
  ASSERT_TRUE(controller.setup().ok());
  std::thread([] { Listener::last->host.queue.add("n1", Priority::periodic); }).join();
  Listener::last->host.queue.add("");
  EXPECT_EQ(controller.waiting(), std::vector<std::string>{"n1"});
  controller.run();
  EXPECT_EQ(controller.take_reconciled().at(0).priority, Priority::periodic);
}

TEST(Queue, R_121_AHintIsAnEventOfItsOwnKind) {
  FakeHost host;
  host.kube.put("v1/nodes", R"({"metadata": {"name": "n1"}})");
  FakeController controller(host, plugin_of<Listener, Dispatch::loop>(), "test");
  ASSERT_TRUE(controller.setup().ok());
  controller.run();
  host.kube.hint("v1/nodes", "n1");
  controller.run();
  EXPECT_EQ(controller.take_reconciled().at(0).key, "hinted n1");
}

TEST(Queue, R_102_AFullQuotaIsTriedAgainSlowly) {
  FakeHost host;
  FakeController controller(host, plugin_of<Listener, Dispatch::loop>(), "test");
  ASSERT_TRUE(controller.setup().ok());
  controller.add("full");
  controller.run();
  EXPECT_EQ(controller.take_reconciled().size(), 1U);
  controller.advance(kQuotaRetry - std::chrono::milliseconds(1));
  EXPECT_TRUE(controller.take_reconciled().empty());
  controller.advance(std::chrono::milliseconds(1));
  EXPECT_EQ(controller.take_reconciled().size(), 1U);
}

}  // namespace
}  // namespace ccm
