#include "openstack_api/load_balancer/parts.hpp"

#include "openstack_api/load_balancer/fields.hpp"
#include "openstack_api/network/addresses.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace ccm::openstack_api {
namespace {

const json kNone = nullptr;

const json& listener_defaults() {
  static const json kDefaults = {{"name", ""},
                                 {"description", ""},
                                 {"admin_state_up", true},
                                 {"connection_limit", -1},
                                 {"default_pool_id", kNone},
                                 {"default_tls_container_ref", kNone},
                                 {"sni_container_refs", json::array()},
                                 {"insert_headers", json::object()},
                                 {"tags", json::array()},
                                 {"timeout_client_data", 50000},
                                 {"timeout_member_connect", 5000},
                                 {"timeout_member_data", 50000},
                                 {"timeout_tcp_inspect", 0},
                                 {"allowed_cidrs", kNone},
                                 {"client_authentication", "NONE"},
                                 {"client_ca_tls_container_ref", kNone},
                                 {"client_crl_container_ref", kNone},
                                 {"alpn_protocols", kNone},
                                 {"tls_ciphers", kNone},
                                 {"tls_versions", kNone},
                                 {"hsts_max_age", kNone},
                                 {"hsts_include_subdomains", false},
                                 {"hsts_preload", false}};
  return kDefaults;
}

// The defaults in octavia.conf.
const json& tls_defaults() {
  static const json kDefaults = {
      {"alpn_protocols", {"h2", "http/1.1", "http/1.0"}},
      {"tls_versions", {"TLSv1.2", "TLSv1.3"}},
      {"tls_ciphers",
       "TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:"
       "DHE-RSA-AES256-GCM-SHA384:DHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES256-GCM-SHA384:"
       "ECDHE-RSA-AES128-GCM-SHA256:DHE-RSA-AES256-SHA256:DHE-RSA-AES128-SHA256:"
       "ECDHE-RSA-AES256-SHA384:ECDHE-RSA-AES128-SHA256"}};
  return kDefaults;
}

const json& pool_defaults() {
  static const json kDefaults = {{"name", ""},
                                 {"description", ""},
                                 {"admin_state_up", true},
                                 {"tags", json::array()},
                                 {"session_persistence", kNone},
                                 {"alpn_protocols", kNone},
                                 {"ca_tls_container_ref", kNone},
                                 {"crl_container_ref", kNone},
                                 {"tls_ciphers", kNone},
                                 {"tls_container_ref", kNone},
                                 {"tls_enabled", false},
                                 {"tls_versions", kNone}};
  return kDefaults;
}

const std::map<std::string, std::set<std::string>>& pool_protocols() {
  static const std::map<std::string, std::set<std::string>> kProtocols = {
      {"TCP", {"HTTP", "HTTPS", "PROXY", "PROXYV2", "TCP"}},
      {"HTTP", {"HTTP", "PROXY", "PROXYV2"}},
      {"HTTPS", {"HTTPS", "PROXY", "PROXYV2", "TCP"}},
      {"TERMINATED_HTTPS", {"HTTP", "PROXY", "PROXYV2"}},
      {"UDP", {"UDP"}},
      {"SCTP", {"SCTP"}}};
  return kProtocols;
}

bool is_http(const std::string& protocol) {
  return protocol == "HTTP" || protocol == "TERMINATED_HTTPS";
}

// The protocol of IP that a listener's is on.
std::string transport(const std::string& protocol) {
  return protocol == "UDP" || protocol == "SCTP" ? protocol : "TCP";
}

[[noreturn]] void invalid(const std::string& what) {
  refuse_octavia(400, "Validation failure: " + what);
}

// Host bits are dropped.
json normal_cidrs(const json& cidrs) {
  if (cidrs.is_null() || cidrs.empty()) return nullptr;
  json out = json::array();
  for (const json& cidr : cidrs) out.push_back(parse_range(cidr)->text());
  return out;
}

json normal_persistence(const json& persistence) {
  if (persistence.is_null()) return nullptr;
  json out = {{"type", nullptr},
              {"cookie_name", nullptr},
              {"persistence_timeout", nullptr},
              {"persistence_granularity", nullptr}};
  out.update(persistence);
  return out;
}

}  // namespace

void LoadBalancerParts::check_listener(const json& listener, const json& lb) const {
  const std::string protocol = listener.at("protocol");
  static const std::set<std::string> kHeaders = {"X-Forwarded-For", "X-Forwarded-Port",
                                                 "X-Forwarded-Proto"};
  if (const json headers = listener.value("insert_headers", json());
      headers.is_object() && !headers.empty()) {
    if (!is_http(protocol)) {
      refuse_octavia(
          400, "insert-headers is not a valid option for a " + protocol + " protocol listener.");
    }
    for (const auto& [name, value] : headers.items()) {
      if (!kHeaders.contains(name))
        refuse_octavia(400, "['" + name + "'] is not a valid option for insert_headers");
    }
  }
  const json certificate = listener.value("default_tls_container_ref", json());
  if (!certificate.is_null() && protocol != "TERMINATED_HTTPS") {
    invalid("Certificate container references are not allowed on " + protocol +
            " protocol listeners.");
  }
  if (certificate.is_null() && protocol == "TERMINATED_HTTPS") {
    invalid(
        "An SNI or default certificate container reference must be provided for TERMINATED_HTTPS "
        "protocol listeners.");
  }
  if (!certificate.is_null() && !key_manager_.has(certificate)) {
    refuse_octavia(400,
                   "Could not retrieve certificate: ['" + certificate.get<std::string>() + "']");
  }
  if (!certificate.is_null() && key_manager_.is_text(certificate)) {
    refuse_octavia(400,
                   "The PKCS12 bundle is unreadable. Please check the PKCS12 bundle validity. In "
                   "addition, make sure it does not require a pass phrase. Error: none");
  }
  std::string addresses = "'" + lb.at("vip_address").get<std::string>() + "'";
  std::set<bool> families = {parse_address(lb.at("vip_address"))->v6};
  for (const json& vip : lb.at("additional_vips")) {
    addresses += ", '" + vip.at("ip_address").get<std::string>() + "'";
    families.insert(parse_address(vip.at("ip_address"))->v6);
  }
  const json cidrs = listener.value("allowed_cidrs", json());
  for (const json& cidr : cidrs.is_null() ? json::array() : cidrs) {
    if (families.contains(parse_range(cidr)->address.v6)) continue;
    invalid("CIDR " + cidr.get<std::string>() + " IP version incompatible with all VIPs [" +
            addresses + "] IP version.");
  }
}

void LoadBalancerParts::check_conflict(const json& listener, const std::string& lb_id) const {
  for (const json* other : store_.of("listeners").of(lb_id)) {
    if (other->at("protocol_port") != listener.at("protocol_port")) continue;
    if (transport(other->at("protocol")) != transport(listener.at("protocol"))) continue;
    refuse_octavia(409, "Another Listener on this Load Balancer is already using protocol " +
                            other->at("protocol").get<std::string>() + " and protocol_port " +
                            listener.at("protocol_port").dump());
  }
}

// OVN balances by addresses and ports alone.
void LoadBalancerParts::check_provider(const std::string& provider, const json& listener,
                                       const json& pool) {
  if (provider != "ovn") return;
  const auto unsupported = [](const std::string& what) {
    refuse_octavia(
        501, "Provider 'ovn' does not support a requested option: OVN provider does not support " +
                 what);
  };
  if (listener.is_object()) {
    const std::string protocol = listener.at("protocol");
    if (protocol != "TCP" && protocol != "UDP" && protocol != "SCTP")
      unsupported(protocol + " protocol");
    const json cidrs = listener.value("allowed_cidrs", json());
    if (!cidrs.is_null() && !cidrs.empty()) unsupported("allowed_cidrs option");
  }
  if (!pool.is_object()) return;
  const std::string protocol = pool.value("protocol", "TCP");
  if (protocol != "TCP" && protocol != "UDP" && protocol != "SCTP")
    unsupported(protocol + " protocol");
  const std::string algorithm = pool.value("lb_algorithm", "SOURCE_IP_PORT");
  if (algorithm != "SOURCE_IP_PORT") unsupported(algorithm + " algorithm");
}

void LoadBalancerParts::check_pool(const json& pool, const json& listener) {
  const std::string of_listener = listener.at("protocol");
  const std::string protocol = pool.at("protocol");
  if (pool_protocols().at(of_listener).contains(protocol)) return;
  invalid("The pool protocol '" + protocol + "' is invalid while the listener protocol is '" +
          of_listener + "'.");
}

void LoadBalancerParts::check_default_pool(const json& listener, const json& lb) const {
  const json id = listener.value("default_pool_id", json());
  if (id.is_null()) return;
  const json* pool = store_.of("pools").find(id);
  if (pool == nullptr || pool->at(".lb") != lb.at("id"))
    refuse_octavia(404, "Pool " + id.get<std::string>() + " not found.");
  check_pool(*pool, listener);
}

void LoadBalancerParts::check_monitor(const json& monitor, const std::string& pool_protocol) {
  const std::string type = monitor.at("type");
  const bool datagrams = pool_protocol == "UDP" || pool_protocol == "SCTP";
  if (!datagrams && (type == "UDP-CONNECT" || type == "SCTP")) {
    invalid("The " + type + " type is only supported for pools of type UDP/SCTP.");
  }
  if (datagrams && (type == "PING" || type == "HTTPS" || type == "TLS-HELLO")) {
    invalid("The " + type + " type is not supported for pools of type UDP/SCTP.");
  }
  for (const char* name : {"url_path", "http_method", "expected_codes"}) {
    if (type == "HTTP" || type == "HTTPS" || !monitor.contains(name) || monitor.at(name).is_null())
      continue;
    refuse_octavia(
        400, std::string(name) + " is not a valid option for health monitors of type " + type);
  }
}

// As octavia.conf says: udp_connect_min_interval_health_monitor.
void LoadBalancerParts::check_delay(const json& monitor) {
  constexpr int kShortest = 3;
  if (monitor.at("type") != "UDP-CONNECT" || !monitor.contains("delay")) return;
  if (monitor.at("delay").get<int>() >= kShortest) return;
  invalid("The request delay value " + monitor.at("delay").dump() + " should be larger than " +
          std::to_string(kShortest) + " for UDP-CONNECT health monitor type.");
}

void LoadBalancerParts::check_families(const json& members, const json& pool) const {
  const std::string protocol = pool.at("protocol");
  if ((protocol != "UDP" && protocol != "SCTP") || store_.listeners_of(pool).empty()) return;
  const json& lb = *store_.of("loadbalancers").find(pool.at(".lb"));
  if (lb.at("provider") == "ovn") return;
  std::set<bool> families = {parse_address(lb.at("vip_address"))->v6};
  for (const json& vip : lb.at("additional_vips")) {
    families.insert(parse_address(vip.at("ip_address"))->v6);
  }
  for (const json& member : members) {
    if (families.contains(parse_address(member.at("address"))->v6)) continue;
    refuse_octavia(501, "Provider '" + lb.at("provider").get<std::string>() +
                            "' does not support a requested option: This provider doesn't support "
                            "mixing IPv4 and IPv6 addresses for its VIP and members in " +
                            protocol + " load balancers.");
  }
}

json& LoadBalancerParts::add_listener(const json& wanted, const json& lb) {
  check_conflict(wanted, lb.at("id"));
  json record = store_.record_of(lb, "OFFLINE");
  record.update(listener_defaults());
  if (wanted.at("protocol") == "TERMINATED_HTTPS") record.update(tls_defaults());
  for (const auto& [name, value] : wanted.items()) {
    const bool own = listener_defaults().contains(name);
    if (own && !value.is_null()) record[name] = value;
  }
  record.update({{"protocol", wanted.at("protocol")},
                 {"protocol_port", wanted.at("protocol_port")},
                 {"allowed_cidrs", normal_cidrs(record.at("allowed_cidrs"))}});
  return store_.of("listeners").add(std::move(record));
}

json& LoadBalancerParts::add_pool(const json& wanted, const json& lb, json* listener) {
  json record = store_.record_of(lb, "OFFLINE");
  record.update(pool_defaults());
  for (const auto& [name, value] : wanted.items()) {
    const bool own = pool_defaults().contains(name);
    if (own && !value.is_null()) record[name] = value;
  }
  record.update({{"protocol", wanted.at("protocol")},
                 {"lb_algorithm", wanted.at("lb_algorithm")},
                 {"session_persistence", normal_persistence(record.at("session_persistence"))}});
  json& added = store_.of("pools").add(std::move(record));
  if (listener != nullptr) (*listener)["default_pool_id"] = added.at("id");
  return added;
}

json& LoadBalancerParts::add_member(const json& wanted, const json& pool) {
  for (const json* other : store_.of("members").of(pool.at("id"))) {
    const bool same = other->at("address") == wanted.at("address") &&
                      other->at("protocol_port") == wanted.at("protocol_port");
    if (!same || other->at("provisioning_status") == "PENDING_DELETE") continue;
    refuse_octavia(409, "Another member on this pool is already using ip " +
                            wanted.at("address").get<std::string>() + " on protocol_port " +
                            wanted.at("protocol_port").dump());
  }
  json record = store_.record_of(store_.load_balancer_of(pool), "NO_MONITOR");
  record.update({{".pool", pool.at("id")},
                 {"name", ""},
                 {"address", wanted.at("address")},
                 {"protocol_port", wanted.at("protocol_port")},
                 {"admin_state_up", true},
                 {"backup", false},
                 {"weight", 1},
                 {"subnet_id", nullptr},
                 {"monitor_address", nullptr},
                 {"monitor_port", nullptr},
                 {"tags", json::array()},
                 {"vnic_type", "normal"}});
  for (const auto& [name, value] : wanted.items()) {
    if (!value.is_null()) record[name] = value;
  }
  return store_.of("members").add(std::move(record));
}

json& LoadBalancerParts::add_monitor(const json& wanted, const json& pool) {
  const bool http = wanted.at("type") == "HTTP" || wanted.at("type") == "HTTPS";
  json record = store_.record_of(store_.load_balancer_of(pool), "OFFLINE");
  record.update({{".pool", pool.at("id")},
                 {"name", ""},
                 {"admin_state_up", true},
                 {"max_retries_down", 3},
                 {"http_method", http ? json("GET") : kNone},
                 {"url_path", http ? json("/") : kNone},
                 {"expected_codes", http ? json("200") : kNone},
                 {"http_version", nullptr},
                 {"domain_name", nullptr},
                 {"tags", json::array()}});
  for (const auto& [name, value] : wanted.items()) {
    if (!value.is_null() && name != "pool_id") record[name] = value;
  }
  return store_.of("healthmonitors").add(std::move(record));
}
}  // namespace ccm::openstack_api
