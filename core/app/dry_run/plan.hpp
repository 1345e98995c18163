// The changes that a dry run collects. Loop thread.
#pragma once

#include "app/dry_run/change.hpp"
#include "plugin/withheld_writes.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ccm::app {

class Plan final : public plugin::WithheldWrites {
 public:
  // Writes to the cloud. The same write of the same object, again, is the same change.
  void withhold(const plugin::WithheldWrite& write) override;
  // Writes to Kubernetes. Several patches of one object are one change.
  void note(Change change);

  [[nodiscard]] const std::vector<Change>& changes() const { return changes_; }
  // Whether this controller's reconcile of that key asked the cloud for a change.
  [[nodiscard]] bool cloud_changes(const std::string& controller, const std::string& key) const {
    return cloud_keys_.contains({controller, key});
  }

 private:
  std::vector<Change> changes_;  // in the order in which they were first asked for
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places_;
  std::set<std::pair<std::string, std::string>> cloud_keys_;
};

}  // namespace ccm::app
