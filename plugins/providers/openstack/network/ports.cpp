#include "ports.hpp"

#include "openstack/answer.hpp"
#include "openstack/json_answer.hpp"

#include <ccm/percent_encode.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace ccm::openstack {
namespace {

using nlohmann::json;

constexpr const char* kPortFields =
    "fields=id&fields=device_id&fields=network_id&fields=status&fields=fixed_ips"
    "&fields=trunk_details";

Result<Port> read_port(const json& entry) {
  Port port;
  port.id = text_of(entry, "id");
  if (port.id.empty()) return bad_answer("has a port without an ID");
  port.device_id = text_of(entry, "device_id");
  port.network_id = text_of(entry, "network_id");
  port.active = text_of(entry, "status") == "ACTIVE";
  for (const json& fixed : part_of(entry, "fixed_ips")) {
    std::string address = text_of(fixed, "ip_address");
    if (!address.empty()) port.addresses.push_back(std::move(address));
  }
  const json& trunk = part_of(entry, "trunk_details");
  if (!trunk.is_object()) return port;
  for (const json& subport : part_of(trunk, "sub_ports")) {
    port.subports.push_back(text_of(subport, "port_id"));
  }
  return port;
}

bool says_more(const json& document, const char* links) {
  for (const json& link : part_of(document, links)) {
    if (text_of(link, "rel") == "next") return true;
  }
  return false;
}

Result<PortPage> read_ports(const json& document) {
  PortPage page;
  const json& ports = document.at("ports");
  if (!ports.is_array()) return bad_answer("has no list of ports");
  for (const json& entry : ports) {
    auto port = read_port(entry);
    if (!port.ok()) return port.status();
    page.ports.push_back(*std::move(port));
  }
  page.more = says_more(document, "ports_links");
  return page;
}

struct NetworkPage {
  std::vector<std::pair<std::string, std::string>> names;  // ID and name
  bool more = false;
};

Result<NetworkPage> read_networks(const json& document) {
  NetworkPage page;
  for (const json& entry : document.at("networks")) {
    page.names.emplace_back(text_of(entry, "id"), text_of(entry, "name"));
  }
  page.more = says_more(document, "networks_links");
  return page;
}

Task<Status> read_port_list(Api& api, Ctx ctx, std::string query, ServerPorts& into) {
  Collection collection{"network", "ports?" + query + kPortFields, "ListPorts", {}};
  std::vector<Port> all;
  PageReader reader = [&all](const std::string& body, bool first) -> Result<PageInfo> {
    auto page = parse_ports(body);
    if (!page.ok()) return page.status();
    if (first) all.clear();
    PageInfo info{page->ports.size(), page->ports.empty() ? "" : page->ports.back().id, page->more};
    std::move(page->ports.begin(), page->ports.end(), std::back_inserter(all));
    return info;
  };
  Status status = co_await api.list(ctx, std::move(collection), reader);
  if (!status.ok()) co_return status;
  for (Port& port : all) into.add(std::move(port));
  co_return Status();
}

Task<Status> read_network_names(Api& api, Ctx ctx, ServerPorts& into) {
  Collection collection{"network", "networks?fields=id&fields=name", "ListNetworks", {}};
  std::map<std::string, std::string> names;
  PageReader reader = [&names](const std::string& body, bool first) -> Result<PageInfo> {
    auto page = read_answer(body, &read_networks);
    if (!page.ok()) return page.status();
    if (first) names.clear();
    for (const auto& [id, name] : page->names) names[id] = name;
    return PageInfo{page->names.size(), page->names.empty() ? "" : page->names.back().first,
                    page->more};
  };
  Status status = co_await api.list(ctx, std::move(collection), reader);
  if (status.ok()) into.set_network_names(std::move(names));
  co_return status;
}

}  // namespace

Result<PortPage> parse_ports(std::string_view json_text) {
  return read_answer(json_text, &read_ports);
}

void ServerPorts::add(Port port) {
  const auto [place, added] = ports_.insert_or_assign(port.id, port);
  if (added && !port.device_id.empty()) owners_[port.device_id].push_back(port.id);
}

std::vector<const Port*> ServerPorts::of(const std::string& server_id) const {
  std::vector<const Port*> ports;
  const auto ids = owners_.find(server_id);
  if (ids == owners_.end()) return ports;
  for (const std::string& id : ids->second) ports.push_back(&ports_.at(id));
  std::sort(ports.begin(), ports.end(), [](const Port* a, const Port* b) { return a->id < b->id; });
  return ports;
}

const Port* ServerPorts::find(const std::string& id) const {
  const auto place = ports_.find(id);
  return place == ports_.end() ? nullptr : &place->second;
}

std::string ServerPorts::network_name(const std::string& id) const {
  const auto place = names_.find(id);
  return place == names_.end() ? std::string() : place->second;
}

std::vector<std::string> ServerPorts::subports() const {
  std::vector<std::string> ids;
  for (const auto& [id, port] : ports_) {
    ids.insert(ids.end(), port.subports.begin(), port.subports.end());
  }
  return ids;
}

Task<Result<ServerPorts>> list_ports(Api& api, Ctx ctx, std::string server_id) {
  ServerPorts ports;
  std::string query;
  if (!server_id.empty()) query = "device_id=" + percent_encode(server_id) + "&";
  Status status = co_await read_port_list(api, ctx, query, ports);
  if (!status.ok()) co_return status;
  std::string missing;
  bool trunks = false;
  for (const std::string& id : ports.subports()) {
    trunks = true;
    if (ports.find(id) == nullptr) missing += "id=" + percent_encode(id) + "&";
  }
  // With all ports of the project, those of the trunks are among them.
  if (!missing.empty() && !server_id.empty()) {
    status = co_await read_port_list(api, ctx, missing, ports);
    if (!status.ok()) co_return status;
  }
  if (trunks) status = co_await read_network_names(api, ctx, ports);
  if (!status.ok()) co_return status;
  co_return ports;
}

}  // namespace ccm::openstack
