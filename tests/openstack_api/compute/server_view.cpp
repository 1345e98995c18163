// A server as a microversion shows it.
#include "openstack_api/compute/compute.hpp"

namespace ccm::openstack_api {
namespace {

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
