// The cluster of event_churn: an API server that can go away, the sandbox's cloud, and what both
// are told.
#pragma once

#include "api_proxy.hpp"
#include "support/file.hpp"
#include "support/kube_client.hpp"
#include "support/process.hpp"
#include "support/test_server.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ccm::soak {

// One thread.
class EventCluster {
 public:
  EventCluster();

  // With the API server through the proxy. All of them write to logs in the folder.
  std::unique_ptr<support::Process> start_manager();
  // The holder of the Lease; empty without one.
  std::string holder();
  // All connections are cut, nothing answers for that time, and older versions are forgotten.
  void restart_api_server(int away_ms);

  // A machine, and its Node as the kubelet registers it.
  void join_node(int number);
  void make_service(int number);
  // Each is about a Node or Service that the number chooses.
  void heartbeat(uint32_t choice);
  void label_node(uint32_t choice);
  void change_service(uint32_t choice);
  void remove_service(uint32_t choice);
  // Its machine is gone, and its kubelet says no more.
  void lose_oldest_node();

  // The first object that is not as it should be; empty: all are.
  std::string fault();

  void keep() { folder_.keep(); }

 private:
  struct WantedService {
    int number;
    int port;
  };
  std::string node_fault();
  std::string service_fault();

  support::TemporaryFolder folder_{"ccm-churn"};
  support::TestServer server_{folder_.path()};
  support::TestCloud cloud_{folder_.path()};
  support::KubeClient api_{server_.client()};
  e2e::ApiProxy proxy_;
  std::vector<int> nodes_;
  std::vector<WantedService> services_;
  int managers_ = 0;
  int64_t beats_ = 0;
};

// How many descriptors a process has open; 0 when it is not there.
double open_descriptors(pid_t process);

}  // namespace ccm::soak
