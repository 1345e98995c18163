// /v2.0/lbaas/listeners.
#include "openstack_api/load_balancer/load_balancer.hpp"

namespace ccm::openstack_api {

Answer LoadBalancing::listeners(const Call& call) {
  const auto& path = call.path;
  if (call.is("GET", 3)) return list(call, "listeners", "");
  if (call.is("POST", 3)) {
    const json wanted =
        read_fields(call.request, "listener", "listener_", listener_fields(true, false));
    json& lb = found("loadbalancers", "Load Balancer", wanted.at("loadbalancer_id"), call);
    check_quota(lb.at("project_id"), "listener", 1);
    check_default_pool(wanted, lb);
    check_mutable(lb);
    check_listener(wanted, lb);
    check_provider(lb.at("provider"), wanted, nullptr);
    json& added = add_listener(wanted, lb);
    begin_child_change(added, "PENDING_CREATE");
    return answer(201, {{"listener", shown("listeners", added)}});
  }
  json& listener = found("listeners", "Listener", path.at(3), call);
  if (call.is("GET", 4)) return answer(200, {{"listener", shown("listeners", listener)}});
  json& lb = load_balancer_of(listener);
  if (call.is("DELETE", 4)) {
    check_mutable(lb);
    begin_child_change(listener, "PENDING_DELETE");
    return answer(204, nullptr);
  }
  const json changes =
      read_fields(call.request, "listener", "listener_", listener_fields(false, false));
  json changed = listener;
  for (const auto& [name, value] : changes.items()) changed[name] = value;
  check_listener(changed, lb);
  check_default_pool(changed, lb);
  check_mutable(lb);
  static const json kDefaults = {{"name", ""},
                                 {"description", ""},
                                 {"admin_state_up", true},
                                 {"connection_limit", -1},
                                 {"insert_headers", json::object()},
                                 {"tags", json::array()},
                                 {"sni_container_refs", json::array()},
                                 {"timeout_client_data", 50000},
                                 {"timeout_member_connect", 5000},
                                 {"timeout_member_data", 50000},
                                 {"timeout_tcp_inspect", 0},
                                 {"client_authentication", "NONE"},
                                 {"hsts_include_subdomains", false},
                                 {"hsts_preload", false}};
  apply(listener, changes, kDefaults);
  if (changes.contains("allowed_cidrs")) {
    json cidrs = json::array();
    for (const json& cidr :
         changes.at("allowed_cidrs").is_null() ? json::array() : changes.at("allowed_cidrs")) {
      cidrs.push_back(parse_range(cidr)->text());
    }
    listener["allowed_cidrs"] = cidrs.empty() ? json() : cidrs;
  }
  begin_child_change(listener, "PENDING_UPDATE");
  return answer(200, {{"listener", shown("listeners", listener)}});
}

}  // namespace ccm::openstack_api
