// The states that a load balancer and its parts go through.
#include "openstack_api/load_balancer/load_balancer.hpp"

#include <string_view>
#include <utility>

namespace ccm::openstack_api {

std::vector<LoadBalancing::Part> LoadBalancing::parts_of(const std::string& lb_id) {
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

json& LoadBalancing::load_balancer_of(const json& child) {
  return *records_.at("loadbalancers").find(child.at(".lb"));
}

void LoadBalancing::check_mutable(const json& lb) const {
  if (lb.at("provisioning_status") == "ACTIVE") return;
  refuse_octavia(409, "Load Balancer " + lb.at("id").get<std::string>() +
                          " is immutable and cannot be updated.");
}

// Parts of a pool that failed take no change.
void LoadBalancing::check_pool_mutable(const json& pool) const {
  if (pool.at("provisioning_status") == "ACTIVE") return;
  refuse_octavia(
      409, "Pool " + pool.at("id").get<std::string>() + " is immutable and cannot be updated.");
}

void LoadBalancing::begin_change(json& lb, const char* status, milliseconds time) {
  lb["provisioning_status"] = status;
  Outcome outcome = Outcome::kActive;
  if (!outcomes.empty()) {
    outcome = outcomes.front();
    outcomes.pop_front();
  }
  lb.erase(".child");
  lb[".outcome"] = static_cast<int>(outcome);
  lb[".due"] = (world_.clock() + time).count();
}

void LoadBalancing::begin_child_change(json& child, const char* status) {
  child["provisioning_status"] = status;
  const bool of_pool = child.contains(".pool");
  const json pool_id = of_pool ? child.at(".pool") : child.at("id");
  if (of_pool) (*records_.at("pools").find(pool_id))["provisioning_status"] = "PENDING_UPDATE";
  for (json* listener : records_.at("listeners").of(child.at(".lb"))) {
    const bool above =
        listener->at("default_pool_id") == pool_id && listener->at("id") != child.at("id");
    if (above) (*listener)["provisioning_status"] = "PENDING_UPDATE";
  }
  json& lb = load_balancer_of(child);
  begin_change(lb, "PENDING_UPDATE", update_time);
  lb[".child"] = child.at("id");
}

void LoadBalancing::advance() {
  std::vector<json*> due;
  for (json& lb : records_.at("loadbalancers")) {
    if (lb.contains(".due") && lb.at(".due") <= world_.clock().count()) due.push_back(&lb);
  }
  for (json* lb : due) end_change(*lb, static_cast<Outcome>(lb->at(".outcome").get<int>()));
}

void LoadBalancing::end_change(json& lb, Outcome outcome) {
  if (outcome == Outcome::kStuck) return;
  const std::string id = lb.at("id");
  if (outcome == Outcome::kActive && lb.at("provisioning_status") == "PENDING_DELETE")
    return remove_load_balancer(id);
  if (outcome == Outcome::kError && lb.contains(".child")) return fail_child(lb);
  const std::string now = world_.timestamp("");
  std::vector<std::pair<std::string, std::string>> gone;
  for (const auto& [collection, part] : parts_of(id)) {
    json& status = part->at("provisioning_status");
    if (!status.get_ref<const std::string&>().starts_with("PENDING_")) continue;
    if (outcome == Outcome::kActive && status == "PENDING_DELETE") {
      gone.emplace_back(collection, part->at("id"));
      continue;
    }
    status = outcome == Outcome::kActive ? "ACTIVE" : "ERROR";
    part->erase(".batch");
    (*part)["updated_at"] = now;
    if (collection == "healthmonitors") (*part)["operating_status"] = "ONLINE";
  }
  for (const auto& [collection, part] : gone) {
    if (collection == "pools") {
      remove_pool(part);
    } else {
      records_.at(collection).remove(part);
    }
  }
  lb["provisioning_status"] = outcome == Outcome::kActive ? "ACTIVE" : "ERROR";
  lb["updated_at"] = now;
  lb.erase(".due");
}

// As Octavia's worker does: the part that was changed is in ERROR, and so are the members that a
// batch changed; all other listeners are, too, for they go to the machines together. The load
// balancer works on.
void LoadBalancing::fail_child(json& lb) {
  const std::string now = world_.timestamp("");
  for (const auto& [collection, part] : parts_of(lb.at("id"))) {
    json& status = part->at("provisioning_status");
    const bool pending = status.get_ref<const std::string&>().starts_with("PENDING_");
    const bool changed = part->at("id") == lb.at(".child");
    const bool batch = collection == "pools" && changed && part->contains(".batch");
    if (pending) (*part)["updated_at"] = now;
    if (collection == "listeners") {
      status = pending && !changed ? "ACTIVE" : "ERROR";
    } else if (pending) {
      status = (changed && !batch) || collection == "members" ? "ERROR" : "ACTIVE";
    }
    part->erase(".batch");
  }
  lb["provisioning_status"] = "ACTIVE";
  lb["updated_at"] = now;
  lb.erase(".due");
  lb.erase(".child");
}

void LoadBalancing::set_status(const std::string& id, const std::string& status,
                               const std::string& collection) {
  json& record = *records_.at(collection).find(id);
  record["provisioning_status"] = status;
  record.erase(".due");
}

void LoadBalancing::remove_pool(const std::string& id) {
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

void LoadBalancing::remove_load_balancer(const std::string& id) {
  const json lb = *records_.at("loadbalancers").find(id);
  for (const auto& [collection, part] : parts_of(id))
    records_.at(collection).remove(part->at("id"));
  if (lb.at(".own_port")) network_.remove("ports", lb.at("vip_port_id"));
  records_.at("loadbalancers").remove(id);
}

}  // namespace ccm::openstack_api
