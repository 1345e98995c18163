#include "node_state.hpp"

#include <ccm/json_writer.hpp>

#include <cstdio>

namespace ccm::node_lifecycle {
namespace {

constexpr std::string_view kUninitializedTaint = "node.cloudprovider.kubernetes.io/uninitialized";

// "2026-01-02T03:04:05Z", the form of metadata.creationTimestamp.
std::optional<std::chrono::milliseconds> parse_time(std::string_view text) {
  using namespace std::chrono;
  int year_number = 0;
  unsigned month_number = 0;
  unsigned day_number = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  const std::string copy(text);
  const int read = std::sscanf(copy.c_str(), "%4d-%2u-%2uT%2d:%2d:%2dZ", &year_number,
                               &month_number, &day_number, &hour, &minute, &second);
  const year_month_day date{year(year_number), month(month_number), day(day_number)};
  if (read != 6 || !date.ok()) return std::nullopt;
  return duration_cast<milliseconds>(sys_days(date).time_since_epoch()) + hours(hour) +
         minutes(minute) + seconds(second);
}

}  // namespace

bool NodeState::same_input(const NodeState& other) const {
  return uid == other.uid && provider_id == other.provider_id && ready == other.ready &&
         taints == other.taints;
}

const std::vector<std::string>& node_fields() {
  static const std::vector<std::string> fields{"/metadata/creationTimestamp", "/spec/providerID",
                                               "/spec/taints", "/status/conditions/-/type",
                                               "/status/conditions/-/status"};
  return fields;
}

NodeState read_node(const Object& node) {
  NodeState state;
  state.name = node.name();
  state.uid = node.uid();
  state.resource_version = node.resource_version();
  state.provider_id = node.text("/spec/providerID");
  state.created = parse_time(node.text("/metadata/creationTimestamp"));
  node.at("/spec/taints").each([&](std::string_view, const Value& taint) {
    state.taints.push_back({std::string(taint.text("/key")), std::string(taint.text("/value")),
                            std::string(taint.text("/effect")), JsonWriter().value(taint).str()});
    state.uninitialized = state.uninitialized || state.taints.back().key == kUninitializedTaint;
  });
  node.at("/status/conditions").each([&](std::string_view, const Value& condition) {
    if (condition.text("/type") == "Ready") state.ready = condition.text("/status") == "True";
  });
  return state;
}

}  // namespace ccm::node_lifecycle
