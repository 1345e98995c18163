// ccm::testing::FakeHost: a host for unit tests of plugins. No process, no cluster, no sockets, no
// sleeping: HTTP is scripted, the clock is moved by hand, and everything that the plugin logs,
// records, writes or counts can be looked at. Components are driven through the C ABI under the
// real host's rules; breaches of them are collected in faults().
//
//   ccm::testing::FakeHost host;
//   host.config.set_cloud_config("{...}");
//   ccm::testing::FakeComponent provider(host, ccm_plugin_v1(), "mycloud");
//   host.http.expect("GET", "http://cloud/v1/machines").answer(200, "...");
//   EXPECT_TRUE(provider.list().ok());
#pragma once

#include <ccm/abi/plugin.h>
#include <ccm/abi/timer.h>
#include <ccm/abi/worker.h>
#include <ccm/testing/fake_callbacks.hpp>
#include <ccm/testing/fake_crypto.hpp>
#include <ccm/testing/fake_file.hpp>
#include <ccm/testing/fake_http.hpp>
#include <ccm/testing/fake_kube.hpp>
#include <ccm/testing/fake_load_balancers.hpp>
#include <ccm/testing/fake_loop.hpp>
#include <ccm/testing/fake_objects.hpp>
#include <ccm/testing/fake_routes.hpp>
#include <ccm/testing/fake_services.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::testing {

class FakeHost {
 public:
  FakeHost();
  ~FakeHost() { loop.clear(); }  // what waits there refers to the services
  FakeHost(const FakeHost&) = delete;
  FakeHost& operator=(const FakeHost&) = delete;

  FakeLoop loop;
  FakeObjects objects;
  FakeContexts contexts;
  FakeLog log;
  FakeEvents events;
  FakeMetrics metrics;
  FakeConfig config;
  FakeFiles files;
  FakeCrypto crypto;
  FakeLeader leader;
  FakeHints hints;
  FakeHttp http;
  FakeKube kube;
  // The wall clock at the loop's time 0: 2026-01-01T00:00:00Z. A cloud that is not a fake wants the
  // real time.
  std::chrono::milliseconds wall_clock_begin{1'767'225'600'000};
  // The cloud, for controllers.
  FakeLoadBalancers load_balancers;
  FakeRoutes routes;

  // A handle as a component gets it, for tests without one. It says "nonblocking": true.
  [[nodiscard]] const ccm_host* abi() const { return &host_; }

  // Makes this host one that lacks a service, or offers a further one
  // ("ccm.cloud.instances/1" with a table of the test's own). Before the component is
  // created.
  void hide(const std::string& id);
  void offer(const std::string& id, ccm_interface service);

  // A service by id; nullptr when this host lacks it.
  [[nodiscard]] const ccm_interface* find(std::string_view id) const;
  // Whether it takes callbacks: then `self` is a FakeCaller, and each component has one of its own.
  [[nodiscard]] bool takes_callbacks(std::string_view id) const;

  // Rules of the ABI that a component broke, one line each: double completion, a completion that
  // nobody waits for.
  [[nodiscard]] std::vector<std::string> faults() const;
  void fault(std::string line);  // any thread

 private:
  struct Table;
  FakeCallbacks callbacks_;
  FakeCaller caller_{this, &callbacks_, 0};
  ccm_host host_{};
  ccm_host_timer timer_{};
  ccm_host_post post_{};
  ccm_host_worker worker_{};
  std::map<std::string, ccm_interface, std::less<>> services_;
  std::set<std::string, std::less<>> takes_callbacks_;
  mutable std::mutex mutex_;
  std::vector<std::string> faults_;
};

}  // namespace ccm::testing
