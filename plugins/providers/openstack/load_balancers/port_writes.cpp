#include "port_writes.hpp"

#include "child_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace ccm::openstack {
namespace {

using nlohmann::json;

const ExistingListener* listener_of(const WantedPort& port, const ExistingLoadBalancer& existing) {
  for (const ExistingListener& each : existing.listeners) {
    if (each.ours && each.protocol == port.protocol && each.port == port.port) return &each;
  }
  return nullptr;
}

bool is_used(const ExistingLoadBalancer& existing, const ExistingPool& pool) {
  return std::any_of(existing.listeners.begin(), existing.listeners.end(),
                     [&](const ExistingListener& each) { return each.pool_id == pool.id; });
}

// A list that lets everybody in is the same as none.
bool same_ranges(const std::vector<std::string>& wanted, const std::vector<std::string>& existing) {
  const auto open = [](const std::vector<std::string>& ranges) {
    return ranges.empty() || (ranges.size() == 1 && ranges.front().ends_with("/0"));
  };
  return wanted == existing || (open(wanted) && open(existing));
}

}  // namespace

bool is_replacement(const WantedLoadBalancer& wanted, const ExistingLoadBalancer& existing,
                    const ExistingPool& pool) {
  for (std::size_t i = 0; i < wanted.ports.size(); ++i) {
    const WantedPort& port = wanted.ports[i];
    if (pool.protocol != port.pool_protocol || pool.name != child_name("pool", i, wanted.name)) {
      continue;
    }
    const ExistingListener* listener = listener_of(port, existing);
    if (listener == nullptr) continue;
    const ExistingPool* now = existing.pool(listener->pool_id);
    return now != nullptr && now->protocol != port.pool_protocol;
  }
  return false;
}

PortWrites::PortWrites(const WantedLoadBalancer& wanted, std::size_t index,
                       const ExistingLoadBalancer& existing, LoadBalancerWrites& out)
    : balancer_(wanted),
      port_(wanted.ports[index]),
      index_(index),
      existing_(existing),
      out_(out) {}

const ExistingListener* PortWrites::listener() const { return listener_of(port_, existing_); }

void PortWrites::all() {
  const ExistingListener* its = listener();
  if (its == nullptr) {
    json body = new_listener_json(balancer_, index_);
    body["loadbalancer_id"] = existing_.id;
    return add("listener", "POST", "listeners", "CreateListener", {{"listener", body}});
  }
  listener_fields(*its);
  const ExistingPool* pool = existing_.pool(its->pool_id);
  if (pool == nullptr) {
    json body = new_pool_json(balancer_, index_);
    body["listener_id"] = its->id;
    return add("pool", "POST", "pools", "CreatePool", {{"pool", body}});
  }
  if (pool->protocol != port_.pool_protocol) {
    if (!keeps(*pool)) replacement(*its);
    return;
  }
  content(*pool);
}

void PortWrites::members_alone() {
  const ExistingListener* its = listener();
  const ExistingPool* pool = its != nullptr ? existing_.pool(its->pool_id) : nullptr;
  if (pool == nullptr) return;
  if (pool->failed()) pool_fields(*pool);
  parts_of(*pool);
}

// OS-265. Tags are only added, so that nobody loses theirs (OS-266).
void PortWrites::listener_fields(const ExistingListener& its) {
  json changes = json::object();
  std::string what;
  const auto change = [&](bool differs, const char* name, const json& to) {
    if (!differs) return;
    what += (what.empty() ? "" : " and ") + std::string(name);
    changes.update(to);
  };
  if (port_.allowed_cidrs) {
    change(!same_ranges(*port_.allowed_cidrs, its.allowed_cidrs), "source ranges",
           {{"allowed_cidrs", *port_.allowed_cidrs}});
  }
  if (port_.timeouts) {
    change(*port_.timeouts != its.timeouts, "timeouts", timeouts_json(*port_.timeouts));
  }
  change(port_.connection_limit != its.connection_limit, "connection limit",
         {{"connection_limit", port_.connection_limit}});
  if (port_.protocol == "HTTP" || port_.protocol == "TERMINATED_HTTPS") {
    const json headers = headers_json(port_.x_forwarded_for);
    change(json(its.insert_headers) != headers, "headers", {{"insert_headers", headers}});
  }
  change(port_.tls_container_ref != its.tls_container_ref && !port_.tls_container_ref.empty(),
         "certificate", {{"default_tls_container_ref", port_.tls_container_ref}});
  const auto tags = listener_tags(balancer_, its.tags);
  change(tags != its.tags, "tags", {{"tags", tags}});
  change(balancer_.repair && its.failed(), "repair",
         {{"connection_limit", port_.connection_limit}});
  if (changes.empty()) return;
  add(what, "PUT", "listeners/" + its.id, "UpdateListener", {{"listener", changes}});
}

void PortWrites::replacement(const ExistingListener& its) {
  const std::string name = child_name("pool", index_, balancer_.name);
  for (const ExistingPool& pool : existing_.pools) {
    if (pool.name != name || pool.protocol != port_.pool_protocol || is_used(existing_, pool)) {
      continue;
    }
    const std::size_t before = out_.size();
    content(pool);
    if (out_.size() != before) return;
    return add("protocol", "PUT", "listeners/" + its.id, "UpdateListener",
               {{"listener", {{"default_pool_id", pool.id}}}});
  }
  json body = new_pool_json(balancer_, index_);
  body["loadbalancer_id"] = existing_.id;
  add("pool for another protocol", "POST", "pools", "CreatePool", {{"pool", body}});
}

void PortWrites::content(const ExistingPool& pool) {
  pool_fields(pool);
  parts_of(pool);
}

// Members and monitor of a pool; while it is in ERROR Octavia takes changes of the pool alone.
void PortWrites::parts_of(const ExistingPool& pool) {
  if (pool.failed()) return;
  members(pool);
  monitor_fields(pool);
}

void PortWrites::pool_fields(const ExistingPool& pool) {
  json changes = json::object();
  const bool repair = balancer_.repair && pool.failed();
  if (pool.method != port_.method || repair) changes["lb_algorithm"] = port_.method;
  if (pool.source_ip != port_.source_ip) {
    changes["session_persistence"] = persistence_json(port_.source_ip);
  }
  if (changes.empty()) return;
  add("method or affinity", "PUT", "pools/" + pool.id, "UpdatePool", {{"pool", changes}});
}

bool PortWrites::keeps(const ExistingPool& pool) const {
  return !balancer_.no_members.empty() && !pool.members.empty();
}

void PortWrites::members(const ExistingPool& pool) {
  if (keeps(pool)) return;
  const bool repair = balancer_.repair && !pool.failed_members.empty();
  if (same_members(pool) && !repair) return;
  if (balancer_.serial) return single_members(pool);
  json members = members_json(port_.members);
  for (std::size_t i = 0; balancer_.drains && i < members.size(); ++i) {
    members[i]["weight"] = port_.members[i].drained ? 0 : 1;  // OS-395, OS-451
  }
  add("members", "PUT", "pools/" + pool.id + "/members", "SetMembers", {{"members", members}});
  out_.back().replaces = members_that_go(pool);
}

std::string PortWrites::members_that_go(const ExistingPool& pool) const {
  constexpr std::size_t kMost = 20;
  std::string text;
  std::size_t count = 0;
  for (const Member& member : pool.members) {
    const bool stays =
        std::any_of(port_.members.begin(), port_.members.end(), [&](const Member& each) {
          return each.address == member.address && each.port == member.port;
        });
    if (stays || ++count > kMost) continue;
    text += (text.empty() ? "" : ", ") + member.address + " (" + member.name + ")";
  }
  if (count == 0) return {};
  if (count > kMost) text += " and " + std::to_string(count - kMost) + " more";
  return std::to_string(count) + " of " + std::to_string(pool.members.size()) +
         " members go: " + text;
}

bool PortWrites::same_members(const ExistingPool& pool) const {
  if (pool.members != port_.members) return false;
  return !balancer_.drains ||
         std::equal(
             pool.members.begin(), pool.members.end(), port_.members.begin(),
             [](const Member& one, const Member& other) { return one.drained == other.drained; });
}

// For providers that take no batch (OS-278).
void PortWrites::single_members(const ExistingPool& pool) {
  const auto keys_of = [](const std::vector<Member>& list) {
    std::set<std::string> keys;
    for (const Member& member : list) keys.insert(member_key(member));
    return keys;
  };
  const std::set<std::string> there = keys_of(pool.members);
  const std::set<std::string> wanted = keys_of(port_.members);
  const std::string path = "pools/" + pool.id + "/members";
  for (const Member& member : port_.members) {
    const std::string key = member_key(member);
    if (!there.contains(key)) {
      add("member", "POST", path, "CreateMember", {{"member", member_json(member)}});
    } else if (balancer_.repair && pool.failed_members.contains(key)) {
      add("member", "PUT", path + "/" + pool.member_ids.at(key), "UpdateMember",
          {{"member", {{"name", member.name}}}});
    }
  }
  for (const Member& member : pool.members) {
    const std::string key = member_key(member);
    const auto id = pool.member_ids.find(key);
    if (wanted.contains(key) || id == pool.member_ids.end()) continue;
    add("member", "DELETE", path + "/" + id->second, "DeleteMember", nullptr);
    out_.back().replaces = member.address + " (" + member.name + ")";
  }
}

// OS-280.
void PortWrites::monitor_fields(const ExistingPool& pool) {
  const bool repair = balancer_.repair && pool.monitor_failed;
  if (pool.monitor == port_.monitor && !repair) return;
  const std::string path = "healthmonitors/" + pool.monitor_id;
  const bool change = pool.monitor && port_.monitor && pool.monitor->type == port_.monitor->type;
  if (change) {
    return add("health monitor", "PUT", path, "UpdateHealthMonitor",
               {{"healthmonitor", monitor_json(*port_.monitor)}});
  }
  if (pool.monitor) add("health monitor", "DELETE", path, "DeleteHealthMonitor", nullptr);
  if (!port_.monitor) return;
  json body = new_monitor_json(*port_.monitor, child_name("monitor", index_, balancer_.name));
  body["pool_id"] = pool.id;
  add("health monitor", "POST", "healthmonitors", "CreateHealthMonitor", {{"healthmonitor", body}});
}

void PortWrites::add(const std::string& what, const char* method, const std::string& path,
                     const char* operation, const json& body) {
  out_.push_back({what + " of " + port_text(port_), method, path, operation,
                  body.is_null() ? std::string() : body_text(body)});
}

}  // namespace ccm::openstack
