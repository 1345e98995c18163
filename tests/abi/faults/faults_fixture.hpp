// The real loader and the real PluginHost around faulty plugins, with a clock that the test turns,
// a Kubernetes API that takes every patch, and a healthy controller:
// one that patches each new Node.
#pragma once

#include "../../support/start_task.hpp"
#include "../../unit/runtime/manual_timers.hpp"
#include "../plugin_folder.hpp"
#include "base/log.hpp"
#include "fault_name.hpp"
#include "plugin/context.hpp"
#include "plugin_files/loader.hpp"
#include "plugin_host/plugin_host.hpp"

#include <gtest/gtest.h>
#include <prometheus/registry.h>

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ccm::plugin_host {

using namespace std::chrono_literals;

class Faults : public testing::Test {
 protected:
  Faults();
  ~Faults() override;

  // A fresh host: for several plugins in one test.
  void start_over();

  // Loads "FILE", or "FILE/FAULT" where the file has a table of faults, from the build and makes
  // its provider. The status is that of `create`.
  Status create_provider(const std::string& name);
  // Makes its controller and runs its setup.
  Status create_controller(const std::string& name);
  void begin_provider(const std::string& name, std::optional<Status>& created);
  void begin_start(std::optional<Status>& started);  // of the provider
  void begin_controller(const std::string& name, std::optional<Status>& setup);
  void load_healthy();

  // Logs the provider in; controllers are created, or set up, afterwards.
  void start_provider();
  // The faulty plugin and the healthy controller, leading. Both must come up.
  void with_provider(const std::string& name);
  void with_controller(const std::string& name);

  // A Node of that name arrives.
  void add_node(const std::string& name);
  // Whether a Node of that name was patched.
  bool patched(const std::string& name) const;
  // A new Node arrives, and the healthy controller patches it.
  void healthy_works();

  static cloud::InstanceQuery query(const std::string& name, const std::string& provider_id = "");
  cloud::InstanceAnswer find(const std::string& name, const std::string& provider_id = "");
  // As find(), while that much time passes.
  cloud::InstanceAnswer find_after(const std::string& name, std::chrono::milliseconds time,
                                   const std::string& provider_id = "");
  static std::string provider_id_of(const cloud::InstanceAnswer& answer);

  Status stop();
  ComponentReport report_of(const std::string& component);
  std::string config_path() const { return (folder_.path() / "cloud-config").string(); }

  void poll();
  void poll_for(std::chrono::milliseconds time);  // for what other threads do
  void poll_until(const std::function<bool()>& reached);
  void advance(std::chrono::milliseconds step);
  std::string log();
  static std::size_t count(const std::string& text, const std::string& part);

  struct World;  // everything below the host
  test::PluginFolder folder_;
  std::unique_ptr<World> world_;
  PluginHost* host_ = nullptr;
  Tasks tasks_;

 private:
  Result<plugin_files::LoadedPlugin> load(const std::string& name);
  Status wait(boost::asio::awaitable<Status> call);

  std::mutex log_mutex_;
  std::string log_;
  int nodes_ = 0;
  int files_ = 0;
};

}  // namespace ccm::plugin_host
