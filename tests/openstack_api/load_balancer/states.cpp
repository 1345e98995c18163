#include "openstack_api/load_balancer/states.hpp"

#include "openstack_api/load_balancer/fields.hpp"

#include <string_view>
#include <utility>
#include <vector>

namespace ccm::openstack_api {

void LoadBalancerStates::check_mutable(const json& lb) {
  if (lb.at("provisioning_status") == "ACTIVE") return;
  refuse_octavia(409, "Load Balancer " + lb.at("id").get<std::string>() +
                          " is immutable and cannot be updated.");
}

// Parts of a pool that failed take no change.
void LoadBalancerStates::check_pool_mutable(const json& pool) {
  if (pool.at("provisioning_status") == "ACTIVE") return;
  refuse_octavia(
      409, "Pool " + pool.at("id").get<std::string>() + " is immutable and cannot be updated.");
}

void LoadBalancerStates::begin_change(json& lb, const char* status, milliseconds time) {
  lb["provisioning_status"] = status;
  Outcome outcome = Outcome::kActive;
  if (!settings_.outcomes.empty()) {
    outcome = settings_.outcomes.front();
    settings_.outcomes.pop_front();
  }
  lb.erase(".child");
  lb[".outcome"] = static_cast<int>(outcome);
  lb[".due"] = (store_.world().clock() + time).count();
}

void LoadBalancerStates::begin_child_change(json& child, const char* status) {
  child["provisioning_status"] = status;
  const bool of_pool = child.contains(".pool");
  const json pool_id = of_pool ? child.at(".pool") : child.at("id");
  if (of_pool) (*store_.of("pools").find(pool_id))["provisioning_status"] = "PENDING_UPDATE";
  for (json* listener : store_.of("listeners").of(child.at(".lb"))) {
    const bool above =
        listener->at("default_pool_id") == pool_id && listener->at("id") != child.at("id");
    if (above) (*listener)["provisioning_status"] = "PENDING_UPDATE";
  }
  json& lb = store_.load_balancer_of(child);
  begin_change(lb, "PENDING_UPDATE", settings_.update_time);
  lb[".child"] = child.at("id");
}

void LoadBalancerStates::advance() {
  std::vector<json*> due;
  for (json& lb : store_.of("loadbalancers")) {
    if (lb.contains(".due") && lb.at(".due") <= store_.world().clock().count()) due.push_back(&lb);
  }
  for (json* lb : due) end_change(*lb, static_cast<Outcome>(lb->at(".outcome").get<int>()));
}

void LoadBalancerStates::end_change(json& lb, Outcome outcome) {
  if (outcome == Outcome::kStuck) return;
  const std::string id = lb.at("id");
  if (outcome == Outcome::kActive && lb.at("provisioning_status") == "PENDING_DELETE")
    return remove_load_balancer(id);
  if (outcome == Outcome::kError && lb.contains(".child")) return fail_child(lb);
  const std::string now = store_.world().timestamp("");
  std::vector<std::pair<std::string, std::string>> gone;
  for (const auto& [collection, part] : store_.parts_of(id)) {
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
      store_.remove_pool(part);
    } else {
      store_.of(collection).remove(part);
    }
  }
  lb["provisioning_status"] = outcome == Outcome::kActive ? "ACTIVE" : "ERROR";
  lb["updated_at"] = now;
  lb.erase(".due");
}

// As Octavia's worker does: the part that was changed is in ERROR, and so are the members that a
// batch changed; all other listeners are, too, for they go to the machines together. The load
// balancer works on.
void LoadBalancerStates::fail_child(json& lb) {
  const std::string now = store_.world().timestamp("");
  for (const auto& [collection, part] : store_.parts_of(lb.at("id"))) {
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

void LoadBalancerStates::set_status(const std::string& id, const std::string& status,
                                    const std::string& collection) {
  json& record = *store_.of(collection).find(id);
  record["provisioning_status"] = status;
  record.erase(".due");
}

void LoadBalancerStates::remove_load_balancer(const std::string& id) {
  const json lb = *store_.of("loadbalancers").find(id);
  for (const auto& [collection, part] : store_.parts_of(id))
    store_.of(collection).remove(part->at("id"));
  if (lb.at(".own_port")) network_.remove("ports", lb.at("vip_port_id"));
  store_.of("loadbalancers").remove(id);
}
}  // namespace ccm::openstack_api
