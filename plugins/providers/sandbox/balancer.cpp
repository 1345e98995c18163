#include "balancer.hpp"

#include <ccm/json.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

namespace sandbox {
namespace {

using ccm::Code;
using ccm::ErrorClass;
using ccm::LoadBalancerService;
using ccm::Result;
using ccm::Status;
using nlohmann::json;

constexpr std::string_view kPrefix = "sandbox.cloud/";
constexpr std::chrono::milliseconds kShortestPoll{50};
constexpr std::chrono::milliseconds kLongestPoll{5'000};

// An annotation, or else the parameter of the Service's class.
std::string setting(const LoadBalancerService& service, std::string_view name) {
  const std::string pointer =
      "/metadata/annotations" + ccm::pointer_segment(std::string(kPrefix) + std::string(name));
  if (const auto text = service.object.at(pointer).text()) return std::string(*text);
  for (const ccm::Label& parameter : service.parameters) {
    if (parameter.key == name) return parameter.value;
  }
  return {};
}

Status invalid(std::string_view name, const std::string& value, const std::string& rule) {
  return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                "annotation " + std::string(kPrefix) + std::string(name) + "=\"" + value + "\" " +
                    rule)
      .with_reason("InvalidAnnotation");
}

// "80/TCP=example.com/Busy,81/UDP=PortTaken"
bool read_port_errors(std::string_view text, std::vector<ccm::IngressPort>& errors) {
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const std::size_t slash = item.find('/');
    const std::size_t equals = item.find('=');
    if (slash == item.npos || equals == item.npos || slash > equals) return false;
    ccm::IngressPort error;
    const char* end = item.data() + slash;
    const auto [stop, fault] = std::from_chars(item.data(), end, error.port);
    if (fault != std::errc() || stop != end) return false;
    error.protocol = item.substr(slash + 1, equals - slash - 1);
    error.error = item.substr(equals + 1);
    if (error.protocol.empty() || error.error.empty()) return false;
    errors.push_back(std::move(error));
  }
  return true;
}

Status read_settings(const LoadBalancerService& service, BalancerSpec& spec) {
  spec.hostname = setting(service, "hostname");
  spec.ip_mode = setting(service, "ip-mode");
  if (!spec.ip_mode.empty() && spec.ip_mode != "VIP" && spec.ip_mode != "Proxy") {
    return invalid("ip-mode", spec.ip_mode, "has to be VIP or Proxy");
  }
  const std::string internal = setting(service, "internal");
  if (!internal.empty() && internal != "true" && internal != "false") {
    return invalid("internal", internal, "has to be true or false");
  }
  spec.internal = internal == "true";
  const std::string errors = setting(service, "port-errors");
  if (!read_port_errors(errors, spec.port_errors)) {
    return invalid("port-errors", errors, "has to be like 80/TCP=Reason,81/UDP=example.com/Reason");
  }
  return {};
}

void note(std::string& text, bool differs, const char* what) {
  if (!differs) return;
  if (!text.empty()) text += ", ";
  text += what;
}

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

Result<BalancerSpec> wanted_balancer(const LoadBalancerService& service, MachineIds backends) {
  BalancerSpec spec;
  spec.name = service.default_name;
  spec.owner_cluster = service.cluster_name;
  spec.owner_uid = service.uid;
  spec.ports = service.ports;
  for (ccm::ServicePort& port : spec.ports) port.app_protocol.clear();
  spec.backends = std::move(backends);
  spec.source_ranges = service.source_ranges;
  spec.ip_families = service.ip_families;
  spec.health_port = service.local_traffic ? service.health_check_node_port : 0;
  spec.client_ip_affinity = service.client_ip_affinity;
  spec.affinity_timeout_s = service.client_ip_affinity ? service.affinity_timeout.count() : 0;
  spec.requested_ip = service.requested_ip;
  Status read = read_settings(service, spec);
  if (!read.ok()) return read;
  return spec;
}

std::string difference(const BalancerSpec& wanted, const BalancerSpec& actual) {
  std::string text;
  note(text, wanted.name != actual.name, "name");
  note(text, wanted.owner_cluster != actual.owner_cluster || wanted.owner_uid != actual.owner_uid,
       "owner");
  note(text, wanted.ports != actual.ports, "ports");
  note(text, *wanted.backends != *actual.backends, "backends");
  note(text, wanted.source_ranges != actual.source_ranges, "source ranges");
  note(text, wanted.ip_families != actual.ip_families, "IP families");
  note(text, wanted.health_port != actual.health_port, "health check");
  note(text,
       wanted.client_ip_affinity != actual.client_ip_affinity ||
           wanted.affinity_timeout_s != actual.affinity_timeout_s,
       "session affinity");
  note(text,
       wanted.hostname != actual.hostname || wanted.ip_mode != actual.ip_mode ||
           wanted.internal != actual.internal || wanted.requested_ip != actual.requested_ip,
       "address");
  note(text, wanted.port_errors != actual.port_errors, "port errors");
  return text;
}

ccm::LoadBalancer shown(const Balancer& balancer, std::string difference) {
  ccm::LoadBalancer result;
  result.state = balancer.status == "active" ? ccm::LoadBalancerState::active
                                             : ccm::LoadBalancerState::pending;
  result.id = balancer.id;
  result.name = balancer.spec.name;
  result.difference = std::move(difference);
  if (const std::chrono::milliseconds left(balancer.ready_in_ms);
      result.state == ccm::LoadBalancerState::pending && left.count() > 0) {
    result.retry_after = std::clamp(left, kShortestPoll, kLongestPoll);
  }
  for (const std::string& ip : balancer.ips) {
    ccm::Ingress ingress;
    ingress.ip = ip;
    ingress.ip_mode = balancer.spec.ip_mode;
    ingress.ports = balancer.spec.port_errors;
    result.ingress.push_back(std::move(ingress));
  }
  for (const std::string& hostname : balancer.hostnames) {
    ccm::Ingress ingress;
    ingress.hostname = hostname;
    ingress.ports = balancer.spec.port_errors;
    result.ingress.push_back(std::move(ingress));
  }
  return result;
}

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
