#include "owned_objects.hpp"

#include "base/text.hpp"
#include "cloud/broker/abi_structs.hpp"
#include "plugin/dispatch.hpp"
#include "plugin/operations.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

namespace ccm::ctl {

using cloud::sound_list;
using cloud::sound_name;

namespace {

Status malformed_objects(const char* fault) {
  return Status(Code::internal, std::string("the provider listed its objects, and ") + fault);
}

bool sound_object(const ccm_owned_object& object) {
  if (!sound_list(object.services, object.service_count)) return false;
  for (std::size_t index = 0; index < object.service_count; ++index) {
    const ccm_key_value& service = object.services[index];
    if (!sound_name(service.key) || !sound_name(service.value)) return false;
  }
  return sound_name(object.kind) && sound_name(object.id) && sound_name(object.name) &&
         sound_name(object.cluster) && sound_name(object.address) && sound_name(object.node) &&
         sound_name(object.destination_cidr);
}

// Nothing is removed that its mark does not name.
Status checked_object(const OwnedObject& object) {
  if (object.kind.empty() || object.id.empty()) return malformed_objects("one has no kind or id");
  if (!is_utf8(object.id) || !is_utf8(object.cluster)) {
    return malformed_objects("an id or cluster is no text");
  }
  if (object.cluster.empty() != object.no_cluster) {
    return malformed_objects("a mark names both a cluster and none");
  }
  return {};
}

void repair_texts(OwnedObject& object) {
  cloud::repair(object.kind);
  cloud::repair(object.name);
  cloud::repair(object.address);
  cloud::repair(object.node);
  cloud::repair(object.destination_cidr);
  for (Label& service : object.services) {
    cloud::repair(service.key);
    cloud::repair(service.value);
  }
}

}  // namespace

Result<std::vector<OwnedObject>> copy_owned_objects(const void* result) {
  if (result == nullptr) return malformed_objects("there is no list");
  const ccm_owned_list raw = known(static_cast<const ccm_owned_list*>(result));
  // A struct that ends before the count says nothing, least of all that there are none.
  if (raw.size < offsetof(ccm_owned_list, count) + sizeof(raw.count)) {
    return malformed_objects("the list has no count");
  }
  const cloud::WholeList<ccm_owned_object> list(raw.objects, raw.count, cloud::kThingLimit);
  if (!list.sound() || !std::all_of(list.items().begin(), list.items().end(), sound_object)) {
    return malformed_objects("the list is malformed");
  }
  std::vector<OwnedObject> objects;
  std::set<std::pair<std::string, std::string>> seen;
  for (const ccm_owned_object& item : list.items()) {
    OwnedObject object = detail::owned_object_from_c(item);
    if (Status fault = checked_object(object); !fault.ok()) return fault;
    repair_texts(object);
    if (!seen.emplace(object.kind, object.id).second) {
      return malformed_objects("names one of them twice");
    }
    objects.push_back(std::move(object));
  }
  return objects;
}

OwnedObjects::OwnedObjects(std::shared_ptr<plugin::LiveComponent> provider, ccm_interface interface)
    : provider_(std::move(provider)),
      self_(interface.self),
      table_(known(static_cast<const ccm_cloud_owned*>(interface.table))) {}

Task<Result<std::vector<OwnedObject>>> OwnedObjects::list(ClusterNames cluster) {
  plugin::Invoke invoke = [list = table_.list, self = self_, cluster = std::move(cluster)](
                              ccm_ctx ctx, ccm_completion once) {
    const detail::ClusterNamesC names(cluster);
    const auto request = names.request<ccm_list_owned_request>();
    list(self, ctx, &request, once);
  };
  co_return co_await provider_->call<std::vector<OwnedObject>>(
      plugin::known_operation("owned.list"), nullptr, timeouts_.list, plugin::Context::Fields(),
      std::move(invoke), copy_owned_objects);
}

Task<Status> OwnedObjects::remove(ClusterNames cluster, OwnedObject object) {
  if (object.shared || (object.no_cluster && !cluster.confirmed)) {
    co_return Status(Code::failed_precondition,
                     object.shared ? "others use it, too" : "its mark names no cluster")
        .with_reason(CCM_REASON_NOT_OWNED);
  }
  // A blocking provider may still read its arguments when nobody waits for it any more.
  auto objects = std::make_shared<std::vector<OwnedObject>>(1, std::move(object));
  plugin::Invoke invoke = [remove = table_.remove, self = self_, cluster = std::move(cluster),
                           objects](ccm_ctx ctx, ccm_completion once) {
    const detail::ClusterNamesC names(cluster);
    const detail::OwnedObjectsC raw(*objects);
    auto request = names.request<ccm_remove_owned_request>();
    request.object = raw.first();
    remove(self, ctx, &request, once);
  };
  const Result<plugin::Nothing> ended = co_await provider_->call<plugin::Nothing>(
      plugin::known_operation("owned.remove"), nullptr, timeouts_.load_balancer,
      plugin::Context::Fields(), std::move(invoke), plugin::copy_nothing);
  co_return ended.status();
}

}  // namespace ccm::ctl
