#include "openstack_api/compute/compute.hpp"

#include <algorithm>
#include <optional>
#include <regex>
#include <set>

namespace ccm::openstack_api {
namespace {

const std::string kImage = "11111111-0000-4000-9000-000000000000";

[[noreturn]] void fail(int status, const char* kind, const std::string& message) {
  Answer made = answer(status, {{kind, {{"code", status}, {"message", message}}}});
  made.headers["content-type"] = "application/json; charset=UTF-8";
  throw Refusal{std::move(made)};
}

[[noreturn]] void not_found(const std::string& what) {
  fail(404, "itemNotFound", what + " could not be found.");
}

[[noreturn]] void forbidden(const std::string& rule) {
  fail(403, "forbidden", "Policy doesn't allow os_compute_api:" + rule + " to be performed.");
}

[[noreturn]] void bad(const std::string& message) { fail(400, "badRequest", message); }

void add_version(Answer& made, const std::string& version) {
  made.headers["openstack-api-version"] = "compute " + version;
  made.headers["x-openstack-nova-api-version"] = version;
  made.headers["vary"] = "X-OpenStack-Nova-API-Version";
}

Answer done(int status) {
  Answer made;
  made.status = status;
  made.headers["content-type"] = "application/json";
  return made;
}

// The version that a header asks for, "2.47"; 2.1 without one.
std::string asked_version(const Request& request) {
  constexpr std::string_view kService = "compute ";
  const std::string named = request.header("openstack-api-version");
  if (named.starts_with(kService)) return named.substr(kService.size());
  const std::string old = request.header("x-openstack-nova-api-version");
  return old.empty() ? "2.1" : old;
}

// A field that a microversion added for everybody.
struct Addition {
  int version;
  const char* name;
  const char* value;  // JSON
};
constexpr Addition kAdditions[] = {
    {9, "locked", "false"},
    {26, "tags", "[]"},
    {63, "trusted_image_certificates", "null"},
    {71, "server_groups", "[]"},
    {73, "locked_reason", "null"},
    {96, "pinned_availability_zone", "null"},
    {100, "scheduler_hints", "{}"},
};

}  // namespace

Compute::Compute(World& world, std::string url, Network& network)
    : world_(world), url_(std::move(url)), network_(network) {}

Answer Compute::handle(const Call& call) {
  advance();
  if (call.path.empty() || call.path[0].empty()) {
    json old = {{"id", "v2.0"},
                {"status", "SUPPORTED"},
                {"version", ""},
                {"min_version", ""},
                {"updated", "2011-01-21T11:33:21Z"},
                {"links", json::array({{{"rel", "self"}, {"href", world_.url + url_ + "/v2/"}}})}};
    json current = version_document();
    current.erase("media-types");
    current["links"].erase(1);
    return answer(200, {{"versions", {std::move(old), std::move(current)}}});
  }
  static const std::set<std::string> kKnown = {"", "servers", "flavors", "os-availability-zone"};
  if (call.path[0] != "v2.1" || (call.path.size() > 1 && !kKnown.contains(call.path[1]))) {
    return answer(404, {{"code", "404 Not Found"},
                        {"title", "Not Found"},
                        {"message", "The resource could not be found.<br /><br />\n\n\n"}});
  }
  std::string asked = asked_version(call.request);
  if (asked == "latest") asked = "2." + std::to_string(newest_version);
  static const std::regex kVersion("([0-9]+)\\.([0-9]+)");
  std::smatch parts;
  if (!std::regex_match(asked, parts, kVersion)) {
    bad("API Version String " + asked +
        " is of invalid format. Must be of format MajorNum.MinorNum.");
  }
  const int minor = std::stoi(parts[2]);
  Answer made;
  try {
    if (parts[1] != "2" || minor < 1 || minor > newest_version) {
      fail(406, "computeFault",
           "Version " + asked + " is not supported by the API. Minimum is 2.1 and maximum is 2." +
               std::to_string(newest_version) + ".");
    }
    made = dispatch(call, minor);
  } catch (Refusal& refusal) {
    add_version(refusal.answer, asked);
    throw;
  }
  add_version(made, asked);
  return made;
}

Answer Compute::dispatch(const Call& call, int version) {
  const auto& path = call.path;
  if (path.size() == 1 || path[1].empty()) return answer(200, {{"version", version_document()}});
  if (path[1] == "servers") {
    if (call.is("POST", 2)) return create(call);
    if (call.is("GET", 2)) return list(call, version, false);
    if (call.is("GET", 3) && path[2] == "detail") return list(call, version, true);
    return one_server(call, version);
  }
  if (path[1] == "flavors") return flavors(call);
  if (path[1] == "os-availability-zone" && path.size() == 2) {
    return answer(200, {{"availabilityZoneInfo", json::array({{{"zoneName", "nova"},
                                                               {"zoneState", {{"available", true}}},
                                                               {"hosts", nullptr}}})}});
  }
  fail(404, "itemNotFound", "The resource could not be found.");
}

json& Compute::found(const Call& call) {
  json* server = servers_.find(call.path[2]);
  if (server == nullptr || !call.caller.sees(server->at("tenant_id")))
    not_found("Instance " + call.path[2]);
  return *server;
}

Answer Compute::list(const Call& call, int version, bool details) {
  const auto& query = call.query;
  const std::string limit_text = query.value("limit").value_or("");
  if (limit_text.find_first_not_of("0123456789") != limit_text.npos) {
    bad("Invalid input for query parameters limit. Value: " + limit_text + ". '" + limit_text +
        "' does not match '^[0-9]*$'");
  }
  const bool all = query.value("all_tenants").value_or("0") == "1";
  if (all && !call.caller.is_admin()) {
    forbidden(std::string("servers:") + (details ? "detail" : "index") + ":get_all_tenants");
  }
  std::optional<std::regex> name;
  if (const auto pattern = query.value("name")) {
    try {
      name.emplace(*pattern, std::regex::icase);  // so is the database's collation
    } catch (const std::regex_error&) {
      bad("Invalid input for query parameters name. Value: " + *pattern + ". '" + *pattern +
          "' is not a 'regex'");
    }
  }
  std::vector<const json*> servers;
  for (const json& server : servers_) {
    if (!all && server.at("tenant_id") != call.caller.project_id) continue;
    if (name && !std::regex_search(server.at("name").get_ref<const std::string&>(), *name))
      continue;
    if (const auto status = query.value("status"); status && server.at("status") != *status)
      continue;
    if (server.at("status") == "SOFT_DELETED") continue;  // Nova lists it to administrators only
    servers.push_back(&server);
  }
  if (query.value("sort_key") == "display_name") {
    std::sort(servers.begin(), servers.end(),
              [](const json* a, const json* b) { return a->at("name") < b->at("name"); });
  } else {
    std::reverse(servers.begin(), servers.end());  // the newest one first
  }
  if (const auto marker = query.value("marker")) {
    const auto place = std::find_if(servers.begin(), servers.end(),
                                    [&](const json* s) { return s->at("id") == *marker; });
    if (place == servers.end()) bad("marker [" + *marker + "] not found");
    servers.erase(servers.begin(), place + 1);
  }
  const size_t limit =
      limit_text.empty() ? page_size : std::min(page_size, size_t{std::stoul(limit_text)});
  const bool whole = servers.size() >= limit && limit != 0;
  if (servers.size() > limit) servers.resize(limit);
  json items = json::array();
  const Ports ports = details ? ports_by_server() : Ports();
  for (const json* server : servers) {
    items.push_back(details ? shown(*server, version, call.caller, ports) : brief(*server));
  }
  json body = {{"servers", std::move(items)}};
  if (whole) {
    Query::Pairs pairs = query.pairs();
    std::sort(pairs.begin(), pairs.end());  // as Nova writes them
    const std::string rest = Query(std::move(pairs)).text({"marker"});
    body["servers_links"] = json::array(
        {{{"rel", "next"},
          {"href", world_.url + call.path_text + "?" + rest + (rest.empty() ? "" : "&") +
                       "marker=" + servers.back()->at("id").get<std::string>()}}});
  }
  return answer(200, body);
}

Answer Compute::one_server(const Call& call, int version) {
  json& server = found(call);
  const auto& path = call.path;
  if (call.is("GET", 3))
    return answer(200, {{"server", shown(server, version, call.caller, ports_by_server())}});
  if (call.is("POST", 4) && path[3] == "action") return act(call, server);
  if (!call.caller.may_write()) forbidden("servers:update");
  if (call.is("DELETE", 3)) {
    const bool soft = soft_delete && server.at("status") != "SOFT_DELETED";
    change_later(server, soft ? "SOFT_DELETED" : "DELETED");
    return done(204);
  }
  json& metadata = server.at("metadata");
  if (call.is("POST", 4) && path[3] == "metadata") {
    metadata.update(json::parse(call.request.body).at("metadata"));
    return answer(200, {{"metadata", metadata}});
  }
  if (call.is("DELETE", 5) && path[3] == "metadata") {
    metadata.erase(path[4]);
    return done(204);
  }
  fail(404, "itemNotFound", "The resource could not be found.");
}

Answer Compute::act(const Call& call, json& server) {
  const json body = json::parse(call.request.body, nullptr, false);
  if (body.is_object() && body.contains("forceDelete")) {
    if (!call.caller.may_write()) forbidden("os_compute_api:os-deferred-delete:force");
    change_later(server, "DELETED");
    return done(202);
  }
  const bool stop = body.is_object() && body.contains("os-stop");
  const bool start = body.is_object() && body.contains("os-start");
  if (!stop && !start) bad("There is no such action: " + body.dump());
  const std::string verb = stop ? "stop" : "start";
  if (!call.caller.may_write()) forbidden("servers:" + verb);
  const std::string state = server.at("OS-EXT-STS:vm_state");
  if (state == (stop ? "stopped" : "active")) {
    fail(409, "conflictingRequest",
         "Cannot '" + verb + "' instance " + server.at("id").get<std::string>() +
             " while it is in vm_state " + state);
  }
  change_later(server, stop ? "SHUTOFF" : "ACTIVE");
  return done(202);
}

Answer Compute::create(const Call& call) {
  if (!call.caller.may_write()) forbidden("servers:create");
  const json wanted = json::parse(call.request.body, nullptr, false).value("server", json());
  if (!wanted.is_object() || !wanted.contains("flavorRef")) {
    bad("Invalid input for field/attribute server. Value: {'name': '" + wanted.value("name", "") +
        "'}. 'flavorRef' is a required property");
  }
  const std::string flavor = wanted.at("flavorRef");
  if (flavors_.find(flavor) == nullptr) bad("Flavor " + flavor + " could not be found.");
  std::vector<std::string> networks;
  for (const json& network : wanted.value("networks", json::array()))
    networks.push_back(network.at("uuid"));
  json& server =
      add_server(call.caller.project_id, call.caller.user_id, wanted.at("name"), flavor, networks);
  server["status"] = "BUILD";
  server["OS-EXT-STS:vm_state"] = "building";
  change_later(server, "ACTIVE");
  const std::string id = server.at("id");
  Answer made = answer(202, {{"server",
                              {{"id", id},
                               {"links", links("servers", id)},
                               {"OS-DCF:diskConfig", "MANUAL"},
                               {"security_groups", server.at("security_groups")},
                               {"adminPass", "password"}}}});
  made.headers["location"] = world_.url + url_ + "/v2.1/servers/" + id;
  return made;
}

Answer Compute::flavors(const Call& call) {
  const auto& path = call.path;
  const auto full = [&](const json& flavor) {
    json out = visible(flavor);
    out["links"] = links("flavors", flavor.at("id"));
    return out;
  };
  if (call.is("GET", 3) && path[2] != "detail") {
    const json* flavor = flavors_.find(path[2]);
    if (flavor == nullptr) not_found("Flavor " + path[2]);
    return answer(200, {{"flavor", full(*flavor)}});
  }
  json list = json::array();
  for (const json& flavor : flavors_) {
    if (path.size() == 3) {
      list.push_back(full(flavor));
    } else {
      list.push_back({{"id", flavor.at("id")},
                      {"name", flavor.at("name")},
                      {"links", links("flavors", flavor.at("id"))}});
    }
  }
  return answer(200, {{"flavors", std::move(list)}});
}

std::string Compute::add_flavor(const std::string& name, int vcpus, int ram) {
  const std::string id = world_.new_id();
  flavors_.add({{"id", id},
                {"name", name},
                {"vcpus", vcpus},
                {"ram", ram},
                {"disk", 1},
                {"swap", ""},
                {"rxtx_factor", 1.0},
                {"OS-FLV-EXT-DATA:ephemeral", 0},
                {"OS-FLV-DISABLED:disabled", false},
                {"os-flavor-access:is_public", true}});
  return id;
}

json& Compute::add_server(const std::string& project_id, const std::string& user_id,
                          const std::string& name, const std::string& flavor_id,
                          const std::vector<std::string>& networks) {
  const std::string id = world_.new_id();
  for (const std::string& network : networks) {
    network_.add("ports", project_id,
                 {{"network_id", network}, {"device_id", id}, {"device_owner", "compute:nova"}});
  }
  const std::string now = world_.timestamp();
  return servers_.add({{"id", id},
                       {"name", name},
                       {"status", "ACTIVE"},
                       {"tenant_id", project_id},
                       {"user_id", user_id},
                       {"metadata", json::object()},
                       {"hostId", std::string(56, 'a')},
                       {"image", {{"id", kImage}, {"links", bookmark("images", kImage)}}},
                       {".flavor", *flavors_.find(flavor_id)},
                       {"created", now},
                       {"updated", now},
                       {"accessIPv4", ""},
                       {"accessIPv6", ""},
                       {"config_drive", ""},
                       {"key_name", nullptr},
                       {"progress", 0},
                       {"security_groups", json::array({{{"name", "default"}}})},
                       {"os-extended-volumes:volumes_attached", json::array()},
                       {"OS-DCF:diskConfig", "MANUAL"},
                       {"OS-EXT-AZ:availability_zone", "nova"},
                       {"OS-EXT-STS:power_state", 1},
                       {"OS-EXT-STS:task_state", nullptr},
                       {"OS-EXT-STS:vm_state", "active"},
                       {"OS-SRV-USG:launched_at", world_.timestamp(".000000")},
                       {"OS-SRV-USG:terminated_at", nullptr}});
}

void Compute::remove_server(const std::string& id) {
  std::vector<std::string> ports;
  for (const json& port : network_.records("ports")) {
    if (port.at("device_id") == id) ports.push_back(port.at("id"));
  }
  for (const std::string& port : ports) network_.remove("ports", port);
  servers_.remove(id);
}

void Compute::change_later(json& server, const std::string& status) {
  server[".next"] = status;
  server[".due"] = (world_.clock() + action_time).count();
}

void Compute::advance() {
  std::vector<std::string> gone;
  for (json& server : servers_) {
    if (!server.contains(".due") || server.at(".due") > world_.clock().count()) continue;
    const std::string status = server.at(".next");
    server.erase(".due");
    server.erase(".next");
    if (status == "DELETED") {
      gone.push_back(server.at("id"));
      continue;
    }
    server["status"] = status;
    server["updated"] = world_.timestamp();
    server["OS-EXT-STS:vm_state"] = status == "ACTIVE"         ? "active"
                                    : status == "SOFT_DELETED" ? "soft-delete"
                                                               : "stopped";
    server["OS-EXT-STS:power_state"] = status == "ACTIVE" ? 1 : 4;
  }
  for (const std::string& id : gone) remove_server(id);
}

json Compute::bookmark(const std::string& kind, const std::string& id) const {
  return json::array({{{"rel", "bookmark"}, {"href", world_.url + url_ + "/" + kind + "/" + id}}});
}

json Compute::links(const std::string& kind, const std::string& id) const {
  json list = bookmark(kind, id);
  list.push_back({{"rel", "self"}, {"href", world_.url + url_ + "/v2.1/" + kind + "/" + id}});
  return list;
}

json Compute::version_document() const {
  return {{"id", "v2.1"},
          {"status", "CURRENT"},
          {"version", "2." + std::to_string(newest_version)},
          {"min_version", "2.1"},
          {"updated", "2013-07-23T11:33:21Z"},
          {"links", json::array({{{"rel", "self"}, {"href", world_.url + url_ + "/v2.1/"}},
                                 {{"rel", "describedby"},
                                  {"type", "text/html"},
                                  {"href", "http://docs.openstack.org/"}}})},
          {"media-types",
           json::array({{{"base", "application/json"},
                         {"type", "application/vnd.openstack.compute+json;version=2.1"}}})}};
}

json Compute::brief(const json& server) const {
  return {{"id", server.at("id")},
          {"name", server.at("name")},
          {"links", links("servers", server.at("id"))}};
}

Compute::Ports Compute::ports_by_server() const {
  Ports ports;
  for (const json& port : network_.records("ports")) ports.emplace(port.at("device_id"), &port);
  return ports;
}

// From the ports, under the names of their networks; floating IPs behind the fixed addresses that
// they belong to.
json Compute::addresses(const json& server, const Ports& ports) const {
  json out = json::object();
  const auto [begin, end] = ports.equal_range(server.at("id"));
  for (auto place = begin; place != end; ++place) {
    const json& port = *place->second;
    const json* network = network_.records("networks").find(port.at("network_id"));
    json& list = out[network->at("name").get<std::string>()];
    const auto add = [&](const std::string& address, const char* type) {
      list.push_back({{"addr", address},
                      {"version", address.find(':') == address.npos ? 4 : 6},
                      {"OS-EXT-IPS:type", type},
                      {"OS-EXT-IPS-MAC:mac_addr", port.at("mac_address")}});
    };
    for (const json& fixed : port.at("fixed_ips")) {
      add(fixed.at("ip_address"), "fixed");
      for (const json& floating_ip : network_.records("floatingips")) {
        const bool here = floating_ip.at("port_id") == port.at("id") &&
                          floating_ip.at("fixed_ip_address") == fixed.at("ip_address");
        if (here) add(floating_ip.at("floating_ip_address"), "floating");
      }
    }
  }
  return out;
}

// From 2.47 on it is embedded, as it was when the server was made, and has no ID.
json Compute::flavor_of(const json& server, int version) const {
  const json& flavor = server.at(".flavor");
  const std::string id = flavor.at("id");
  if (version < 47) return {{"id", id}, {"links", bookmark("flavors", id)}};
  return {{"original_name", flavor.at("name")},
          {"vcpus", flavor.at("vcpus")},
          {"ram", flavor.at("ram")},
          {"disk", flavor.at("disk")},
          {"ephemeral", 0},
          {"swap", 0},
          {"extra_specs", json::object()}};
}

json Compute::shown(const json& server, int version, const Caller& caller,
                    const Ports& ports) const {
  json out = visible(server);
  out["links"] = links("servers", server.at("id"));
  out["addresses"] = addresses(server, ports);
  if (server.at("status") != "ACTIVE" && server.at("status") != "BUILD") out.erase("progress");
  out["flavor"] = flavor_of(server, version);
  if (version >= 19) out["description"] = server.at("name");
  for (const Addition& addition : kAdditions) {
    if (version >= addition.version) out[addition.name] = json::parse(addition.value);
  }
  if (version >= 90 || (caller.is_admin() && version >= 3))
    out["OS-EXT-SRV-ATTR:hostname"] = server.at("name");
  if (version >= 98) {
    out["image"]["properties"] = {{"base_image_ref", server.at("image").at("id")},
                                  {"container_format", "bare"},
                                  {"disk_format", "raw"},
                                  {"min_disk", "1"},
                                  {"min_ram", "0"}};
  }
  if (caller.is_admin()) {
    out.update({{"OS-EXT-SRV-ATTR:host", "machine"},
                {"OS-EXT-SRV-ATTR:hypervisor_hostname", "machine"},
                {"OS-EXT-SRV-ATTR:instance_name", "instance-00000001"}});
    if (version >= 3) {
      out.update({{"OS-EXT-SRV-ATTR:kernel_id", ""},
                  {"OS-EXT-SRV-ATTR:launch_index", 0},
                  {"OS-EXT-SRV-ATTR:ramdisk_id", ""},
                  {"OS-EXT-SRV-ATTR:reservation_id", "r-00000000"},
                  {"OS-EXT-SRV-ATTR:root_device_name", "/dev/sda"},
                  {"OS-EXT-SRV-ATTR:user_data", nullptr}});
    }
    if (version >= 16) out["host_status"] = "UP";
  }
  return out;
}

}  // namespace ccm::openstack_api
