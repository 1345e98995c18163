// Answers of two clouds in a form in which they are equal when they say the same: without what each
// cloud makes up, which are IDs, times, tokens, addresses and its own URLs.
#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

namespace ccm::openstack_contract {

using nlohmann::json;

class NormalForm {
 public:
  // From now on `value` is written as `name`. Values that contain one another: the longest counts.
  void name(const std::string& value, const std::string& name);

  // A JSON body, member by member; the order of lists does not count.
  [[nodiscard]] json of(const json& body) const;
  [[nodiscard]] std::string of(const std::string& text) const;

 private:
  std::vector<std::pair<std::string, std::string>> names_;  // the longest value first
};

}  // namespace ccm::openstack_contract
