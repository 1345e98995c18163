// The changes of the cluster during a run.
#pragma once

#include "cluster.hpp"

#include <cstdint>
#include <optional>
#include <random>
#include <string>

namespace ccm::soak {

// One thread.
class Churn {
 public:
  Churn(Cluster& cluster, const Options& options, uint32_t seed)
      : cluster_(cluster), options_(options), random_(seed) {}

  // Creates the wanted number of nodes and Services, before the manager starts.
  void fill();
  // A Service comes, changes or goes; their number stays about the same.
  void change_service();
  // A node comes, goes or is not ready for a while.
  void change_node();
  // From now on only the Nodes whose droplets are gone are not Ready.
  void calm();

  [[nodiscard]] int64_t changes() const { return changes_; }

 private:
  void add_service();
  template <typename Map>
  auto any_of(const Map& map) {
    return std::next(map.begin(), static_cast<int64_t>(random_() % map.size()))->first;
  }

  Cluster& cluster_;
  const Options& options_;
  std::mt19937 random_;
  int64_t next_node_ = 0;
  int64_t next_service_ = 0;
  int64_t changes_ = 0;
  std::optional<int64_t> silent_;  // the node that is not ready although its droplet is there
};

}  // namespace ccm::soak
