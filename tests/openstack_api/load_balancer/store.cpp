#include "openstack_api/load_balancer/store.hpp"

#include "openstack_api/load_balancer/fields.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ccm::openstack_api {
namespace {

constexpr std::array kQuotas = {"load_balancer", "listener", "pool",  "health_monitor",
                                "member",        "l7policy", "l7rule"};

}  // namespace

void forbid() { refuse_octavia(403, "Policy does not allow this request to be performed."); }

LoadBalancerStore::LoadBalancerStore(World& world) : world_(world) {
  records_.try_emplace("loadbalancers");
  records_.try_emplace("listeners", ".lb");
  records_.try_emplace("pools", ".lb");
  records_.try_emplace("members", ".pool");
  records_.try_emplace("healthmonitors", ".pool");
}

json& LoadBalancerStore::found(const std::string& collection, const char* title,
                               const std::string& id, const Call& call) {
  json* record = records_.at(collection).find(id);
  if (record == nullptr) refuse_octavia(404, std::string(title) + " " + id + " not found.");
  if (!call.caller.sees(record->at("project_id"))) forbid();
  return *record;
}

json& LoadBalancerStore::load_balancer_of(const json& child) {
  return *records_.at("loadbalancers").find(child.at(".lb"));
}

const json* LoadBalancerStore::monitor_of(const std::string& pool_id) const {
  const auto& monitors = records_.at("healthmonitors").of(pool_id);
  return monitors.empty() ? nullptr : monitors.front();
}

json LoadBalancerStore::ids(const std::string& collection, const std::string& parent_id) const {
  json list = json::array();
  for (const json* record : records_.at(collection).of(parent_id))
    list.push_back({{"id", record->at("id")}});
  return list;
}

json LoadBalancerStore::listeners_of(const json& pool) const {
  json list = json::array();
  for (const json* listener : records_.at("listeners").of(pool.at(".lb"))) {
    if (listener->at("default_pool_id") == pool.at("id"))
      list.push_back({{"id", listener->at("id")}});
  }
  return list;
}

std::vector<LoadBalancerStore::Part> LoadBalancerStore::parts_of(const std::string& lb_id) {
  std::vector<Part> parts;
  for (json* listener : records_.at("listeners").of(lb_id))
    parts.push_back({"listeners", listener});
  for (json* pool : records_.at("pools").of(lb_id)) {
    for (const char* collection : {"members", "healthmonitors"}) {
      for (json* part : records_.at(collection).of(pool->at("id")))
        parts.push_back({collection, part});
    }
    parts.push_back({"pools", pool});
  }
  return parts;
}

json LoadBalancerStore::record_of(const json& lb, const std::string& operating_status) const {
  const json& project = lb.at("project_id");
  return {{"id", world_.new_id()},
          {".lb", lb.at("id")},
          {"project_id", project},
          {"tenant_id", project},
          {"operating_status", operating_status},
          {"provisioning_status", "PENDING_CREATE"},
          {"created_at", world_.timestamp("")},
          {"updated_at", nullptr}};
}

void LoadBalancerStore::apply(json& record, const json& changes, const json& defaults) const {
  for (const auto& [name, value] : changes.items()) {
    record[name] = value.is_null() && defaults.contains(name) ? defaults.at(name) : value;
  }
  record["updated_at"] = world_.timestamp("");
}

void LoadBalancerStore::remove_pool(const std::string& id) {
  const std::string lb_id = records_.at("pools").find(id)->at(".lb");
  for (const char* collection : {"members", "healthmonitors"}) {
    const std::vector<json*> parts = records_.at(collection).of(id);
    for (const json* part : parts) records_.at(collection).remove(part->at("id"));
  }
  for (json* listener : records_.at("listeners").of(lb_id)) {
    if (listener->at("default_pool_id") == id) (*listener)["default_pool_id"] = nullptr;
  }
  records_.at("pools").remove(id);
}

void LoadBalancerStore::set_quota(const std::string& project_id, const std::string& resource,
                                  int64_t limit) {
  quotas_[project_id][resource] = limit;
}

json LoadBalancerStore::quotas(const std::string& project_id) const {
  const auto set = quotas_.find(project_id);
  json limits = json::object();
  for (const char* resource : kQuotas) {
    const bool has = set != quotas_.end() && set->second.contains(resource);
    limits[resource] = has ? set->second.at(resource) : -1;
  }
  return limits;
}

void LoadBalancerStore::check_quota(const std::string& project_id, const char* resource,
                                    size_t more) const {
  static const std::map<std::string, std::pair<const char*, const char*>> kNames = {
      {"load_balancer", {"loadbalancers", "Load Balancer"}},
      {"listener", {"listeners", "Listener"}},
      {"pool", {"pools", "Pool"}},
      {"member", {"members", "Member"}},
      {"health_monitor", {"healthmonitors", "Health Monitor"}}};
  const auto project = quotas_.find(project_id);
  if (project == quotas_.end() || !project->second.contains(resource) || more == 0) return;
  const int64_t limit = project->second.at(resource);
  const auto& [collection, title] = kNames.at(resource);
  const auto& records = records_.at(collection);
  const auto used = std::count_if(records.begin(), records.end(), [&](const json& record) {
    return record.at("project_id") == project_id;
  });
  if (limit >= 0 && used + static_cast<int64_t>(more) > limit) {
    refuse_octavia(403, std::string("Quota has been met for resources: ") + title);
  }
}
}  // namespace ccm::openstack_api
