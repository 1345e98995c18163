// The Nodes whose deletion the gate currently holds back, for pages and metrics. Loop thread.
#pragma once

#include "cloud/deletion/node_view.hpp"
#include "plugin/host_services/kube_access.hpp"
#include "runtime/timers.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

namespace ccm::cloud {

class HeldNodes {
 public:
  // Both must outlive it.
  HeldNodes(const plugin::ObjectCache& cache, const runtime::Timers& timers)
      : cache_(cache), timers_(timers) {}

  void hold(const NodeFacts& node);
  // The gate has decided otherwise.
  void forget(const NodeFacts& node);
  // Forgets Nodes whose deletion is no longer requested: they are gone, Ready, or not asked for.
  void refresh();

  [[nodiscard]] std::vector<std::string> names() const;  // sorted by name
  [[nodiscard]] std::unordered_set<std::string> uids() const;

 private:
  struct Held {
    std::string uid;
    runtime::TimePoint asked;
  };
  [[nodiscard]] bool wanted(const std::string& name, const Held& held) const;

  const plugin::ObjectCache& cache_;
  const runtime::Timers& timers_;
  std::map<std::string, Held> held_;  // by name
};

}  // namespace ccm::cloud
