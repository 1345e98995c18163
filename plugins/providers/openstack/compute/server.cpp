#include "server.hpp"

#include "openstack/json_answer.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace ccm::openstack {
namespace {

using nlohmann::json;

// Members of a server that are dropped while parsing: they are the most of what Nova says of it.
constexpr std::array<std::string_view, 13> kDropped = {"image",
                                                       "security_groups",
                                                       "links",
                                                       "user_id",
                                                       "key_name",
                                                       "tags",
                                                       "fault",
                                                       "server_groups",
                                                       "config_drive",
                                                       "scheduler_hints",
                                                       "tenant_id",
                                                       "hostId",
                                                       "os-extended-volumes:volumes_attached"};

// Shut down is a server on which nothing runs any more, and which does not start again by itself:
// what ran there may run elsewhere. Not so a suspended or paused one, which goes on with what is in
// its memory, nor one in error, on which everything may still run. docs/openstack.md has this
// table.
constexpr std::array<std::pair<std::string_view, InstanceState>, 20> kStates = {{
    {"ACTIVE", InstanceState::running},        {"PASSWORD", InstanceState::running},
    {"REBOOT", InstanceState::running},        {"HARD_REBOOT", InstanceState::running},
    {"REBUILD", InstanceState::running},       {"MIGRATING", InstanceState::running},
    {"RESIZE", InstanceState::running},        {"VERIFY_RESIZE", InstanceState::running},
    {"REVERT_RESIZE", InstanceState::running}, {"PAUSED", InstanceState::running},
    {"SUSPENDED", InstanceState::running},     {"ERROR", InstanceState::running},
    {"SHUTOFF", InstanceState::shutdown},      {"RESCUE", InstanceState::shutdown},
    {"SHELVED", InstanceState::shutdown},      {"SHELVED_OFFLOADED", InstanceState::shutdown},
    {"SOFT_DELETED", InstanceState::shutdown}, {"DELETED", InstanceState::terminated},
    {"BUILD", InstanceState::starting},        {"UNKNOWN", InstanceState::unknown},
}};

// `depth`: of the server's own members, in a list and alone.
template <int depth>
bool keep_member(int at, json::parse_event_t event, json& parsed) {
  if (event != json::parse_event_t::key || at != depth) return true;
  const auto& key = parsed.get_ref<const std::string&>();
  return std::find(kDropped.begin(), kDropped.end(), key) == kDropped.end();
}

ServerAddress read_address(const std::string& network, const json& entry) {
  ServerAddress address{network, text_of(entry, "addr"), false, false};
  address.v6 = address.address.find(':') != std::string::npos;
  address.floating = text_of(entry, "OS-EXT-IPS:type") == "floating";
  return address;
}

Result<Server> read_server(const json& entry) {
  Server server;
  server.id = text_of(entry, "id");
  if (server.id.empty()) return bad_answer("has a server without an ID");
  server.name = text_of(entry, "name");
  server.status = text_of(entry, "status");
  server.access_ipv4 = text_of(entry, "accessIPv4");
  server.access_ipv6 = text_of(entry, "accessIPv6");
  server.hostname = text_or_empty(part_of(entry, "metadata"), "hostname");
  const json& flavor = part_of(entry, "flavor");
  server.flavor_name = text_of(flavor, "original_name");
  server.flavor_id = text_of(flavor, "id");
  server.zone = text_of(entry, "OS-EXT-AZ:availability_zone");
  // Objects are in the order of their members' names, as OS-169 wants it.
  for (const auto& [network, list] : part_of(entry, "addresses").items()) {
    for (const json& address : list) {
      server.addresses.push_back(read_address(network, address));
      if (server.addresses.back().address.empty()) server.addresses.pop_back();
    }
  }
  return server;
}

Result<ServerPage> read_servers(const json& document) {
  ServerPage page;
  const json& servers = document.at("servers");
  if (!servers.is_array()) return bad_answer("has no list of servers");
  for (const json& entry : servers) {
    auto server = read_server(entry);
    if (!server.ok()) return server.status();
    page.servers.push_back(*std::move(server));
  }
  for (const json& link : part_of(document, "servers_links")) {
    page.more = page.more || text_of(link, "rel") == "next";
  }
  return page;
}

Result<Server> read_one_server(const json& document) { return read_server(document.at("server")); }

}  // namespace

Result<ServerPage> parse_servers(std::string_view json_text) {
  return read_answer(json_text, &read_servers, &keep_member<3>);
}

Result<Server> parse_server(std::string_view json_text) {
  return read_answer(json_text, &read_one_server, &keep_member<2>);
}

InstanceState state_of(const std::string& status) {
  const auto* const place = std::find_if(kStates.begin(), kStates.end(),
                                         [&](const auto& state) { return state.first == status; });
  if (place != kStates.end()) return place->second;
  // A status that Nova may get one day: the server is there.
  return status.empty() ? InstanceState::unknown : InstanceState::running;
}

}  // namespace ccm::openstack
