#include "node_state.hpp"

#include "names.hpp"

#include <ccm/json_writer.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace ccm::node {
namespace {

const std::string& annotation_pointer() {
  static const std::string pointer = "/metadata/annotations" + pointer_segment(kProvidedNodeIp);
  return pointer;
}

// The keys of kCloudLabels, each with its place among the labels.
const std::vector<std::pair<std::string_view, std::string>>& cloud_label_pointers() {
  static const auto pointers = [] {
    std::vector<std::pair<std::string_view, std::string>> all;
    for (const CloudLabel& label : kCloudLabels) {
      all.emplace_back(label.beta_key, pointer_segment(label.beta_key));
      all.emplace_back(label.key, pointer_segment(label.key));
    }
    return all;
  }();
  return pointers;
}

// The number at text[begin, begin+length); nothing when it is none.
std::optional<int> digits(std::string_view text, size_t begin, size_t length) {
  int number = 0;
  const char* first = text.data() + begin;
  const auto [end, fault] = std::from_chars(first, first + length, number);
  if (fault != std::errc() || end != first + length || *first == '-') return std::nullopt;
  return number;
}

}  // namespace

bool NodeState::uninitialized() const {
  return std::any_of(taints.begin(), taints.end(),
                     [](const Taint& taint) { return taint.key == kUninitializedTaint; });
}

const std::vector<std::string>& node_fields() {
  static const std::vector<std::string> fields{"/metadata/labels",   "/metadata/creationTimestamp",
                                               annotation_pointer(), "/spec/providerID",
                                               "/spec/taints",       "/status/addresses"};
  return fields;
}

bool is_uninitialized(const Object& node) {
  bool found = false;
  node.at("/spec/taints").each([&](std::string_view, const Value& taint) {
    found = taint.text("/key") == kUninitializedTaint;
    return !found;
  });
  return found;
}

Labels read_cloud_labels(const Object& node) {
  Labels labels;
  const Value all = node.at("/metadata/labels");
  for (const auto& [key, pointer] : cloud_label_pointers()) {
    if (const auto value = all.at(pointer).text()) labels.emplace(key, *value);
  }
  return labels;
}

NodeState read_node(const Object& node) {
  NodeState state;
  state.name = node.name();
  state.resource_version = node.resource_version();
  state.provider_id = node.text("/spec/providerID");
  node.at("/metadata/labels").each([&](std::string_view key, const Value& value) {
    state.labels.emplace(key, value.text().value_or(std::string_view()));
  });
  node.at("/spec/taints").each([&](std::string_view, const Value& taint) {
    state.taints.push_back({std::string(taint.text("/key")), JsonWriter().value(taint).str()});
  });
  node.at("/status/addresses").each([&](std::string_view, const Value& address) {
    state.addresses.push_back(
        {std::string(address.text("/type")), std::string(address.text("/address"))});
  });
  if (const auto ip = node.at(annotation_pointer()).text()) state.provided_node_ip = *ip;
  state.created = parse_time(node.text("/metadata/creationTimestamp"));
  return state;
}

std::optional<std::chrono::milliseconds> parse_time(std::string_view text) {
  using namespace std::chrono;
  constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
  if (text.size() != kForm.size()) return std::nullopt;
  for (size_t i = 0; i < text.size(); ++i) {
    if (kForm[i] != '0' && text[i] != kForm[i]) return std::nullopt;
  }
  const auto year_number = digits(text, 0, 4);
  const auto month_number = digits(text, 5, 2);
  const auto day_number = digits(text, 8, 2);
  const auto hour = digits(text, 11, 2);
  const auto minute = digits(text, 14, 2);
  const auto second = digits(text, 17, 2);
  if (!year_number || !month_number || !day_number || !hour || !minute || !second) {
    return std::nullopt;
  }
  const year_month_day date{year(*year_number), month(static_cast<unsigned>(*month_number)),
                            day(static_cast<unsigned>(*day_number))};
  if (!date.ok()) return std::nullopt;
  return duration_cast<milliseconds>(sys_days(date).time_since_epoch()) + hours(*hour) +
         minutes(*minute) + seconds(*second);
}

}  // namespace ccm::node
