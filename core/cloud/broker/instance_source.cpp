#include "cloud/broker/instance_source.hpp"

#include "cloud/broker/abi_structs.hpp"
#include "plugin/host_services/kube_service.hpp"
#include "plugin/operations.hpp"

#include <utility>

namespace ccm::cloud {

namespace {

ccm_node_identity identity_of(const InstanceQuery& query) {
  auto identity = sized<ccm_node_identity>();
  identity.name = c_str(query.name);
  identity.provider_id = c_str(query.provider_id);
  identity.node = plugin::object_handle(query.node);
  return identity;
}

Result<InstanceLimits> copy_limits(const void* result) {
  if (result == nullptr) return Status(Code::internal, "the provider gave no limits");
  return detail::instance_limits_from_c(*static_cast<const ccm_instance_limits*>(result));
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

ProviderInstances::ProviderInstances(std::shared_ptr<plugin::LiveComponent> provider,
                                     ccm_interface instances, ProviderTimeouts timeouts)
    : provider_(std::move(provider)),
      interface_(instances),
      table_(*static_cast<const ccm_cloud_instances*>(instances.table)),
      timeouts_(timeouts) {}

Task<Result<InstanceLimits>> ProviderInstances::limits() {
  const auto function = function_of(&table_, &ccm_cloud_instances::limits);
  if (function == nullptr) co_return InstanceLimits();
  plugin::Invoke invoke = plugin::invoke_plain(function, interface_.self);
  Result<InstanceLimits> asked = co_await provider_->call<InstanceLimits>(
      plugin::known_operation("instances.limits"), nullptr, timeouts_.call,
      plugin::Context::Fields(), std::move(invoke), copy_limits);
  if (asked.ok()) {
    timeouts_.call = time_limit(asked->timeout, timeouts_.call);
    timeouts_.list = time_limit(asked->list_timeout, timeouts_.list);
  }
  co_return asked;
}

Task<InstanceSource::Listing> ProviderInstances::list() {
  return provider_->call<InstanceSnapshot::Ptr>(
      plugin::known_operation("instances.list"), context_, timeouts_.list, {},
      plugin::invoke_plain(table_.list, interface_.self), copy_list);
}

Task<InstanceSource::Listing> ProviderInstances::describe(std::vector<InstanceQuery> queries) {
  auto invoke = [describe = table_.describe, self = interface_.self, queries = std::move(queries)](
                    ccm_ctx ctx, ccm_completion once) {
    std::vector<ccm_node_identity> identities;
    identities.reserve(queries.size());
    std::vector<const ccm_node_identity*> pointers;
    pointers.reserve(queries.size());
    for (const InstanceQuery& query : queries) identities.push_back(identity_of(query));
    for (const ccm_node_identity& identity : identities) pointers.push_back(&identity);
    auto request = sized<ccm_describe_instances_request>();
    request.nodes = pointers.data();
    request.node_count = pointers.size();
    describe(self, ctx, &request, once);
  };
  return provider_->call<InstanceSnapshot::Ptr>(plugin::known_operation("instances.describe"),
                                                context_, timeouts_.call, {}, std::move(invoke),
                                                copy_answers);
}

Task<InstanceSource::Listing> ProviderInstances::get(InstanceQuery query) {
  plugin::Context::Fields fields{{"node", query.name}};
  auto invoke = [get = table_.get, self = interface_.self, query = std::move(query)](
                    ccm_ctx ctx, ccm_completion once) {
    const ccm_node_identity identity = identity_of(query);
    auto request = sized<ccm_get_instance_request>();
    request.node = &identity;
    get(self, ctx, &request, once);
  };
  return provider_->call<InstanceSnapshot::Ptr>(plugin::known_operation("instances.get"), context_,
                                                timeouts_.call, std::move(fields),
                                                std::move(invoke), copy_one);
}

}  // namespace ccm::cloud
