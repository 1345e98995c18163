// Which Node an instance is when the names of several lead to it: at most one of them gets it.
// [serial]
#pragma once

#include <ccm/host.hpp>

#include <map>
#include <string>

namespace ccm::aws {

class Claims {
 public:
  explicit Claims(Host& host) : host_(host) {}

  // By instance, of those that are keys of `wanted`: the Node that has it by its provider ID, or by
  // an earlier answer while the Node is there. An instance that nobody has is left out.
  using Holders = std::map<std::string, std::string>;
  [[nodiscard]] Holders holders(const Holders& wanted) const;
  // From now on.
  void hold(const std::string& instance_id, const std::string& node) { given_[instance_id] = node; }

 private:
  Host& host_;
  Holders given_;  // Nodes that were told of it by name, and may have no provider ID yet
};

}  // namespace ccm::aws
