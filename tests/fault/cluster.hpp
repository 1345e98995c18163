// An API server, a cloud and the managers that work on them, for tests that break things.
#pragma once

#include "support/file.hpp"
#include "support/kube_client.hpp"
#include "support/process.hpp"
#include "support/test_server.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ccm::fault {

// Short enough for a test, and longer than a busy machine keeps an API server from answering.
struct LeaseTimes {
  std::chrono::milliseconds lease{6'000};
  std::chrono::milliseconds deadline{5'000};
  std::chrono::milliseconds retry{400};
  // For a manager that may lose its Lease.
  [[nodiscard]] static LeaseTimes quick() {
    using std::chrono::milliseconds;
    return {milliseconds(2'000), milliseconds(1'500), milliseconds(400)};
  }
  [[nodiscard]] std::vector<std::string> flags() const;
};

// One thread at a time, but for what says otherwise.
class Cluster {
 public:
  Cluster();
  ~Cluster();  // keeps its folder after a failure

  [[nodiscard]] support::KubeClient& api() { return api_; }
  // A connection of its own, for another thread.
  [[nodiscard]] support::KubeClient client() const { return server_.client(); }

  [[nodiscard]] support::TestServer& server() { return server_; }
  [[nodiscard]] support::TestCloud& cloud() { return cloud_; }

  // A machine and the Node that registers for it, still with the taint.
  void add_machine(support::KubeClient& api, const std::string& name);
  void add_node(support::KubeClient& api, const std::string& name);

  // Starts a manager; NAME.log gets its output, over all starts of that name. `environment` is
  // added to its own.
  std::unique_ptr<support::Process> start(
      const std::string& name, const std::vector<std::string>& flags,
      const std::map<std::string, std::string>& environment = {});

  // The Lease's spec; null without one.
  nlohmann::json lease();
  [[nodiscard]] std::string holder();
  // Takes the Lease for somebody who is not there, whoever holds it.
  void take_lease(const std::string& holder);
  // All Nodes by name.
  nlohmann::json nodes();
  // Why the Node is not initialised; empty = it is.
  static std::string fault_of(const nlohmann::json& node);
  // The address of a machine made by add_machine().
  static std::string address_of(const std::string& name);

 private:
  support::TemporaryFolder folder_{"ccm-fault"};
  support::TestServer server_;
  support::TestCloud cloud_;
  support::KubeClient api_;
};

}  // namespace ccm::fault
