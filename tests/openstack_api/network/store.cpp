#include "openstack_api/network/store.hpp"

#include <algorithm>
#include <utility>

namespace ccm::openstack_api {
namespace {

const std::map<std::string, int64_t> kQuotas = {{"floatingip", 50},
                                                {"network", 100},
                                                {"port", 500},
                                                {"rbac_policy", 10},
                                                {"router", 10},
                                                {"security_group", 10},
                                                {"security_group_rule", 100},
                                                {"subnet", 100},
                                                {"subnetpool", -1},
                                                {"trunk", -1}};

}  // namespace

NetworkStore::NetworkStore(World& world) : world_(world) {
  for (const Resource& resource : network_resources()) records_[resource.collection];
}

json NetworkStore::begin(const Resource& resource, const std::string& project_id,
                         json members) const {
  // Only what a client would have to send has to be there.
  for (const Attribute& attribute : resource.attributes) {
    if (attribute.post && attribute.default_value != nullptr && !members.contains(attribute.name)) {
      members[attribute.name] = json::parse(attribute.default_value);
    }
  }
  const std::string now = world_.timestamp();
  members.update({{"id", world_.new_id()},
                  {"project_id", project_id},
                  {"tenant_id", project_id},
                  {"created_at", now},
                  {"updated_at", now},
                  {"revision_number", 1},
                  {"tags", json::array()}});
  check_quota(project_id, resource.member);
  return members;
}

void NetworkStore::touch(json& record) const {
  record["revision_number"] = record.at("revision_number").get<int64_t>() + 1;
  record["updated_at"] = world_.timestamp();
}

void NetworkStore::set_quota(const std::string& project_id, const std::string& resource,
                             int64_t limit) {
  quotas_[project_id][resource] = limit;
}

bool NetworkStore::reset_quotas(const std::string& project_id) {
  return quotas_.erase(project_id) > 0;
}

json NetworkStore::quotas(const std::string& project_id) const {
  json limits = json::object();
  for (const auto& [resource, usual] : kQuotas) limits[resource] = quota(project_id, resource);
  return limits;
}

int64_t NetworkStore::quota(const std::string& project_id, const std::string& resource) const {
  const auto project = quotas_.find(project_id);
  if (project != quotas_.end() && project->second.contains(resource))
    return project->second.at(resource);
  const auto usual = kQuotas.find(resource);
  return usual != kQuotas.end() ? usual->second : -1;
}

int64_t NetworkStore::used(const std::string& project_id, const std::string& resource) const {
  const auto records =
      records_.find(resource == "security_group_rule" ? "security_group_rules" : resource + "s");
  if (records == records_.end()) return 0;
  return std::count_if(records->second.begin(), records->second.end(),
                       [&](const json& record) { return record.at("project_id") == project_id; });
}

void NetworkStore::check_quota(const std::string& project_id, const std::string& resource) const {
  const int64_t limit = quota(project_id, resource);
  if (limit >= 0 && used(project_id, resource) >= limit) {
    refuse(409, "OverQuota", "Quota exceeded for resources: ['" + resource + "'].");
  }
}
}  // namespace ccm::openstack_api
