#include "octavia.hpp"

#include "openstack/answer.hpp"
#include "openstack/json_answer.hpp"

#include <ccm/percent_encode.hpp>

#include <nlohmann/json.hpp>

#include <utility>

namespace ccm::openstack {
namespace {

using nlohmann::json;

FloatingIp read_floating_ip(const json& entry) {
  return {entry.at("id").get<std::string>(), text_of(entry, "floating_ip_address"),
          text_of(entry, "description")};
}

Result<FloatingIp> read_made_floating_ip(const json& document) {
  return read_floating_ip(document.at("floatingip"));
}

Result<std::optional<FloatingIp>> read_floating_ips(const json& document) {
  const json& list = document.at("floatingips");
  if (list.empty()) return std::optional<FloatingIp>();
  return std::optional<FloatingIp>(read_floating_ip(list.at(0)));
}

Result<std::string> read_first_network(const json& document) {
  const json& list = document.at("networks");
  return list.empty() ? std::string() : text_of(list.at(0), "id");
}

}  // namespace

Task<Result<std::string>> Octavia::get(Ctx ctx, const char* service, std::string path,
                                       const char* operation) {
  Call question;
  question.service = service;
  question.path = std::move(path);
  question.operation = operation;
  return api_.call(std::move(ctx), std::move(question));
}

Task<Result<std::optional<ExistingLoadBalancer>>> Octavia::find(Ctx ctx, std::string id) {
  using Found = std::optional<ExistingLoadBalancer>;
  auto body =
      co_await get(ctx, "load-balancer", "loadbalancers/" + percent_encode(id), "GetLoadBalancer");
  if (body.status().error_class() == ErrorClass::not_found) co_return Found();
  if (!body.ok()) co_return body.status();
  auto balancer = parse_load_balancer(*body);
  if (!balancer.ok()) co_return balancer.status();
  if (balancer->status == "DELETED") co_return Found();
  co_return Found(*std::move(balancer));
}

Task<Result<std::vector<ExistingLoadBalancer>>> Octavia::with_tag(Ctx ctx, std::string tag) {
  auto body = co_await get(ctx, "load-balancer", "loadbalancers?tags=" + percent_encode(tag),
                           "ListLoadBalancers");
  if (!body.ok()) co_return body.status();
  auto all = parse_load_balancers(*body);
  if (!all.ok()) co_return all.status();
  std::erase_if(*all, [](const ExistingLoadBalancer& one) { return one.status == "DELETED"; });
  co_return all;
}

Task<Status> Octavia::read_children(Ctx ctx, ExistingLoadBalancer& balancer) {
  const std::string query = "?loadbalancer_id=" + percent_encode(balancer.id);
  const auto listeners_body =
      co_await get(ctx, "load-balancer", "listeners" + query, "ListListeners");
  if (!listeners_body.ok()) co_return listeners_body.status();
  auto listeners = parse_listeners(*listeners_body);
  if (!listeners.ok()) co_return listeners.status();
  const auto pools_body = co_await get(ctx, "load-balancer", "pools" + query, "ListPools");
  if (!pools_body.ok()) co_return pools_body.status();
  auto pools = parse_pools(*pools_body);
  if (!pools.ok()) co_return pools.status();
  for (ExistingPool& pool : *pools) {
    const auto members_body =
        co_await get(ctx, "load-balancer", "pools/" + pool.id + "/members", "ListMembers");
    if (!members_body.ok()) co_return members_body.status();
    auto members = parse_members(*members_body);
    if (!members.ok()) co_return members.status();
    pool.members = *std::move(members);
    if (pool.monitor_id.empty()) continue;
    const auto monitor_body =
        co_await get(ctx, "load-balancer", "healthmonitors/" + pool.monitor_id, "GetHealthMonitor");
    if (!monitor_body.ok()) co_return monitor_body.status();
    auto monitor = parse_monitor(*monitor_body);
    if (!monitor.ok()) co_return monitor.status();
    pool.monitor = *std::move(monitor);
  }
  balancer.listeners = *std::move(listeners);
  balancer.pools = *std::move(pools);
  co_return Status();
}

Task<Result<ExistingLoadBalancer>> Octavia::create(Ctx ctx, LoadBalancerWrite write) {
  Call call;
  call.service = "load-balancer";
  call.method = write.method;
  call.path = write.path;
  call.operation = write.operation;
  call.body = write.body;
  const auto body = co_await api_.call(ctx, std::move(call));
  if (!body.ok()) co_return body.status();
  co_return parse_load_balancer(*body);
}

Task<Status> Octavia::send(Ctx ctx, LoadBalancerWrite write) {
  const bool deletes = write.method == "DELETE";
  Call call;
  call.service = "load-balancer";
  call.method = write.method;
  call.path = write.path;
  call.operation = write.operation;
  call.body = write.body;
  const auto body = co_await api_.call(ctx, std::move(call));
  const bool gone = deletes && body.status().error_class() == ErrorClass::not_found;
  co_return gone ? Status() : body.status();
}

Task<Result<std::string>> Octavia::subnet_of(Ctx ctx, std::string server_id, std::string address) {
  const auto body = co_await get(
      ctx, "network", "ports?fields=id&fields=fixed_ips&device_id=" + percent_encode(server_id),
      "ListPorts");
  if (!body.ok()) co_return body.status();
  co_return read_answer(parse_json(*body), [&](const json& document) -> Result<std::string> {
    for (const json& port : document.at("ports")) {
      for (const json& fixed : part_of(port, "fixed_ips")) {
        if (text_of(fixed, "ip_address") == address) return text_of(fixed, "subnet_id");
      }
    }
    return std::string();
  });
}

Task<Result<std::string>> Octavia::external_network(Ctx ctx) {
  const auto body =
      co_await get(ctx, "network", "networks?router:external=true&fields=id", "ListNetworks");
  if (!body.ok()) co_return body.status();
  co_return read_answer(parse_json(*body), &read_first_network);
}

Task<Result<std::optional<FloatingIp>>> Octavia::floating_ip(Ctx ctx, std::string port_id) {
  const auto body = co_await get(ctx, "network", "floatingips?port_id=" + percent_encode(port_id),
                                 "ListFloatingIPs");
  if (!body.ok()) co_return body.status();
  co_return read_answer(parse_json(*body), &read_floating_ips);
}

Task<Result<FloatingIp>> Octavia::create_floating_ip(Ctx ctx, std::string port_id,
                                                     std::string network_id, std::string subnet_id,
                                                     std::string description) {
  json wanted = {
      {"floating_network_id", network_id}, {"port_id", port_id}, {"description", description}};
  if (!subnet_id.empty()) wanted["subnet_id"] = subnet_id;
  Call call;
  call.service = "network";
  call.method = "POST";
  call.path = "floatingips";
  call.operation = "CreateFloatingIP";
  call.body = json{{"floatingip", wanted}}.dump(-1, ' ', false, json::error_handler_t::replace);
  const auto body = co_await api_.call(ctx, std::move(call));
  if (!body.ok()) co_return body.status();
  co_return read_answer(parse_json(*body), &read_made_floating_ip);
}

Task<Status> Octavia::delete_floating_ip(Ctx ctx, std::string id) {
  Call call;
  call.service = "network";
  call.method = "DELETE";
  call.path = "floatingips/" + percent_encode(id);
  call.operation = "DeleteFloatingIP";
  const auto body = co_await api_.call(ctx, std::move(call));
  const bool gone = body.status().error_class() == ErrorClass::not_found;
  co_return gone ? Status() : body.status();
}

}  // namespace ccm::openstack
