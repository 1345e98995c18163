#include "existing.hpp"

#include "openstack/json_answer.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace ccm::openstack {
namespace {

using nlohmann::json;

// "listeners": null is an empty list.
const json& list_of(const json& object, const char* name) {
  static const json kNone = json::array();
  const auto place = object.find(name);
  return place == object.end() || place->is_null() ? kNone : *place;
}

std::vector<std::string> sorted_texts(const json& list) {
  auto texts = list.get<std::vector<std::string>>();
  std::sort(texts.begin(), texts.end());
  return texts;
}

std::vector<std::string> balancers_of(const json& entry) {
  std::vector<std::string> ids;
  for (const json& each : list_of(entry, "loadbalancers")) ids.push_back(text_of(each, "id"));
  return ids;
}

bool has_failed(const json& entry) { return text_of(entry, "provisioning_status") == "ERROR"; }

ExistingMonitor read_monitor(const json& entry) {
  ExistingMonitor out;
  Monitor& monitor = out.monitor;
  monitor.type = text_of(entry, "type");
  monitor.delay = integer_or(entry, "delay", 0);
  monitor.timeout = integer_or(entry, "timeout", 0);
  monitor.max_retries = integer_or(entry, "max_retries", 0);
  monitor.max_retries_down = integer_or(entry, "max_retries_down", 0);
  out.failed = has_failed(entry);
  return out;
}

template <typename T>
Result<T> parse_one(std::string_view text, const char* name, T (*read)(const json&)) {
  return read_answer(text,
                     [&](const json& document) -> Result<T> { return read(document.at(name)); });
}

}  // namespace

std::string ExistingLoadBalancer::address_of(std::string_view family) const {
  const bool six = family == "IPv6";
  if (v6() == six) return vip_address;
  const auto place = std::find_if(
      additional_addresses.begin(), additional_addresses.end(),
      [six](const std::string& each) { return (each.find(':') != std::string::npos) == six; });
  return place == additional_addresses.end() ? std::string() : *place;
}

bool ExistingLoadBalancer::dual_stack() const {
  return !address_of("IPv4").empty() && !address_of("IPv6").empty();
}

bool ExistingLoadBalancer::tagged(const std::string& tag) const {
  return std::binary_search(tags.begin(), tags.end(), tag);
}

const ExistingPool* ExistingLoadBalancer::pool(const std::string& pool_id) const {
  const auto place = std::find_if(pools.begin(), pools.end(),
                                  [&](const ExistingPool& pool) { return pool.id == pool_id; });
  return place == pools.end() ? nullptr : &*place;
}

std::string member_key(const Member& member) {
  return member.address + " " + std::to_string(member.port);
}

ExistingLoadBalancer read_load_balancer(const json& entry) {
  ExistingLoadBalancer balancer;
  balancer.id = id_of(entry);
  balancer.name = text_of(entry, "name");
  balancer.status = text_of(entry, "provisioning_status");
  balancer.provider = text_of(entry, "provider");
  balancer.vip_address = text_of(entry, "vip_address");
  for (const json& vip : list_of(entry, "additional_vips")) {
    balancer.additional_addresses.push_back(text_of(vip, "ip_address"));
  }
  balancer.vip_port_id = text_of(entry, "vip_port_id");
  balancer.vip_subnet_id = text_of(entry, "vip_subnet_id");
  balancer.vip_network_id = text_of(entry, "vip_network_id");
  balancer.tags = sorted_texts(list_of(entry, "tags"));
  return balancer;
}

Result<ExistingLoadBalancer> parse_load_balancer(std::string_view json_text) {
  return parse_one(json_text, "loadbalancer", &read_load_balancer);
}

ExistingListener read_listener(const json& entry) {
  ExistingListener listener;
  listener.id = id_of(entry);
  listener.balancer_ids = balancers_of(entry);
  listener.status = text_of(entry, "provisioning_status");
  listener.protocol = text_of(entry, "protocol");
  listener.port = static_cast<int32_t>(integer_or(entry, "protocol_port", 0));
  listener.pool_id = text_of(entry, "default_pool_id");
  listener.connection_limit = integer_or(entry, "connection_limit", -1);
  Timeouts& timeouts = listener.timeouts;
  timeouts.client_data = integer_or(entry, "timeout_client_data", timeouts.client_data);
  timeouts.member_connect = integer_or(entry, "timeout_member_connect", timeouts.member_connect);
  timeouts.member_data = integer_or(entry, "timeout_member_data", timeouts.member_data);
  timeouts.tcp_inspect = integer_or(entry, "timeout_tcp_inspect", timeouts.tcp_inspect);
  listener.allowed_cidrs = sorted_texts(list_of(entry, "allowed_cidrs"));
  for (const auto& [name, value] : list_of(entry, "insert_headers").items()) {
    listener.insert_headers[name] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  listener.tls_container_ref = text_of(entry, "default_tls_container_ref");
  listener.tags = sorted_texts(list_of(entry, "tags"));
  return listener;
}

ExistingPool read_pool(const json& entry) {
  ExistingPool pool;
  pool.id = id_of(entry);
  pool.balancer_ids = balancers_of(entry);
  pool.name = text_of(entry, "name");
  pool.status = text_of(entry, "provisioning_status");
  pool.protocol = text_of(entry, "protocol");
  pool.method = text_of(entry, "lb_algorithm");
  const auto persistence = entry.find("session_persistence");
  pool.source_ip = persistence != entry.end() && persistence->is_object() &&
                   text_of(*persistence, "type") == "SOURCE_IP";
  pool.monitor_id = text_of(entry, "healthmonitor_id");
  return pool;
}

IdentifiedMember read_member(const json& entry) {
  Member member;
  member.name = text_of(entry, "name");
  member.address = text_of(entry, "address");
  member.subnet_id = text_of(entry, "subnet_id");
  member.port = static_cast<int32_t>(integer_or(entry, "protocol_port", 0));
  member.monitor_port = static_cast<int32_t>(integer_or(entry, "monitor_port", 0));
  member.drained = integer_or(entry, "weight", 1) == 0;
  return {id_of(entry), has_failed(entry), std::move(member)};
}

ExistingMembers members_of(std::vector<IdentifiedMember> all) {
  ExistingMembers out;
  for (IdentifiedMember& each : all) {
    if (each.failed) out.failed.insert(member_key(each.member));
    out.ids[member_key(each.member)] = std::move(each.id);
    out.members.push_back(std::move(each.member));
  }
  std::sort(out.members.begin(), out.members.end(), &before);
  return out;
}

Result<ExistingMonitor> parse_monitor(std::string_view json_text) {
  return parse_one(json_text, "healthmonitor", &read_monitor);
}

}  // namespace ccm::openstack
