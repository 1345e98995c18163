#include "openstack_api/load_balancer/load_balancer.hpp"

#include "openstack_api/load_balancer/fields.hpp"
#include "openstack_api/load_balancer/vip.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace ccm::openstack_api {
namespace {

[[noreturn]] void not_there() {
  throw Refusal{answer(404, {{"code", 404}, {"title", "Not Found"}, {"description", ""}})};
}

Answer named(const char* collection, const std::set<std::string>& names) {
  json list = json::array();
  for (const std::string& name : names) {
    list.push_back({{"id", name}, {"name", name}, {"description", ""}, {"enabled", true}});
  }
  return answer(
      200, {{collection, std::move(list)}, {std::string(collection) + "_links", json::array()}});
}

}  // namespace

LoadBalancing::LoadBalancing(World& world, std::string url, Network& network,
                             KeyManager& key_manager)
    : url_(std::move(url)),
      network_(network),
      store_(world),
      states_(store_, network, *this),
      parts_(store_, key_manager) {}

Answer LoadBalancing::handle(const Call& call) {
  advance();
  return dispatch(call);
}

Answer LoadBalancing::dispatch(const Call& call) {
  const auto& path = call.path;
  if (path.empty() || path[0].empty())
    return answer(200, {{"versions", listing_.versions(store_.world().url + url_)}});
  if (path[0] != "v2.0" && path[0] != "v2") not_there();
  if (path.size() == 1 || path[1].empty() || (path[1] == "lbaas" && path.size() == 2)) {
    Answer made = answer(200, nullptr);
    made.body = "v2";
    made.headers["content-type"] = "application/json";
    return made;
  }
  if (path[1] != "lbaas") not_there();
  const std::string& collection = path[2];
  const bool known_method = call.method() == "GET" || call.method() == "POST" ||
                            call.method() == "PUT" || call.method() == "DELETE";
  if (!known_method) {
    throw Refusal{
        answer(405, {{"code", 405}, {"title", "Method Not Allowed"}, {"description", ""}})};
  }
  if (collection == "quotas" && path.size() == 4) return quotas(call);
  if (call.method() != "GET" && !call.caller.may_write()) forbid();
  if (collection == "loadbalancers") return load_balancers(call);
  if (collection == "listeners") return listeners(call);
  if (collection == "pools") return pools(call);
  if (collection == "healthmonitors") return monitors(call);
  if (collection == "flavors") return named("flavors", flavors);
  if (collection == "availabilityzones") return named("availability_zones", availability_zones);
  if (collection == "providers") {
    json list = json::array();
    for (const std::string& name : providers) {
      const bool alias = name == "octavia";
      list.push_back(
          {{"name", name},
           {"description", alias ? "'Another name of amphora'" : "'Amphorae without machines'"}});
    }
    return answer(200, {{"providers", std::move(list)}});
  }
  not_there();
}

Answer LoadBalancing::load_balancers(const Call& call) {
  const auto& path = call.path;
  if (call.is("GET", 3)) return listing_.list(call, "loadbalancers", "");
  if (call.is("POST", 3)) return create_load_balancer(call);
  if (path.size() < 4) not_there();
  const bool failover = path.size() == 5 && path[4] == "failover";
  if (failover && !call.caller.is_admin()) forbid();
  json& lb = store_.found("loadbalancers", "Load Balancer", path[3], call);
  const std::string id = lb.at("id");
  if (call.is("GET", 5) && (path[4] == "status" || path[4] == "statuses")) {
    return answer(200, {{"statuses", {{"loadbalancer", listing_.tree(lb)}}}});
  }
  if (call.is("GET", 5) && path[4] == "stats") {
    return answer(200, {{"stats",
                         {{"active_connections", 0},
                          {"bytes_in", 0},
                          {"bytes_out", 0},
                          {"request_errors", 0},
                          {"total_connections", 0}}}});
  }
  if (call.is("GET", 4)) {
    json body = listing_.shown("loadbalancers", lb);
    if (const auto fields = call.query.values("fields"); !fields.empty()) {
      for (auto member = body.begin(); member != body.end();) {
        const bool wanted = std::find(fields.begin(), fields.end(), member.key()) != fields.end();
        member = wanted ? std::next(member) : body.erase(member);
      }
    }
    return answer(200, {{"loadbalancer", std::move(body)}});
  }
  const std::string status = lb.at("provisioning_status");
  const bool may =
      status == "ACTIVE" || (status == "ERROR" && (failover || call.method() == "DELETE"));
  const auto check_state = [&] {
    if (!may) refuse_octavia(409, "Invalid state " + status + " of loadbalancer resource " + id);
  };
  if (failover) {
    check_state();
    states_.begin_change(lb, "PENDING_UPDATE", update_time);
    return answer(202, nullptr);
  }
  if (call.is("PUT", 4)) {
    const json changes =
        read_fields(call.request, "loadbalancer", "load_balancer", load_balancer_fields(false));
    check_state();
    store_.apply(
        lb, changes,
        {{"name", ""}, {"description", ""}, {"tags", json::array()}, {"admin_state_up", true}});
    states_.begin_change(lb, "PENDING_UPDATE", update_time);
    return answer(200, {{"loadbalancer", listing_.shown("loadbalancers", lb)}});
  }
  if (!call.is("DELETE", 4)) not_there();
  const std::string cascade = call.query.value("cascade").value_or("false");
  const bool with_children = cascade == "true" || cascade == "True" || cascade == "1";
  if (!with_children && !store_.parts_of(id).empty()) {
    refuse_octavia(400,
                   "Validation failure: Cannot delete Load Balancer " + id + " - it has children");
  }
  check_state();
  states_.begin_change(lb, "PENDING_DELETE", delete_time);
  return answer(204, nullptr);
}

Answer LoadBalancing::create_load_balancer(const Call& call) {
  const json wanted =
      read_fields(call.request, "loadbalancer", "load_balancer", load_balancer_fields(true));
  const std::string project = call.caller.project_id;
  const std::string provider = wanted.value("provider", providers.front());
  const json empty = json::array();
  const json listeners = wanted.value("listeners", empty);
  size_t pool_count = 0;
  size_t member_count = 0;
  size_t monitor_count = 0;
  for (const json& listener : listeners) {
    check_fields(listener, "load_balancer.loadbalancer.listeners", listener_fields(true, true));
    if (!listener.contains("default_pool")) continue;
    const json& pool = listener.at("default_pool");
    check_fields(pool, "load_balancer.loadbalancer.listeners.default_pool",
                 pool_fields(true, true));
    ++pool_count;
    for (const json& member : pool.value("members", empty)) {
      check_fields(member, "load_balancer.loadbalancer.listeners.default_pool.members",
                   member_fields(true));
      ++member_count;
    }
    if (!pool.contains("healthmonitor")) continue;
    check_fields(pool.at("healthmonitor"),
                 "load_balancer.loadbalancer.listeners.default_pool.healthmonitor",
                 monitor_fields(true, true));
    ++monitor_count;
  }
  if (!wanted.contains("vip_port_id") && !wanted.contains("vip_network_id") &&
      !wanted.contains("vip_subnet_id")) {
    refuse_octavia(
        400,
        "Validation failure: VIP must contain one of: vip_port_id, vip_network_id, vip_subnet_id.");
  }
  if (std::find(providers.begin(), providers.end(), provider) == providers.end()) {
    refuse_octavia(400, "Provider '" + provider + "' is not enabled.");
  }
  if (wanted.contains("flavor_id") && !flavors.contains(wanted.at("flavor_id"))) {
    refuse_octavia(400, "Validation failure: Invalid flavor_id.");
  }
  if (wanted.contains("availability_zone") &&
      !availability_zones.contains(wanted.at("availability_zone"))) {
    refuse_octavia(400, "Validation failure: Invalid availability zone.");
  }
  store_.check_quota(project, "load_balancer", 1);
  const std::string id = store_.world().new_id();
  const Vip vip = make_vip(network_, wanted, call.caller, id);
  // A refusal from here on leaves the port.
  store_.check_quota(project, "listener", listeners.size());
  store_.check_quota(project, "pool", pool_count);
  store_.check_quota(project, "member", member_count);
  store_.check_quota(project, "health_monitor", monitor_count);
  json lb = {{"id", id},
             {"name", ""},
             {"description", ""},
             {"admin_state_up", true},
             {"project_id", project},
             {"tenant_id", project},
             {"provider", provider},
             {"tags", json::array()},
             {"flavor_id", nullptr},
             {"availability_zone", nullptr},
             {"operating_status", "OFFLINE"},
             {"provisioning_status", "PENDING_CREATE"},
             {"created_at", store_.world().timestamp("")},
             {"updated_at", nullptr},
             {"vip_address", vip.address},
             {"vip_port_id", vip.port_id},
             {"vip_subnet_id", vip.subnet_id},
             {"vip_network_id", vip.network_id},
             {"vip_qos_policy_id", nullptr},
             {"vip_sg_ids", json::array()},
             {"vip_vnic_type", "normal"},
             {"additional_vips", vip.additional},
             {".own_port", !wanted.contains("vip_port_id")}};
  for (const char* name :
       {"name", "description", "admin_state_up", "tags", "flavor_id", "availability_zone"}) {
    if (wanted.contains(name)) lb[name] = wanted.at(name);
  }
  json& kept = store_.of("loadbalancers").add(std::move(lb));
  try {
    add_all(listeners, kept);
  } catch (const Refusal&) {
    kept[".own_port"] = false;
    states_.remove_load_balancer(id);
    throw;
  }
  states_.begin_change(kept, "PENDING_CREATE", create_time);
  return answer(201, {{"loadbalancer", listing_.populated(kept)}});
}

// All pools before all listeners. Nobody looks whether the members' subnets exist.
void LoadBalancing::add_all(const json& listeners, const json& lb) {
  const json empty = json::array();
  std::set<json> names;
  for (const json& listener : listeners) {
    const json pool = listener.value("default_pool", json());
    LoadBalancerParts::check_provider(lb.at("provider"), listener, pool);
    if (pool.is_null()) continue;
    if (!pool.contains("name")) {
      refuse_octavia(400,
                     "Validation failure: Pools must be named when creating a fully populated "
                     "loadbalancer.");
    }
    if (!names.insert(pool.at("name")).second) {
      refuse_octavia(400,
                     "Validation failure: Pool names must be unique when creating a fully "
                     "populated loadbalancer.");
    }
  }
  std::map<std::string, json*> pools;  // by name
  for (const json& listener : listeners) {
    const json pool = listener.value("default_pool", json());
    if (pool.is_null()) continue;
    json& added = parts_.add_pool(pool, lb, nullptr);
    pools[pool.at("name")] = &added;
    if (pool.contains("healthmonitor")) {
      LoadBalancerParts::check_monitor(pool.at("healthmonitor"), pool.at("protocol"));
      parts_.add_monitor(pool.at("healthmonitor"), added);
    }
    for (const json& member : pool.value("members", empty)) parts_.add_member(member, added);
  }
  for (const json& listener : listeners) {
    const json pool = listener.value("default_pool", json());
    if (!pool.is_null())
      LoadBalancerParts::check_pool(pool, {{"protocol", listener.at("protocol")}});
    parts_.check_listener(listener, lb);
    json& added = parts_.add_listener(listener, lb);
    if (!pool.is_null()) added["default_pool_id"] = pools.at(pool.at("name"))->at("id");
  }
}

Answer LoadBalancing::listeners(const Call& call) {
  const auto& path = call.path;
  if (call.is("GET", 3)) return listing_.list(call, "listeners", "");
  if (call.is("POST", 3)) {
    const json wanted =
        read_fields(call.request, "listener", "listener_", listener_fields(true, false));
    json& lb = store_.found("loadbalancers", "Load Balancer", wanted.at("loadbalancer_id"), call);
    store_.check_quota(lb.at("project_id"), "listener", 1);
    parts_.check_default_pool(wanted, lb);
    LoadBalancerStates::check_mutable(lb);
    parts_.check_listener(wanted, lb);
    LoadBalancerParts::check_provider(lb.at("provider"), wanted, nullptr);
    json& added = parts_.add_listener(wanted, lb);
    states_.begin_child_change(added, "PENDING_CREATE");
    return answer(201, {{"listener", listing_.shown("listeners", added)}});
  }
  json& listener = store_.found("listeners", "Listener", path.at(3), call);
  if (call.is("GET", 4)) return answer(200, {{"listener", listing_.shown("listeners", listener)}});
  json& lb = store_.load_balancer_of(listener);
  if (call.is("DELETE", 4)) {
    LoadBalancerStates::check_mutable(lb);
    states_.begin_child_change(listener, "PENDING_DELETE");
    return answer(204, nullptr);
  }
  const json changes =
      read_fields(call.request, "listener", "listener_", listener_fields(false, false));
  json changed = listener;
  for (const auto& [name, value] : changes.items()) changed[name] = value;
  parts_.check_listener(changed, lb);
  parts_.check_default_pool(changed, lb);
  LoadBalancerStates::check_mutable(lb);
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
  store_.apply(listener, changes, kDefaults);
  if (changes.contains("allowed_cidrs")) {
    json cidrs = json::array();
    for (const json& cidr :
         changes.at("allowed_cidrs").is_null() ? json::array() : changes.at("allowed_cidrs")) {
      cidrs.push_back(parse_range(cidr)->text());
    }
    listener["allowed_cidrs"] = cidrs.empty() ? json() : cidrs;
  }
  states_.begin_child_change(listener, "PENDING_UPDATE");
  return answer(200, {{"listener", listing_.shown("listeners", listener)}});
}

Answer LoadBalancing::pools(const Call& call) {
  const auto& path = call.path;
  if (call.is("GET", 3)) return listing_.list(call, "pools", "");
  if (call.is("POST", 3)) {
    const json wanted = read_fields(call.request, "pool", "pool_", pool_fields(true, false));
    if (!wanted.contains("loadbalancer_id") && !wanted.contains("listener_id")) {
      refuse_octavia(
          400, "Validation failure: Must provide at least one of: loadbalancer_id, listener_id");
    }
    const bool by_listener = !wanted.contains("loadbalancer_id");
    if (by_listener && store_.of("listeners").find(wanted.at("listener_id")) == nullptr)
      refuse_octavia(500, "'NoneType' object has no attribute 'load_balancer_id'");
    json* listener = wanted.contains("listener_id")
                         ? &store_.found("listeners", "Listener", wanted.at("listener_id"), call)
                         : nullptr;
    json& lb = listener != nullptr ? store_.load_balancer_of(*listener)
                                   : store_.found("loadbalancers", "Load Balancer",
                                                  wanted.at("loadbalancer_id"), call);
    if (listener != nullptr) LoadBalancerParts::check_pool(wanted, *listener);
    store_.check_quota(lb.at("project_id"), "pool", 1);
    if (listener != nullptr && !listener->at("default_pool_id").is_null())
      refuse_octavia(409, "This listener already has a default pool");
    LoadBalancerStates::check_mutable(lb);
    LoadBalancerParts::check_provider(lb.at("provider"), nullptr, wanted);
    json& added = parts_.add_pool(wanted, lb, listener);
    states_.begin_child_change(added, "PENDING_CREATE");
    return answer(201, {{"pool", listing_.shown("pools", added)}});
  }
  const bool for_members = path.size() > 4 && path[4] == "members";
  json* known = store_.of("pools").find(path.at(3));
  if (known == nullptr && for_members) {
    throw Refusal{answer(404, {{"code", 404},
                               {"title", "Bad Request"},
                               {"description", "Pool " + path[3] + " not found."}})};
  }
  json& pool = store_.found("pools", "Pool", path[3], call);
  if (for_members) return members(call, pool);
  if (call.is("GET", 4)) return answer(200, {{"pool", listing_.shown("pools", pool)}});
  json& lb = store_.load_balancer_of(pool);
  if (call.is("DELETE", 4)) {
    LoadBalancerStates::check_mutable(lb);
    states_.begin_child_change(pool, "PENDING_DELETE");
    return answer(204, nullptr);
  }
  json changes = read_fields(call.request, "pool", "pool_", pool_fields(false, false));
  LoadBalancerParts::check_provider(lb.at("provider"), nullptr, changes);
  LoadBalancerStates::check_mutable(lb);
  if (changes.contains("session_persistence") && !changes.at("session_persistence").is_null()) {
    json persistence = {{"type", nullptr},
                        {"cookie_name", nullptr},
                        {"persistence_timeout", nullptr},
                        {"persistence_granularity", nullptr}};
    persistence.update(changes.at("session_persistence"));
    changes["session_persistence"] = std::move(persistence);
  }
  store_.apply(pool, changes,
               {{"name", ""},
                {"description", ""},
                {"tags", json::array()},
                {"admin_state_up", true},
                {"tls_enabled", false}});
  states_.begin_child_change(pool, "PENDING_UPDATE");
  return answer(200, {{"pool", listing_.shown("pools", pool)}});
}

Answer LoadBalancing::members(const Call& call, json& pool) {
  if (call.is("GET", 5)) return listing_.list(call, "members", pool.at("id"));
  if (call.is("PUT", 5)) return replace_members(call, pool);
  if (!call.is("POST", 5)) return one_member(call, pool);
  const json wanted = read_fields(call.request, "member", "member_", member_fields(true));
  check_member(wanted, call.caller);
  store_.check_quota(pool.at("project_id"), "member", 1);
  LoadBalancerStates::check_pool_mutable(pool);
  LoadBalancerStates::check_mutable(store_.load_balancer_of(pool));
  parts_.check_families(json::array({wanted}), pool);
  json& added = parts_.add_member(wanted, pool);
  states_.begin_child_change(added, "PENDING_CREATE");
  return answer(201, {{"member", listing_.shown("members", added)}});
}

Answer LoadBalancing::one_member(const Call& call, const json& pool) {
  json& member = store_.found("members", "Member", call.path[5], call);
  if (member.at(".pool") != pool.at("id"))
    refuse_octavia(404, "Member " + call.path[5] + " not found.");
  if (call.is("GET", 6)) return answer(200, {{"member", listing_.shown("members", member)}});
  if (call.is("DELETE", 6)) {
    LoadBalancerStates::check_pool_mutable(pool);
    LoadBalancerStates::check_mutable(store_.load_balancer_of(pool));
    states_.begin_child_change(member, "PENDING_DELETE");
    return answer(204, nullptr);
  }
  const json changes = read_fields(call.request, "member", "member_", member_fields(false));
  LoadBalancerStates::check_pool_mutable(pool);
  LoadBalancerStates::check_mutable(store_.load_balancer_of(pool));
  store_.apply(member, changes,
               {{"name", ""},
                {"weight", 1},
                {"backup", false},
                {"tags", json::array()},
                {"admin_state_up", true}});
  states_.begin_child_change(member, "PENDING_UPDATE");
  return answer(200, {{"member", listing_.shown("members", member)}});
}

void LoadBalancing::check_member(const json& member, const Caller& caller) const {
  const json subnet = member.value("subnet_id", json());
  if (!subnet.is_null()) visible_one(network_, "subnets", "Subnet", subnet, caller);
}

// Address and port say which member is meant; what a member is not said to have gets its default.
Answer LoadBalancing::replace_members(const Call& call, json& pool) {
  const json body = json::parse(call.request.body, nullptr, false);
  if (!body.is_object() || !body.contains("members") || !body.at("members").is_array()) {
    refuse_octavia(400, "Request is not in valid JSON format");
  }
  const json& wanted = body.at("members");
  for (const json& member : wanted) check_fields(member, "members_.members", member_fields(true));
  LoadBalancerStates::check_pool_mutable(pool);
  LoadBalancerStates::check_mutable(store_.load_balancer_of(pool));
  const std::string additive = call.query.value("additive_only").value_or("false");
  const bool additive_only = additive == "true" || additive == "True" || additive == "1";

  const std::vector<json*> old = store_.of("members").of(pool.at("id"));
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
    store_.check_quota(pool.at("project_id"), "member", fresh.size() - gone.size());
  if (fresh.empty() && updated.empty() && gone.empty()) return answer(202, nullptr);
  parts_.check_families(wanted, pool);

  for (const json* member : fresh) parts_.add_member(*member, pool);
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
  states_.begin_child_change(pool, "PENDING_UPDATE");
  return answer(202, nullptr);
}

Answer LoadBalancing::monitors(const Call& call) {
  const auto& path = call.path;
  if (call.is("GET", 3)) return listing_.list(call, "healthmonitors", "");
  if (call.is("POST", 3)) {
    const json wanted =
        read_fields(call.request, "healthmonitor", "health_monitor_", monitor_fields(true, false));
    json& pool = store_.found("pools", "Pool", wanted.at("pool_id"), call);
    LoadBalancerParts::check_monitor(wanted, pool.at("protocol"));
    LoadBalancerParts::check_delay(wanted);
    store_.check_quota(pool.at("project_id"), "health_monitor", 1);
    LoadBalancerStates::check_pool_mutable(pool);
    LoadBalancerStates::check_mutable(store_.load_balancer_of(pool));
    if (store_.monitor_of(pool.at("id")) != nullptr)
      refuse_octavia(409, "This pool already has a health monitor");
    json& added = parts_.add_monitor(wanted, pool);
    states_.begin_child_change(added, "PENDING_CREATE");
    return answer(201, {{"healthmonitor", listing_.shown("healthmonitors", added)}});
  }
  json& monitor = store_.found("healthmonitors", "Health Monitor", path.at(3), call);
  if (call.is("GET", 4))
    return answer(200, {{"healthmonitor", listing_.shown("healthmonitors", monitor)}});
  json& lb = store_.load_balancer_of(monitor);
  const json& pool = *store_.of("pools").find(monitor.at(".pool"));
  if (call.is("DELETE", 4)) {
    LoadBalancerStates::check_pool_mutable(pool);
    LoadBalancerStates::check_mutable(lb);
    states_.begin_child_change(monitor, "PENDING_DELETE");
    return answer(204, nullptr);
  }
  const json changes =
      read_fields(call.request, "healthmonitor", "health_monitor_", monitor_fields(false, false));
  json changed = changes;
  changed["type"] = monitor.at("type");
  LoadBalancerParts::check_monitor(changed, pool.at("protocol"));
  LoadBalancerParts::check_delay(changed);
  LoadBalancerStates::check_pool_mutable(pool);
  LoadBalancerStates::check_mutable(lb);
  store_.apply(
      monitor, changes,
      {{"name", ""}, {"max_retries_down", 3}, {"tags", json::array()}, {"admin_state_up", true}});
  states_.begin_child_change(monitor, "PENDING_UPDATE");
  return answer(200, {{"healthmonitor", listing_.shown("healthmonitors", monitor)}});
}

Answer LoadBalancing::quotas(const Call& call) {
  const std::string& project = call.path[3];
  const bool allowed = call.method() == "GET" ? call.caller.sees(project) : call.caller.is_admin();
  if (!allowed) forbid();
  if (call.method() == "DELETE") {
    store_.reset_quotas(project);
    return answer(202, nullptr);
  }
  if (call.method() == "PUT") {
    const json limits = json::parse(call.request.body).at("quota");
    for (const auto& [resource, limit] : limits.items()) set_quota(project, resource, limit);
  }
  return answer(call.method() == "GET" ? 200 : 202, {{"quota", store_.quotas(project)}});
}
}  // namespace ccm::openstack_api
