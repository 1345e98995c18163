// A component with all services of the host; the test plays what they use.
#pragma once

#include "plugin/host_services/config_service.hpp"
#include "plugin/host_services/event_service.hpp"
#include "plugin/host_services/kube_service.hpp"
#include "plugin/host_services/leader_service.hpp"
#include "plugin/host_services/log_service.hpp"
#include "plugin/host_services/metrics_service.hpp"
#include "plugin/host_services/scheduling_services.hpp"
#include "test_runtime.hpp"

#include <gtest/gtest.h>
#include <prometheus/registry.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ccm::plugin {

inline kube::ObjectPtr object(std::string_view json) {
  auto decoded = kube::Object::decode(json);
  EXPECT_TRUE(decoded.ok()) << decoded.status().message();
  return *decoded;
}

struct FixedFlags final : FlagSource {
  [[nodiscard]] std::optional<std::string> flag(std::string_view name) const override {
    if (name == "cluster-name") return "kubernetes";
    return std::nullopt;
  }
  [[nodiscard]] bool given(std::string_view name) const override { return name == "cluster-name"; }
};

struct FixedLeader final : LeaderState {
  [[nodiscard]] bool leading() const override { return lead; }
  [[nodiscard]] uint64_t transitions() const override { return 3; }
  bool lead = true;
};

struct FixedCache final : ObjectCache {
  [[nodiscard]] kube::ObjectPtr get(std::string_view resource, std::string_view,
                                    std::string_view name) const override {
    for (const auto& known : objects) {
      if (resource == "v1/nodes" && known->name() == name) return known;
    }
    return {};
  }
  [[nodiscard]] std::vector<kube::ObjectPtr> list(std::string_view,
                                                  std::string_view) const override {
    return objects;
  }
  [[nodiscard]] CacheState state(std::string_view resource) const override {
    if (resource != "v1/nodes") return CacheState::not_watched;
    return synced ? CacheState::synced : CacheState::not_synced;
  }
  std::vector<kube::ObjectPtr> objects;
  bool synced = true;
};

// Keeps each call open until the test ends it.
struct ScriptedApi final : ObjectApi {
  void send(ObjectRequest request, Done done) override {
    using Verb = ObjectRequest::Verb;
    if (request.verb == Verb::patch) answer_metadata = request.write.answer_metadata;
    note(text_of(request), request.call, std::move(done));
  }
  static std::string text_of(const ObjectRequest& request) {
    using Verb = ObjectRequest::Verb;
    const auto& [verb, resource, space, name, body, patch_type, write, remove, page, call] =
        request;
    const std::string about = resource.id() + " ";
    switch (verb) {
      case Verb::get:
        return "get " + about + name;
      case Verb::list:
        return "list " + about + space + " " + page.label_selector + " " + page.continue_token;
      case Verb::create:
        if (write.subresource.empty()) {
          return "create " + about + space + " " + body + " " + write.field_manager;
        }
        return "create " + about + space + "/" + name + "/" + write.subresource + " " + body;
      case Verb::patch:
        return "patch " + about + name + " " + std::to_string(static_cast<int>(patch_type)) + " " +
               body + " " + write.subresource + " " + write.field_manager;
      case Verb::update:
      case Verb::remove:
        break;
    }
    return "remove " + about + name + " " + remove.uid;
  }
  void note(std::string what, kube::CallOptions call, Done done) {
    calls.push_back(std::move(what));
    timeout = call.timeout;
    deadline = call.deadline;
    stop = call.stop;
    open.push_back(std::move(done));
  }
  std::vector<std::string> calls;
  std::vector<Done> open;
  std::chrono::milliseconds timeout{0};
  std::chrono::steady_clock::time_point deadline;
  std::stop_token stop;          // of the last call
  bool answer_metadata = false;  // of the last patch
};

class HostServicesTest : public PluginHostTest {
 protected:
  HostServicesTest() {
    path_ = std::filesystem::temp_directory_path() / "ccm-config-XXXXXX";
    const int file = ::mkstemp(path_.data());
    EXPECT_GE(file, 0);
    if (file >= 0) ::close(file);
    std::ofstream(path_) << "region = fra1";
    cloud_config_.emplace(timers_, path_, 10s);
    EXPECT_TRUE(cloud_config_->load().ok());
  }
  ~HostServicesTest() override {
    host_.reset();       // its services refer to what follows
    api_->open.clear();  // a call that is open keeps the API, which keeps the call
    std::filesystem::remove(path_);
  }

  void add_services(ComponentHost& host) override {
    host.add(std::make_unique<LogService>(component_));
    host.add(std::make_unique<CtxService>(component_));
    host.add(std::make_unique<ObjectService>(component_));
    host.add(std::make_unique<TimerService>(component_));
    host.add(std::make_unique<PostService>(component_));
    host.add(std::make_unique<WorkerService>(component_));
    host.add(std::make_unique<LeaderService>(component_, leader_));
    host.add(std::make_unique<MetricsService>(component_, plugin_metrics_));
    host.add(std::make_unique<ConfigService>(component_, flags_, *cloud_config_, rejections_));
    host.add(
        std::make_unique<KubeService>(component_, cache_, api_, [this] { return leader_.lead; }));
    host.add(std::make_unique<EventService>(
        component_,
        [this](const std::string& source, const kube::ObjectReference& about, kube::EventType type,
               const std::string& reason, const std::string& message) {
          events_.push_back(source + " " + about.name + " " +
                            (type == kube::EventType::warning ? "Warning " : "Normal ") + reason);
          last_message_ = message;
        }));
  }

  prometheus::Registry registry_;
  ConfigRejections rejections_{registry_};
  MetricsRegistry plugin_metrics_{registry_};
  FixedFlags flags_;
  FixedLeader leader_;
  FixedCache cache_;
  std::shared_ptr<ScriptedApi> api_ = std::make_shared<ScriptedApi>();
  std::string path_;
  std::optional<CloudConfig> cloud_config_;
  std::vector<std::string> events_;
  std::string last_message_;
};

}  // namespace ccm::plugin
