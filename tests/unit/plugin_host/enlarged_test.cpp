// A plugin in whose headers every struct and table is larger, under the real host: each struct
// crosses, and what the host does not know is 0 (ccm/abi/base.h, R-4 to R-8).
#include "../../support/start_task.hpp"
#include "base/log.hpp"
#include "whole_host_fixture.hpp"

#include <dlfcn.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace ccm::plugin_host {
namespace {

const ccm_plugin* enlarged_plugin() {
  static void* const image = ::dlopen(CCM_TEST_PLUGIN, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (image == nullptr) ADD_FAILURE() << ::dlerror();
  return reinterpret_cast<ccm_plugin_entry_fn>(::dlsym(image, CCM_PLUGIN_ENTRY))();
}

std::string signing_key() {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  BIO* out = BIO_new(BIO_s_mem());
  PEM_write_bio_PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr);
  char* text = nullptr;
  const long size = BIO_get_mem_data(out, &text);
  std::string pem(text, static_cast<std::size_t>(size));
  BIO_free_all(out);
  EVP_PKEY_free(key);
  return pem;
}

// Answers each call as a server would.
struct AnsweringApi final : plugin::ObjectApi {
  explicit AnsweringApi(runtime::EventLoop& wanted) : loop(wanted) {}
  void answer(const char* verb, std::string body, Done done) {
    calls.emplace_back(verb);
    loop.post([done = std::move(done), body = std::move(body)] { done(body); });
  }
  static std::string node() {
    return R"({"kind":"Node","metadata":{"name":"n1","labels":{"a":"b"}}})";
  }
  void send(plugin::ObjectRequest request, Done done) override {
    using Verb = plugin::ObjectRequest::Verb;
    switch (request.verb) {
      case Verb::get:
        return answer("get", node(), std::move(done));
      case Verb::patch:
        return answer("patch", node(), std::move(done));
      case Verb::list:
        return answer("list",
                      R"({"kind":"NodeList","metadata":{"resourceVersion":"1"},"items":[]})",
                      std::move(done));
      case Verb::create:
        return answer("create", std::move(request.body), std::move(done));
      case Verb::update:
      case Verb::remove:
        return answer("remove", "{}", std::move(done));
    }
  }
  runtime::EventLoop& loop;
  std::vector<std::string> calls;
};

class EnlargedInHostTest : public WholeHostTest {
 protected:
  EnlargedInHostTest() {
    log::redirect([this](std::string_view line) { log_.append(line) += '\n'; });
    path_ = (std::filesystem::temp_directory_path() / "ccm-enlarged-XXXXXX").string();
    ::close(::mkstemp(path_.data()));
    std::ofstream(path_) << "text";
    ::setenv("WATCHED_PATH", path_.c_str(), 1);
    ::setenv("SIGNING_KEY", signing_key().c_str(), 1);
    host_.reset();
    PluginHostDependencies deps{{loop_, timers_, workers_, registry_again_, flags_, leader_},
                                {source_, cache_}};
    deps.cluster.object_api = [this](const plugin::ComponentIdentity&) { return answering_; };
    deps.cluster.record_event = [this](const std::string&, const kube::ObjectReference& about,
                                       kube::EventType, const std::string& reason,
                                       const std::string& message) {
      events_.push_back(about.name + " " + reason + " " + message);
    };
    const plugin::SendHttp send = [this](const net::Request& request, const auto& done) {
      urls_.push_back(request.url);
      net::Response response;
      response.status = 200;
      response.body = "hello";
      loop_.post([done, response] { done(response); });
    };
    deps.cloud.send_http = send;
    deps.cloud.make_http_client = [send](const net::ClientOptions&) {
      return plugin::OwnHttpClient{send, [] { return Status(); }, [](const net::TlsOptions&) {}};
    };
    deps.cluster.default_resync = 12h;
    host_.emplace(std::move(deps));
  }
  ~EnlargedInHostTest() override {
    host_.reset();
    log::redirect({});
    ::unsetenv("WATCHED_PATH");
    ::unsetenv("SIGNING_KEY");
    std::filesystem::remove(path_);
    if (HasFailure()) std::fputs(log_.c_str(), stderr);
  }

  static plugin_files::LoadedPlugin plugin() {
    plugin_files::LoadedPlugin made =
        loaded(enlarged_plugin(), plugin_files::ComponentKind::provider, "cloud", true);
    made.manifest.id = "test.enlarged";
    made.manifest.components[0].provider_id_prefixes = {"test://"};
    plugin_files::Component controller = made.manifest.components[0];
    controller.kind = plugin_files::ComponentKind::controller;
    controller.name = controller.client_name = "controller";
    controller.provider_id_prefixes.clear();
    made.manifest.components.push_back(controller);
    return made;
  }
  Status passing(awaitable<Status> call) {
    std::optional<Status> out;
    begin(std::move(call), out);
    poll_until([&] {
      timers_.advance(1ms);
      return out.has_value();
    });
    return out.value_or(Status(Code::unknown, "did not end"));
  }
  void start_provider() {
    const Status created = passing(host_->create_provider(plugin(), "cloud"));
    ASSERT_TRUE(created.ok()) << created.message();
    const Status started = passing(host_->start_provider());
    ASSERT_TRUE(started.ok()) << started.message();
  }

  std::string log_;
  std::string path_;
  std::vector<std::string> events_;
  std::vector<std::string> urls_;
  prometheus::Registry registry_again_;
  std::shared_ptr<AnsweringApi> answering_ = std::make_shared<AnsweringApi>(loop_);
};

TEST_F(EnlargedInHostTest, TheSizesDiffer) {
  EXPECT_GT(enlarged_plugin()->size, sizeof(ccm_plugin));
}

TEST_F(EnlargedInHostTest, EveryServiceOfTheHostIsUsed) {
  start_provider();
  EXPECT_EQ(urls_, std::vector<std::string>{"http://cloud/login"});
  EXPECT_EQ(answering_->calls,
            (std::vector<std::string>{"patch", "get", "list", "create", "remove"}));
  EXPECT_EQ(events_, std::vector<std::string>{"n1 LoggedIn hello"});
  EXPECT_NE(log_.find("\"Opened\""), std::string::npos);
  EXPECT_NE(log_.find("minor=\"1\""), std::string::npos);
  EXPECT_TRUE(host_->has_cluster_id());
  const Status stopped = passing(host_->stop(10s));
  EXPECT_TRUE(stopped.ok()) << stopped.message();
  EXPECT_NE(log_.find("Cloud provider could not log out"), std::string::npos) << "it says why";
}

TEST_F(EnlargedInHostTest, InstancesAreReadAsFarAsTheyAreKnown) {
  start_provider();
  std::optional<cloud::InstanceAnswer> answer;
  cloud::InstanceQuery query;
  query.name = "n2";
  Tasks tasks;
  tasks(host_->cloud().instances()->find(query),
        [&](const cloud::InstanceAnswer& found) { answer = found; });
  poll_until([&] { return answer.has_value(); });
  ASSERT_TRUE(answer && answer->snapshot) << answer->status.message();
  EXPECT_EQ(answer->state(), CCM_INSTANCE_RUNNING);
  EXPECT_EQ(answer->snapshot->name(answer->index), "n2");
  EXPECT_TRUE(passing(host_->stop(10s)).ok());
}

// Requests of the larger controller to the host's brokers, from there to the larger provider, and
// back.
TEST_F(EnlargedInHostTest, AControllerAsksTheCloudThroughTheHost) {
  start_provider();
  const Status created = passing(host_->create_controller(plugin(), "controller"));
  ASSERT_TRUE(created.ok()) << created.message();
  const auto active = setup("controller");
  ASSERT_TRUE(active.ok()) << active.status().message();
  EXPECT_TRUE(*active);
  add_node("n1");
  source_.handler.on_synced();
  host_->start_controllers();
  const auto settled = [&](const char* key) {
    const auto reports = host_->object(key);
    return !reports.empty() && reports.front().state == plugin::ObjectState::settled;
  };
  poll_until([&] {
    timers_.advance(1ms);
    return settled("n1") && settled("tick");
  });
  EXPECT_TRUE(settled("n1"));
  EXPECT_TRUE(settled("tick"));
  EXPECT_EQ(log_.find("Reconcile failed"), std::string::npos);
  EXPECT_TRUE(passing(host_->stop(10s)).ok());
}

}  // namespace
}  // namespace ccm::plugin_host
