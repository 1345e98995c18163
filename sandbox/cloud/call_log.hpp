#pragma once

#include <nlohmann/json.hpp>

#include <deque>
#include <map>
#include <string>

namespace sandbox::cloud {

// The calls to the cloud through /v1.
class CallLog {
 public:
  struct Call {
    std::string operation;  // "ListMachines"
    std::string method;
    std::string path;
    int status = 0;
    std::string request_id;
    long long duration_ms = 0;
  };
  void record(Call call);
  void reset() { *this = CallLog(); }
  nlohmann::json describe() const;

 private:
  long long total_ = 0, reads_ = 0, writes_ = 0;
  // All operations are listed, so that a zero can be asserted.
  std::map<std::string, long long> by_operation_{
      {"ListMachines", 0},       {"GetMachine", 0},      {"GetLimits", 0},
      {"ListLoadBalancers", 0},  {"GetLoadBalancer", 0}, {"CreateLoadBalancer", 0},
      {"UpdateLoadBalancer", 0}, {"UpdateBackends", 0},  {"DeleteLoadBalancer", 0},
      {"ListRoutes", 0},         {"ApplyRoutes", 0}};
  std::deque<Call> recent_;
};

}  // namespace sandbox::cloud
