// The cluster of a soak run: an API server, the fake of DigitalOcean's API, one manager, and what
// both sides are told.
#pragma once

#include "digitalocean_api/server.hpp"
#include "faults.hpp"
#include "options.hpp"
#include "support/file.hpp"
#include "support/kube_client.hpp"
#include "support/process.hpp"
#include "support/test_server.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <set>
#include <string>

namespace ccm::soak {

using nlohmann::json;

inline constexpr const char* kServices = "/api/v1/namespaces/default/services";
inline constexpr const char* kClusterTag = "k8s:soak";
inline constexpr const char* kFirewall = "soak-public";

// A wanted Service.
struct WantedService {
  int port = 80;
  int check_interval = 0;  // 0 = no annotation
  bool node_port = false;  // of type NodePort instead of LoadBalancer, at 30000 + port
};

// One thread at a time.
class Cluster {
 public:
  explicit Cluster(const Options& options, uint32_t seed);
  ~Cluster();  // keeps its folder after keep()

  void start_manager();

  void join_node(int64_t number);
  // The droplet is gone, and the kubelet says no more.
  void lose_node(int64_t number);
  // The kubelet says nothing, or something again; the droplet is there.
  void set_ready(int64_t number, bool ready);

  void put_service(const std::string& name, const WantedService& wanted);
  void remove_service(const std::string& name);

  // From now on the cloud has no faults.
  void heal();
  // Calls to the cloud by method and status, faults by kind, since the start.
  std::map<std::string, int64_t> calls();
  std::map<std::string, int64_t> faults();
  // Requests or answers of the fake that violate DigitalOcean's description.
  std::set<std::string> breaches();

  [[nodiscard]] const std::map<int64_t, std::string>& nodes() const { return nodes_; }  // to UID
  [[nodiscard]] const std::map<std::string, WantedService>& services() const { return services_; }
  [[nodiscard]] support::KubeClient& api() { return api_; }
  [[nodiscard]] digitalocean_api::Server& cloud() { return cloud_; }
  [[nodiscard]] support::Process& manager() { return *manager_; }
  void keep() { folder_.keep(); }
  [[nodiscard]] std::string folder() const { return folder_.path().string(); }

 private:
  const Options& options_;
  support::TemporaryFolder folder_{"ccm-soak"};
  support::TestServer server_;
  support::KubeClient api_;
  Faults faults_;                         // within the fake's lock
  std::map<std::string, int64_t> calls_;  // the same
  std::set<std::string> breaches_;        // the same
  digitalocean_api::Server cloud_;
  std::unique_ptr<support::Process> manager_;
  std::map<int64_t, std::string> nodes_;
  std::map<std::string, WantedService> services_;
};

// The droplet and the Node of a number.
inline int64_t droplet_of(int64_t number) { return 10'000 + number; }
std::string node_name(int64_t number);

}  // namespace ccm::soak
