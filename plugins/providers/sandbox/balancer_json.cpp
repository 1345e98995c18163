#include "balancer.hpp"

#include <ccm/json.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace sandbox {
namespace {

using ccm::Code;
using ccm::ErrorClass;
using ccm::Result;
using ccm::Status;
using nlohmann::json;

Status bad_balancer(const std::string& what) {
  return Status(Code::data_loss, ErrorClass::unavailable, "the cloud's answer " + what)
      .with_reason("BadAnswer");
}

// These throw json::exception when a member is missing or has another type.
std::vector<std::string> texts(const json& object, const char* member) {
  std::vector<std::string> result;
  for (const json& item : object.at(member)) result.push_back(item.get<std::string>());
  return result;
}

BalancerSpec read_spec(const json& object) {
  BalancerSpec spec;
  spec.name = object.at("name").get<std::string>();
  if (const json& owner = object.at("owner"); owner.is_object()) {
    spec.owner_cluster = owner.value("cluster", "");
    spec.owner_uid = owner.value("service_uid", "");
  }
  for (const json& port : object.at("ports")) {
    ccm::ServicePort& read = spec.ports.emplace_back();
    read.name = port.value("name", "");
    read.protocol = port.at("protocol").get<std::string>();
    read.port = port.at("port").get<int32_t>();
    read.node_port = port.value("node_port", 0);
  }
  std::vector<std::string> backends = texts(object, "backends");
  if (!std::is_sorted(backends.begin(), backends.end())) {  // mostly unchanged since we sent them
    std::sort(backends.begin(), backends.end());
  }
  spec.backends = std::make_shared<const std::vector<std::string>>(std::move(backends));
  spec.source_ranges = texts(object, "source_ranges");
  spec.ip_families = texts(object, "ip_families");
  if (const json& check = object.at("health_check"); check.is_object()) {
    spec.health_port = check.value("port", 0);
  }
  spec.client_ip_affinity = object.value("affinity", "") == "client_ip";
  spec.affinity_timeout_s = object.value("affinity_timeout_s", 0);
  spec.hostname = object.value("hostname", "");
  spec.ip_mode = object.value("ip_mode", "");
  spec.internal = object.value("internal", false);
  spec.requested_ip = object.value("requested_ip", "");
  for (const json& error : object.at("port_errors")) {
    spec.port_errors.push_back(
        {error.value("protocol", ""), error.value("error", ""), error.value("port", 0)});
  }
  return spec;
}

Balancer read_balancer(const json& object) {
  Balancer balancer;
  balancer.id = object.at("id").get<std::string>();
  balancer.status = object.at("status").get<std::string>();
  balancer.ready_in_ms = object.value("ready_in_ms", int64_t{0});
  balancer.spec = read_spec(object);
  for (const json& address : object.at("addresses")) {
    if (address.contains("ip")) balancer.ips.push_back(address.at("ip").get<std::string>());
    if (address.contains("hostname")) {
      balancer.hostnames.push_back(address.at("hostname").get<std::string>());
    }
  }
  return balancer;
}

// Reads a document; a missing or mistyped member is a failure.
template <typename T, typename Read>
Result<T> read_document(std::string_view text, Read read) {
  const Result<json> document = ccm::read_json(text);
  if (!document.ok()) return bad_balancer(document.status().message());
  try {
    return read(*document);
  } catch (const json::exception&) {
    return bad_balancer("is not what the API says");
  }
}

}  // namespace

std::string to_json(const BalancerSpec& spec) {
  json ports = json::array();
  for (const ccm::ServicePort& port : spec.ports) {
    ports.push_back({{"name", port.name},
                     {"protocol", port.protocol},
                     {"port", port.port},
                     {"node_port", port.node_port}});
  }
  json errors = json::array();
  for (const ccm::IngressPort& error : spec.port_errors) {
    errors.push_back({{"port", error.port}, {"protocol", error.protocol}, {"error", error.error}});
  }
  json check;
  if (spec.health_port != 0) check = {{"port", spec.health_port}, {"path", "/healthz"}};
  const json body = {{"name", spec.name},
                     {"owner", {{"cluster", spec.owner_cluster}, {"service_uid", spec.owner_uid}}},
                     {"ports", ports},
                     {"backends", *spec.backends},
                     {"source_ranges", spec.source_ranges},
                     {"ip_families", spec.ip_families},
                     {"health_check", check},
                     {"affinity", spec.client_ip_affinity ? "client_ip" : "none"},
                     {"affinity_timeout_s", spec.affinity_timeout_s},
                     {"hostname", spec.hostname},
                     {"ip_mode", spec.ip_mode},
                     {"internal", spec.internal},
                     {"requested_ip", spec.requested_ip},
                     {"port_errors", errors}};
  return body.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string backends_to_json(const MachineIds& backends) {
  return json{{"backends", *backends}}.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<Balancer> parse_balancer(std::string_view text) {
  return read_document<Balancer>(text, read_balancer);
}

Result<BalancerPage> parse_balancer_page(std::string_view text) {
  return read_document<BalancerPage>(text, [](const json& document) -> Result<BalancerPage> {
    BalancerPage page;
    for (const json& object : document.at("load_balancers")) {
      page.balancers.push_back(read_balancer(object));
    }
    page.total = document.at("meta").at("total").get<std::size_t>();
    page.last = document.at("meta").at("next_page").is_null();
    return page;
  });
}

Result<std::vector<Balancer>> parse_balancers(std::string_view text) {
  using Balancers = std::vector<Balancer>;
  return read_document<Balancers>(text, [](const json& document) -> Result<Balancers> {
    Balancers balancers;
    for (const json& object : document.at("load_balancers")) {
      balancers.push_back(read_balancer(object));
    }
    if (document.at("meta").at("total").get<std::size_t>() != balancers.size()) {
      return bad_balancer("has not all load balancers of one owner");
    }
    return balancers;
  });
}

Result<ccm::LoadBalancerLimits> parse_balancer_limits(std::string_view text) {
  return read_document<ccm::LoadBalancerLimits>(text, [](const json& document) {
    ccm::LoadBalancerLimits limits;
    limits.load_balancers = document.at("load_balancers").get<int64_t>();
    limits.backends = document.at("backends").get<int64_t>();
    return limits;
  });
}

}  // namespace sandbox
