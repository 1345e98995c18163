#include "cloud/call_log.hpp"

namespace sandbox::cloud {

namespace {
constexpr std::size_t kRecent = 1000;
}

void CallLog::record(Call call) {
  ++total_;
  ++(call.method == "GET" ? reads_ : writes_);
  if (!call.operation.empty()) ++by_operation_[call.operation];
  recent_.push_back(std::move(call));
  if (recent_.size() > kRecent) recent_.pop_front();
}

nlohmann::json CallLog::describe() const {
  nlohmann::json recent = nlohmann::json::array();
  for (const Call& call : recent_) {
    recent.push_back({{"method", call.method},
                      {"path", call.path},
                      {"status", call.status},
                      {"request_id", call.request_id},
                      {"duration_ms", call.duration_ms}});
  }
  return {{"total", total_},
          {"reads", reads_},
          {"writes", writes_},
          {"by_operation", by_operation_},
          {"recent", recent}};
}

}  // namespace sandbox::cloud
