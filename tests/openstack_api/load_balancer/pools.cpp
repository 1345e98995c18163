// /v2.0/lbaas/pools with their members, and /v2.0/lbaas/healthmonitors.
#include "openstack_api/load_balancer/load_balancer.hpp"

#include <algorithm>

namespace ccm::openstack_api {

Answer LoadBalancing::pools(const Call& call) {
  const auto& path = call.path;
  if (call.is("GET", 3)) return list(call, "pools", "");
  if (call.is("POST", 3)) {
    const json wanted = read_fields(call.request, "pool", "pool_", pool_fields(true, false));
    if (!wanted.contains("loadbalancer_id") && !wanted.contains("listener_id")) {
      refuse_octavia(
          400, "Validation failure: Must provide at least one of: loadbalancer_id, listener_id");
    }
    const bool by_listener = !wanted.contains("loadbalancer_id");
    if (by_listener && records_.at("listeners").find(wanted.at("listener_id")) == nullptr)
      refuse_octavia(500, "'NoneType' object has no attribute 'load_balancer_id'");
    json* listener = wanted.contains("listener_id")
                         ? &found("listeners", "Listener", wanted.at("listener_id"), call)
                         : nullptr;
    json& lb = listener != nullptr
                   ? load_balancer_of(*listener)
                   : found("loadbalancers", "Load Balancer", wanted.at("loadbalancer_id"), call);
    if (listener != nullptr) check_pool(wanted, *listener);
    check_quota(lb.at("project_id"), "pool", 1);
    if (listener != nullptr && !listener->at("default_pool_id").is_null())
      refuse_octavia(409, "This listener already has a default pool");
    check_mutable(lb);
    check_provider(lb.at("provider"), nullptr, wanted);
    json& added = add_pool(wanted, lb, listener);
    begin_child_change(added, "PENDING_CREATE");
    return answer(201, {{"pool", shown("pools", added)}});
  }
  const bool for_members = path.size() > 4 && path[4] == "members";
  json* known = records_.at("pools").find(path.at(3));
  if (known == nullptr && for_members) {
    throw Refusal{answer(404, {{"code", 404},
                               {"title", "Bad Request"},
                               {"description", "Pool " + path[3] + " not found."}})};
  }
  json& pool = found("pools", "Pool", path[3], call);
  if (for_members) return members(call, pool);
  if (call.is("GET", 4)) return answer(200, {{"pool", shown("pools", pool)}});
  json& lb = load_balancer_of(pool);
  if (call.is("DELETE", 4)) {
    check_mutable(lb);
    begin_child_change(pool, "PENDING_DELETE");
    return answer(204, nullptr);
  }
  json changes = read_fields(call.request, "pool", "pool_", pool_fields(false, false));
  check_provider(lb.at("provider"), nullptr, changes);
  check_mutable(lb);
  if (changes.contains("session_persistence") && !changes.at("session_persistence").is_null()) {
    json persistence = {{"type", nullptr},
                        {"cookie_name", nullptr},
                        {"persistence_timeout", nullptr},
                        {"persistence_granularity", nullptr}};
    persistence.update(changes.at("session_persistence"));
    changes["session_persistence"] = std::move(persistence);
  }
  apply(pool, changes,
        {{"name", ""},
         {"description", ""},
         {"tags", json::array()},
         {"admin_state_up", true},
         {"tls_enabled", false}});
  begin_child_change(pool, "PENDING_UPDATE");
  return answer(200, {{"pool", shown("pools", pool)}});
}

Answer LoadBalancing::members(const Call& call, json& pool) {
  if (call.is("GET", 5)) return list(call, "members", pool.at("id"));
  if (call.is("PUT", 5)) return replace_members(call, pool);
  if (!call.is("POST", 5)) return one_member(call, pool);
  const json wanted = read_fields(call.request, "member", "member_", member_fields(true));
  check_member(wanted, call.caller);
  check_quota(pool.at("project_id"), "member", 1);
  check_pool_mutable(pool);
  check_mutable(load_balancer_of(pool));
  check_families(json::array({wanted}), pool);
  json& added = add_member(wanted, pool);
  begin_child_change(added, "PENDING_CREATE");
  return answer(201, {{"member", shown("members", added)}});
}

Answer LoadBalancing::one_member(const Call& call, const json& pool) {
  json& member = found("members", "Member", call.path[5], call);
  if (member.at(".pool") != pool.at("id"))
    refuse_octavia(404, "Member " + call.path[5] + " not found.");
  if (call.is("GET", 6)) return answer(200, {{"member", shown("members", member)}});
  if (call.is("DELETE", 6)) {
    check_pool_mutable(pool);
    check_mutable(load_balancer_of(pool));
    begin_child_change(member, "PENDING_DELETE");
    return answer(204, nullptr);
  }
  const json changes = read_fields(call.request, "member", "member_", member_fields(false));
  check_pool_mutable(pool);
  check_mutable(load_balancer_of(pool));
  apply(member, changes,
        {{"name", ""},
         {"weight", 1},
         {"backup", false},
         {"tags", json::array()},
         {"admin_state_up", true}});
  begin_child_change(member, "PENDING_UPDATE");
  return answer(200, {{"member", shown("members", member)}});
}

// Address and port say which member is meant; what a member is not said to have gets its default.
Answer LoadBalancing::replace_members(const Call& call, json& pool) {
  const json body = json::parse(call.request.body, nullptr, false);
  if (!body.is_object() || !body.contains("members") || !body.at("members").is_array()) {
    refuse_octavia(400, "Request is not in valid JSON format");
  }
  const json& wanted = body.at("members");
  for (const json& member : wanted) check_fields(member, "members_.members", member_fields(true));
  check_pool_mutable(pool);
  check_mutable(load_balancer_of(pool));
  const std::string additive = call.query.value("additive_only").value_or("false");
  const bool additive_only = additive == "true" || additive == "True" || additive == "1";

  const std::vector<json*> old = records_.at("members").of(pool.at("id"));
  const auto same = [](const json& a, const json& b) {
    return a.at("address") == b.at("address") && a.at("protocol_port") == b.at("protocol_port");
  };
  std::vector<const json*> fresh;
  std::vector<std::pair<json*, const json*>> updated;
  for (const json& member : wanted) {
    const auto place = std::find_if(old.begin(), old.end(),
                                    [&](const json* known) { return same(*known, member); });
    if (place != old.end()) {
      const bool again = std::any_of(updated.begin(), updated.end(),
                                     [&](const auto& pair) { return pair.first == *place; });
      if (again)
        refuse_octavia(400,
                       "Validation failure: Member must be updated only once in the same request.");
      updated.emplace_back(*place, &member);
      continue;
    }
    const auto twin = std::find_if(fresh.begin(), fresh.end(),
                                   [&](const json* known) { return same(*known, member); });
    if (twin != fresh.end()) {
      refuse_octavia(409, "Another member on this pool is already using ip " +
                              member.at("address").get<std::string>() + " on protocol_port " +
                              member.at("protocol_port").dump());
    }
    check_member(member, call.caller);
    fresh.push_back(&member);
  }
  std::vector<json*> gone;
  for (json* member : old) {
    const bool stays =
        additive_only ||
        std::any_of(wanted.begin(), wanted.end(), [&](const json& w) { return same(*member, w); });
    if (!stays) gone.push_back(member);
  }
  if (fresh.size() > gone.size())
    check_quota(pool.at("project_id"), "member", fresh.size() - gone.size());
  if (fresh.empty() && updated.empty() && gone.empty()) return answer(202, nullptr);
  check_families(wanted, pool);

  for (const json* member : fresh) add_member(*member, pool);
  for (const auto& [member, to] : updated) {
    member->update({{"weight", 1},
                    {"backup", false},
                    {"admin_state_up", true},
                    {"monitor_port", nullptr},
                    {"monitor_address", nullptr},
                    {"provisioning_status", "PENDING_UPDATE"}});
    member->update(*to);
  }
  for (json* member : gone) (*member)["provisioning_status"] = "PENDING_DELETE";
  pool[".batch"] = true;
  begin_child_change(pool, "PENDING_UPDATE");
  return answer(202, nullptr);
}

const json* LoadBalancing::monitor_of(const std::string& pool_id) const {
  const auto& monitors = records_.at("healthmonitors").of(pool_id);
  return monitors.empty() ? nullptr : monitors.front();
}

Answer LoadBalancing::monitors(const Call& call) {
  const auto& path = call.path;
  if (call.is("GET", 3)) return list(call, "healthmonitors", "");
  if (call.is("POST", 3)) {
    const json wanted =
        read_fields(call.request, "healthmonitor", "health_monitor_", monitor_fields(true, false));
    json& pool = found("pools", "Pool", wanted.at("pool_id"), call);
    check_monitor(wanted, pool.at("protocol"));
    check_delay(wanted);
    check_quota(pool.at("project_id"), "health_monitor", 1);
    check_pool_mutable(pool);
    check_mutable(load_balancer_of(pool));
    if (monitor_of(pool.at("id")) != nullptr)
      refuse_octavia(409, "This pool already has a health monitor");
    json& added = add_monitor(wanted, pool);
    begin_child_change(added, "PENDING_CREATE");
    return answer(201, {{"healthmonitor", shown("healthmonitors", added)}});
  }
  json& monitor = found("healthmonitors", "Health Monitor", path.at(3), call);
  if (call.is("GET", 4)) return answer(200, {{"healthmonitor", shown("healthmonitors", monitor)}});
  json& lb = load_balancer_of(monitor);
  const json& pool = *records_.at("pools").find(monitor.at(".pool"));
  if (call.is("DELETE", 4)) {
    check_pool_mutable(pool);
    check_mutable(lb);
    begin_child_change(monitor, "PENDING_DELETE");
    return answer(204, nullptr);
  }
  const json changes =
      read_fields(call.request, "healthmonitor", "health_monitor_", monitor_fields(false, false));
  json changed = changes;
  changed["type"] = monitor.at("type");
  check_monitor(changed, pool.at("protocol"));
  check_delay(changed);
  check_pool_mutable(pool);
  check_mutable(lb);
  apply(monitor, changes,
        {{"name", ""}, {"max_retries_down", 3}, {"tags", json::array()}, {"admin_state_up", true}});
  begin_child_change(monitor, "PENDING_UPDATE");
  return answer(200, {{"healthmonitor", shown("healthmonitors", monitor)}});
}

}  // namespace ccm::openstack_api
