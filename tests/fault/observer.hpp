// Changes of the Nodes and the Lease, from watches that run from the beginning.
#pragma once

#include "cluster.hpp"

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace ccm::fault {

class Observer {
 public:
  // Follows on threads of its own until the end of its life. Throws when the server cannot be
  // watched.
  explicit Observer(Cluster& cluster);
  ~Observer();
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  // Changes of each Node after its creation. Managed by name; deletions count in deleted().
  [[nodiscard]] std::map<std::string, int> writes() const;
  [[nodiscard]] int deleted() const { return deleted_; }
  // How often the Lease went from one holder to another, or to none and on.
  [[nodiscard]] int changes_of_leader() const { return changes_; }
  // Each case in which the Lease was taken while its holder could still write; empty = never.
  [[nodiscard]] std::vector<std::string> overlaps() const;

 private:
  void follow(const std::string& target, void (Observer::*take)(const nlohmann::json& event));
  void take_node(const nlohmann::json& event);
  void take_lease(const nlohmann::json& event);

  Cluster& cluster_;
  mutable std::mutex mutex_;
  std::map<std::string, int> writes_;
  std::vector<std::string> overlaps_;
  nlohmann::json last_lease_;
  std::atomic<int> deleted_{0};
  std::atomic<int> changes_{0};
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
};

}  // namespace ccm::fault
