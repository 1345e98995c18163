#include "openstack_api/faults.hpp"

#include <stdexcept>
#include <utility>

namespace ccm::openstack_api {

Fault Fault::from_json(const json& text) {
  Fault fault;
  for (const auto& [name, value] : text.items()) {
    if (name == "method") {
      fault.method = value;
    } else if (name == "path") {
      fault.path = value;
    } else if (name == "skip") {
      fault.skip = value;
    } else if (name == "count") {
      fault.count = value;
    } else if (name == "status") {
      fault.status = value;
    } else if (name == "body") {
      fault.body = value.is_string() ? value.get<std::string>() : value.dump();
    } else if (name == "headers") {
      fault.headers = value;
    } else if (name == "delay_ms") {
      fault.delay = milliseconds(value.get<int64_t>());
    } else if (name == "cut") {
      fault.cut = value;
    } else if (name == "lose_answer") {
      fault.lose_answer = value;
    } else if (name == "cut_body") {
      fault.cut_body = value;
    } else {
      throw std::invalid_argument("a fault has no \"" + name + "\"");
    }
  }
  return fault;
}

void Faults::add(Fault fault) {
  std::regex path(fault.path);
  rules_.push_back({std::move(fault), std::move(path)});
}

std::optional<Fault> Faults::meet(const std::string& method, const std::string& target) {
  for (Rule& rule : rules_) {
    Fault& fault = rule.fault;
    if (fault.count == 0) continue;
    if (!fault.method.empty() && fault.method != method) continue;
    if (!std::regex_search(target, rule.path)) continue;
    if (fault.skip > 0) {
      --fault.skip;
      continue;
    }
    if (fault.count > 0) --fault.count;
    return fault;
  }
  return std::nullopt;
}

}  // namespace ccm::openstack_api
