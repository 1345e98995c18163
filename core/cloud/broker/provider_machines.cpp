#include "cloud/broker/provider_machines.hpp"

#include "plugin/host_services/object_service.hpp"

#include <utility>

namespace ccm::plugin {

namespace {

ccm_node_identity identity_of(const MachineQuery& query) {
  return {sizeof(ccm_node_identity), 0, c_str(query.name), c_str(query.provider_id),
          object_handle(query.node)};
}

Result<InstanceSnapshot::Ptr> copy_list(const void* result) {
  return InstanceSnapshot::copy(static_cast<const ccm_instance_list*>(result));
}

Result<InstanceSnapshot::Ptr> copy_answers(const void* result) {
  return InstanceSnapshot::copy_answers(static_cast<const ccm_instance_list*>(result));
}

Result<InstanceSnapshot::Ptr> copy_one(const void* result) {
  return InstanceSnapshot::copy(static_cast<const ccm_instance*>(result));
}

}  // namespace

ProviderMachines::ProviderMachines(std::shared_ptr<LiveComponent> provider, ccm_interface instances,
                                   ProviderTimeouts timeouts)
    : provider_(std::move(provider)),
      interface_(instances),
      table_(*static_cast<const ccm_cloud_instances*>(instances.table)),
      timeouts_(timeouts) {}

bool ProviderMachines::can_list() const { return CCM_HAS(&table_, list) && table_.list != nullptr; }

bool ProviderMachines::can_describe() const {
  return CCM_HAS(&table_, describe) && table_.describe != nullptr;
}

bool ProviderMachines::can_get() const { return CCM_HAS(&table_, get) && table_.get != nullptr; }

void ProviderMachines::set_origin(const std::shared_ptr<Origin>& origin) {
  context_ = origin ? provider_->background()->child(std::nullopt, {}, origin) : nullptr;
}

void ProviderMachines::list(Done done) {
  auto invoke = [list = table_.list, self = interface_.self](
                    const ccm_ctx* ctx, ccm_completion once) { list(self, ctx, once); };
  provider_->call<InstanceSnapshot::Ptr>("instances.list", context_, timeouts_.list, {},
                                         std::move(invoke), copy_list, std::move(done));
}

void ProviderMachines::describe(std::vector<MachineQuery> queries, Done done) {
  auto invoke = [describe = table_.describe, self = interface_.self, queries = std::move(queries)](
                    const ccm_ctx* ctx, ccm_completion once) {
    std::vector<ccm_node_identity> identities;
    identities.reserve(queries.size());
    std::vector<const ccm_node_identity*> pointers;
    for (const MachineQuery& query : queries) identities.push_back(identity_of(query));
    for (const ccm_node_identity& identity : identities) pointers.push_back(&identity);
    describe(self, ctx, pointers.data(), pointers.size(), once);
  };
  provider_->call<InstanceSnapshot::Ptr>("instances.describe", context_, timeouts_.call, {},
                                         std::move(invoke), copy_answers, std::move(done));
}

void ProviderMachines::get(MachineQuery query, Done done) {
  Context::Fields fields{{"node", query.name}};
  auto invoke = [get = table_.get, self = interface_.self, query = std::move(query)](
                    const ccm_ctx* ctx, ccm_completion once) {
    const ccm_node_identity identity = identity_of(query);
    get(self, ctx, &identity, once);
  };
  provider_->call<InstanceSnapshot::Ptr>("instances.get", context_, timeouts_.call,
                                         std::move(fields), std::move(invoke), copy_one,
                                         std::move(done));
}

}  // namespace ccm::plugin
