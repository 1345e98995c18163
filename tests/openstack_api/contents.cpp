#include "openstack_api/cloud.hpp"

namespace ccm::openstack_api {

json populate(Cloud& cloud) {
  Identity& identity = cloud.identity();
  Region& region = cloud.region();
  json projects = json::object();
  json users = json::object();
  const std::vector<std::tuple<const char*, const char*, std::set<std::string>>> accounts = {
      {"admin", "admin", {"admin", "load-balancer_admin"}},
      {"service", "service", {"admin", "service"}},
      {"demo", "demo", {"member", "load-balancer_member", "creator"}},
      {"reader", "demo", {"reader"}},
      {"trustee", "alt_demo", {"member"}},
      {"alt_demo", "alt_demo", {"member", "load-balancer_member"}}};
  for (const auto& [user, project, roles] : accounts) {
    if (!projects.contains(project)) projects[project] = identity.add_project(project);
    users[user] = identity.add_user(user, "secret");
    identity.grant(users[user], projects[project], roles);
  }

  Network& network = region.network;
  const std::string demo = projects["demo"];
  json ids = json::object();
  ids["public"] = network.add("networks", projects["admin"],
                              {{"name", "public"},
                               {"router:external", true},
                               {"provider:network_type", "flat"},
                               {"provider:physical_network", "public"}})["id"];
  ids["private"] = network.add("networks", demo, {{"name", "private"}})["id"];
  ids["dual"] = network.add("networks", demo, {{"name", "dual"}})["id"];
  const auto add_subnet = [&](const std::string& project, const char* name, const char* on,
                              json members) {
    members.update({{"name", name}, {"network_id", ids[on]}});
    ids[name] = network.add("subnets", project, std::move(members))["id"];
  };
  add_subnet(projects["admin"], "public-v4", "public",
             {{"ip_version", 4}, {"cidr", "203.0.113.0/24"}, {"enable_dhcp", false}});
  add_subnet(demo, "private-v4", "private", {{"ip_version", 4}, {"cidr", "10.10.0.0/24"}});
  add_subnet(demo, "dual-v4", "dual", {{"ip_version", 4}, {"cidr", "10.20.0.0/24"}});
  add_subnet(demo, "dual-v6", "dual",
             {{"ip_version", 6},
              {"cidr", "fd00:20::/64"},
              {"ipv6_address_mode", "slaac"},
              {"ipv6_ra_mode", "slaac"}});
  ids["router"] = network.add(
      "routers", demo,
      {{"name", "router"}, {"external_gateway_info", {{"network_id", ids["public"]}}}})["id"];
  for (const char* subnet : {"private-v4", "dual-v4", "dual-v6"})
    network.add_interface(ids["router"], ids[subnet]);

  ids["m1.tiny"] = region.compute.add_flavor("m1.tiny", 1, 128);
  for (const char* name : {"node-0", "node-1", "node-2"}) {
    const json& server =
        region.compute.add_server(demo, users["demo"], name, ids["m1.tiny"], {ids["private"]});
    ids[name] = server.at("id");
    ids["debian"] = server.at("image").at("id");
  }
  return {{"auth_url", cloud.world().url + "/identity/v3"},
          {"region", "RegionOne"},
          {"password", "secret"},
          {"projects", projects},
          {"users", users},
          {"ids", ids}};
}

}  // namespace ccm::openstack_api
