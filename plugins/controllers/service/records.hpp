// The records of all Services that have or need a load balancer. [serial]
#pragma once

#include "members.hpp"
#include "node_pass.hpp"
#include "record.hpp"

#include <ccm/timer.hpp>

#include <memory>
#include <string>
#include <unordered_map>

namespace ccm::service {

class Records {
 public:
  using Map = std::unordered_map<std::string, std::shared_ptr<Record>>;  // by "namespace/name"

  Records(const Timer& timer, Members& members, NodePass& pass)
      : timer_(timer), members_(members), pass_(pass) {}

  [[nodiscard]] const Map& all() const { return records_; }
  // Null when there is none.
  [[nodiscard]] std::shared_ptr<Record> find(const std::string& key) const;
  // The record of the Service with that uid; a new one in place of another uid's.
  std::shared_ptr<Record> of(const std::string& key, const std::string& uid);
  void erase(const std::string& key);

 private:
  const Timer& timer_;
  Members& members_;
  NodePass& pass_;
  Map records_;
};

}  // namespace ccm::service
