#include "cloud/cloud_faults.hpp"

#include <algorithm>
#include <stdexcept>

namespace sandbox::cloud {
namespace {

using Json = nlohmann::json;
constexpr std::chrono::hours kWindow{1};
// Faults of listing and looking up machines have members of their own.
constexpr std::string_view kOperations[] = {
    "ListLoadBalancers",  "GetLoadBalancer", "CreateLoadBalancer",
    "UpdateLoadBalancer", "UpdateBackends",  "DeleteLoadBalancer",
    "ListRoutes",         "ApplyRoutes",     "GetLimits"};

void read_number(const Json& json, const char* member, int& target) {
  auto found = json.find(member);
  if (found == json.end()) return;
  if (!found->is_number_integer() || *found < 0) {
    throw std::invalid_argument(std::string(member) + " has to be a number >= 0");
  }
  target = *found;
}

void read_choice(const Json& json, const char* member, std::initializer_list<const char*> choices,
                 std::string& target) {
  auto found = json.find(member);
  if (found == json.end()) return;
  bool good =
      found->is_string() && std::any_of(choices.begin(), choices.end(),
                                        [&](const char* choice) { return *found == choice; });
  if (!good) throw std::invalid_argument(std::string(member) + ": unknown fault " + found->dump());
  target = *found;
}

void read_operations(const Json& json, std::map<std::string, std::string>& target) {
  const Json operations = json.value("operations", Json::object());
  if (!operations.is_object()) throw std::invalid_argument("operations has to be an object");
  for (const auto& [operation, fault] : operations.items()) {
    const auto& known = kOperations;
    if (std::find(std::begin(known), std::end(known), operation) == std::end(known)) {
      throw std::invalid_argument("unknown operation " + operation);
    }
    read_choice(operations, operation.c_str(), {"error", "hang", "garbage", "lost", "nothing"},
                target[operation]);
  }
}

}  // namespace

CloudFaults CloudFaults::parse(const Json& json) {
  if (!json.is_object()) throw std::invalid_argument("faults have to be an object");
  static const char* const known[] = {"latency_ms",    "list",       "get",   "status",
                                      "retry_after_s", "rate_limit", "count", "operations"};
  for (auto item = json.begin(); item != json.end(); ++item) {
    bool good = std::any_of(std::begin(known), std::end(known),
                            [&](const char* name) { return item.key() == name; });
    if (!good) throw std::invalid_argument("unknown member: " + item.key());
  }
  CloudFaults faults;
  read_number(json, "latency_ms", faults.latency_ms);
  read_choice(json, "list", {"error", "empty", "half", "hang", "garbage", "duplicate", "gap"},
              faults.list);
  read_choice(json, "get", {"error", "not_found", "hang", "garbage"}, faults.get);
  read_operations(json, faults.operations);
  read_number(json, "status", faults.status);
  read_number(json, "retry_after_s", faults.retry_after_s);
  read_number(json, "rate_limit", faults.rate_limit);
  if (faults.status < 400 || faults.status > 599) {
    throw std::invalid_argument("status has to be between 400 and 599");
  }
  int count = -1;
  read_number(json, "count", count);
  faults.count = count;
  return faults;
}

Json CloudFaults::describe() const {
  Json json = Json::object();
  if (!active()) return json;
  if (latency_ms != 0) json["latency_ms"] = latency_ms;
  if (!list.empty()) json["list"] = list;
  if (!get.empty()) json["get"] = get;
  if (!operations.empty()) json["operations"] = operations;
  if (!list.empty() || !get.empty() || !operations.empty()) json["status"] = status;
  if (retry_after_s >= 0) json["retry_after_s"] = retry_after_s;
  if (rate_limit != 0) json["rate_limit"] = rate_limit;
  if (count >= 0) json["count"] = count;
  return json;
}

void CloudFaults::use() {
  if (count > 0) --count;
}

void RateLimit::set_limit(int calls_per_hour) {
  limit_ = calls_per_hour == 0 ? kDefault : calls_per_hour;
  used_ = 0;
  window_start_ = {};
}

bool RateLimit::take(Clock::time_point now) {
  if (window_start_ == Clock::time_point{} || now - window_start_ >= kWindow) {
    window_start_ = now;
    used_ = 0;
  }
  if (used_ >= limit_) return false;
  ++used_;
  return true;
}

long long RateLimit::reset_after(Clock::time_point now) const {
  if (window_start_ == Clock::time_point{}) return 0;
  auto left = window_start_ + kWindow - now;
  return std::max<long long>(0, std::chrono::ceil<std::chrono::seconds>(left).count());
}

}  // namespace sandbox::cloud
