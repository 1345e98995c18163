// From a provider's methods about what it owns, which ccm/provider.hpp lists, to the ABI's table.
#pragma once

#include <ccm/abi/owned.h>
#include <ccm/component.hpp>
#include <ccm/owned.hpp>

#include <utility>
#include <vector>

namespace ccm::detail {

template <typename T>
concept HasListOwned = requires(T& t, Ctx ctx, ClusterNames cluster) {
  t.list_owned(ctx, std::move(cluster));
};
template <typename T>
concept HasRemoveOwned = requires(T& t, Ctx ctx, ClusterNames cluster, OwnedObject object) {
  t.remove_owned(ctx, std::move(cluster), std::move(object));
};
template <typename T>
concept IsOwned = HasListOwned<T> && HasRemoveOwned<T>;

// `Part` has members `Host host` and `T object`; `self` of the table points to it.
template <typename T, typename Part>
struct OwnedAdapter {
  static Part& part(void* self) { return *static_cast<Part*>(self); }
  static Ctx ctx(Part& part, ccm_ctx raw) { return Ctx(part.host.contexts, raw); }

  static void list(void* self, ccm_ctx raw, const ccm_list_owned_request* request,
                   ccm_completion done) noexcept {
    Part& p = part(self);
    const auto give = [](const std::vector<OwnedObject>& objects, const Pass& pass) {
      const OwnedObjectsC raw_objects(objects);
      pass(raw_objects.list());
    };
    const auto call = [&](const ccm_list_owned_request& known_request) {
      return p.object.list_owned(ctx(p, raw), cluster_names_from_c(known_request));
    };
    operate_on(p.host, "list_owned", request, done, call, give);
  }
  static void remove(void* self, ccm_ctx raw, const ccm_remove_owned_request* request,
                     ccm_completion done) noexcept {
    Part& p = part(self);
    const auto call = [&](const ccm_remove_owned_request& known_request) {
      return p.object.remove_owned(ctx(p, raw), cluster_names_from_c(known_request),
                                   owned_object_from_c(*known_request.object));
    };
    operate_on(p.host, "remove_owned", request, done, call, NoResult());
  }

  static const ccm_cloud_owned* table() {
    static const ccm_cloud_owned table = [] {
      ccm_cloud_owned slots = sized<ccm_cloud_owned>();
      slots.list = &list;
      slots.remove = &remove;
      return slots;
    }();
    return &table;
  }
};

}  // namespace ccm::detail
