#include "floating_ips.hpp"

#include "openstack/answer.hpp"
#include "openstack/json_answer.hpp"

#include <ccm/percent_encode.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace ccm::openstack {
namespace {

using nlohmann::json;

FloatingIp read_floating_ip(const json& entry) {
  return {id_of(entry), text_of(entry, "floating_ip_address"), text_of(entry, "description"),
          text_of(entry, "port_id")};
}

Result<std::vector<FloatingIp>> read_floating_ips(const json& document) {
  std::vector<FloatingIp> list;
  for (const json& entry : document.at("floatingips")) list.push_back(read_floating_ip(entry));
  return list;
}

Subnet read_subnet(const json& entry) {
  return {id_of(entry), text_of(entry, "name"), text_of(entry, "network_id"),
          text_of(entry, "cidr"), integer_or(entry, "ip_version", 0)};
}

Result<std::vector<Subnet>> read_subnets(const json& document) {
  std::vector<Subnet> list;
  for (const json& entry : document.at("subnets")) list.push_back(read_subnet(entry));
  return list;
}

Result<std::vector<ExternalNetwork>> read_external_networks(const json& document) {
  std::vector<ExternalNetwork> list;
  for (const json& entry : document.at("networks")) {
    list.push_back({id_of(entry), part_of(entry, "subnets").get<std::vector<std::string>>()});
  }
  return list;
}

// OS-241.
bool gives_ipv4(const ExternalNetwork& network, const std::vector<Subnet>& visible) {
  return std::any_of(network.subnets.begin(), network.subnets.end(), [&](const std::string& id) {
    const auto place = std::find_if(visible.begin(), visible.end(),
                                    [&](const Subnet& subnet) { return subnet.id == id; });
    return place == visible.end() || place->ip_version == 4;
  });
}

json creation_of(const NewFloatingIp& wanted) {
  json entry = {{"floating_network_id", wanted.network_id},
                {"port_id", wanted.port_id},
                {"description", wanted.description}};
  if (!wanted.subnet_id.empty()) entry["subnet_id"] = wanted.subnet_id;
  if (!wanted.address.empty()) entry["floating_ip_address"] = wanted.address;
  return {{"floatingip", std::move(entry)}};
}

json use_by(const std::string& port_id) {
  return {{"floatingip", {{"port_id", port_id.empty() ? json(nullptr) : json(port_id)}}}};
}

}  // namespace

Result<FloatingIp> parse_floating_ip(std::string_view json_text) {
  return read_answer(json_text, [](const json& document) -> Result<FloatingIp> {
    return read_floating_ip(document.at("floatingip"));
  });
}

Result<std::vector<FloatingIp>> parse_floating_ips(std::string_view json_text) {
  return read_answer(json_text, &read_floating_ips);
}

Result<Subnet> parse_subnet(std::string_view json_text) {
  return read_answer(json_text, [](const json& document) -> Result<Subnet> {
    return read_subnet(document.at("subnet"));
  });
}

Result<std::vector<Subnet>> parse_subnets(std::string_view json_text) {
  return read_answer(json_text, &read_subnets);
}

Result<std::vector<ExternalNetwork>> parse_external_networks(std::string_view json_text) {
  return read_answer(json_text, &read_external_networks);
}

Task<Result<std::string>> FloatingIps::get(Ctx ctx, std::string path, const char* operation) {
  Call question;
  question.service = "network";
  question.path = std::move(path);
  question.operation = operation;
  return api_.call(std::move(ctx), std::move(question));
}

Task<Result<std::string>> FloatingIps::write(Ctx ctx, const char* method, std::string path,
                                             const char* operation, const json& body) {
  Call call;
  call.service = "network";
  call.method = method;
  call.path = std::move(path);
  call.operation = operation;
  if (!body.is_null()) call.body = body.dump(-1, ' ', false, json::error_handler_t::replace);
  return api_.call(std::move(ctx), std::move(call));
}

Task<Result<std::optional<FloatingIp>>> FloatingIps::first(Ctx ctx, const char* name,
                                                           std::string FloatingIp::*member,
                                                           std::string value) {
  if (value.empty()) co_return std::optional<FloatingIp>();
  std::string path = std::string("floatingips?") + name + "=" + percent_encode(value);
  const auto body = co_await get(ctx, std::move(path), "ListFloatingIPs");
  if (body.status().error_class() == ErrorClass::not_found) {
    const auto has_any = co_await offered(ctx);
    if (!has_any.ok()) co_return has_any.status();
    if (!*has_any) co_return std::optional<FloatingIp>();
    co_return Status(Code::unavailable, ErrorClass::unavailable, body.status().message());
  }
  if (!body.ok()) co_return body.status();
  const auto all = parse_floating_ips(*body);
  if (!all.ok()) co_return all.status();
  for (const FloatingIp& each : *all) {
    if (each.*member == value) co_return std::optional<FloatingIp>(each);
  }
  co_return std::optional<FloatingIp>();
}

Task<Result<bool>> FloatingIps::offered(Ctx ctx) {
  const auto body = co_await get(ctx, "extensions/router", "GetExtension");
  if (body.status().error_class() == ErrorClass::not_found) co_return false;
  if (!body.ok()) co_return body.status();
  co_return true;
}

Task<Result<std::optional<FloatingIp>>> FloatingIps::of_port(Ctx ctx, std::string port_id) {
  return first(std::move(ctx), "port_id", &FloatingIp::port_id, std::move(port_id));
}

Task<Result<std::optional<FloatingIp>>> FloatingIps::of_address(Ctx ctx, std::string address) {
  return first(std::move(ctx), "floating_ip_address", &FloatingIp::address, std::move(address));
}

Task<Result<FloatingIp>> FloatingIps::create(Ctx ctx, NewFloatingIp wanted) {
  const json request = creation_of(wanted);
  const auto body = co_await write(ctx, "POST", "floatingips", "CreateFloatingIP", request);
  if (!body.ok()) co_return body.status();
  co_return parse_floating_ip(*body);
}

Task<Status> FloatingIps::attach(Ctx ctx, std::string id, std::string port_id) {
  const json request = use_by(port_id);
  std::string path = "floatingips/" + percent_encode(id);
  const auto body = co_await write(ctx, "PUT", path, "UpdateFloatingIP", request);
  co_return body.status();
}

Task<Status> FloatingIps::remove(Ctx ctx, std::string id) {
  const json nothing;
  std::string path = "floatingips/" + percent_encode(id);
  const auto body = co_await write(ctx, "DELETE", path, "DeleteFloatingIP", nothing);
  const bool gone = body.status().error_class() == ErrorClass::not_found;
  co_return gone ? Status() : body.status();
}

Task<Result<std::string>> FloatingIps::external_network(Ctx ctx) {
  const auto body =
      co_await get(ctx, "networks?router:external=true&fields=id&fields=subnets", "ListNetworks");
  if (!body.ok()) co_return body.status();
  const auto networks = parse_external_networks(*body);
  if (!networks.ok()) co_return networks.status();
  for (const ExternalNetwork& network : *networks) {
    if (network.subnets.empty()) continue;
    auto visible = co_await subnets(ctx, network.id, "&fields=id&fields=ip_version");
    if (!visible.ok()) co_return visible.status();
    if (gives_ipv4(network, *visible)) co_return network.id;
  }
  co_return std::string();
}

Task<Result<bool>> FloatingIps::is_external(Ctx ctx, std::string id) {
  const auto body = co_await get(
      ctx, "networks?router:external=true&fields=id&fields=subnets&id=" + percent_encode(id),
      "ListNetworks");
  if (!body.ok()) co_return body.status();
  const auto networks = parse_external_networks(*body);
  if (!networks.ok()) co_return networks.status();
  co_return std::any_of(networks->begin(), networks->end(),
                        [&](const ExternalNetwork& network) { return network.id == id; });
}

Task<Result<std::vector<Subnet>>> FloatingIps::subnets(Ctx ctx, std::string network_id,
                                                       std::string query) {
  const auto body =
      co_await get(ctx, "subnets?network_id=" + percent_encode(network_id) + query, "ListSubnets");
  if (!body.ok()) co_return body.status();
  co_return parse_subnets(*body);
}

Task<Result<Subnet>> FloatingIps::subnet(Ctx ctx, std::string id) {
  const auto body = co_await get(ctx, "subnets/" + percent_encode(id), "GetSubnet");
  if (!body.ok()) co_return body.status();
  co_return parse_subnet(*body);
}

Task<Result<std::string>> FloatingIps::subnet_of(Ctx ctx, std::string server_id,
                                                 std::string address) {
  const auto body = co_await get(
      ctx, "ports?fields=id&fields=fixed_ips&device_id=" + percent_encode(server_id), "ListPorts");
  if (!body.ok()) co_return body.status();
  co_return read_answer(*body, [&](const json& document) -> Result<std::string> {
    for (const json& port : document.at("ports")) {
      for (const json& fixed : part_of(port, "fixed_ips")) {
        if (text_of(fixed, "ip_address") == address) return text_of(fixed, "subnet_id");
      }
    }
    return std::string();
  });
}

}  // namespace ccm::openstack
