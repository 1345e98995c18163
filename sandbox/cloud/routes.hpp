#pragma once

#include "cloud/cloud_error.hpp"
#include "cloud/machine.hpp"
#include "cloud/settings.hpp"

#include <string>
#include <unordered_map>

namespace sandbox::cloud {

// The route table of the cloud's network. A route as /v1 shows it:
//   {id, destination, machine_id, owner: CLUSTER or "", node, name, blackhole}
// It is a blackhole when its machine does not exist.
class Routes {
 public:
  Json list(const Machines& machines) const;
  std::size_t size() const { return all_.size(); }

  // {"remove": [ids], "add": [{destination, machine_id, owner, node, name}]}; the outcome of each
  // change in that order: {code: ok|not_found|quota|invalid|no_machine|conflict, message}. `store`
  // false: only answered. Throws CloudError 422 for a malformed or too long batch.
  Json apply(const Json& batch, const Machines& machines, const Settings& settings, bool store);

  // By hand, without checks.
  const Json& force(const std::string& id, const Json& members);
  bool erase(const std::string& id) { return all_.erase(id) > 0; }
  void clear();

 private:
  Json remove(const Json& id);
  // `taken`: which destinations lead to which machine.
  Json add(const Json& given, const Machines& machines, const Settings& settings,
           std::unordered_map<std::string, std::string>& taken);

  std::map<std::string, Json, IdLess> all_;
  std::size_t next_ = 1;
};

}  // namespace sandbox::cloud
