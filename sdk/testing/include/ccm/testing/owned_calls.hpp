// A provider's CCM_CLOUD_OWNED, called as the host does:
//
//   const auto table = component.interface<ccm_cloud_owned>(CCM_CLOUD_OWNED);
//   auto objects = component.finish(component.start("list", ListOwned{table, component.ctx(),
//   names}));
#pragma once

#include <ccm/abi/owned.h>
#include <ccm/ctx.hpp>
#include <ccm/owned.hpp>
#include <ccm/service.hpp>
#include <ccm/status.hpp>

#include <vector>

namespace ccm::testing {

struct ListOwned {
  using Output = Result<std::vector<OwnedObject>>;
  Service<ccm_cloud_owned> table;
  Ctx ctx;
  ClusterNames cluster;

  Status start(ccm_completion done) const {
    const ccm::detail::ClusterNamesC names(cluster);
    const auto request = names.request<ccm_list_owned_request>();
    table.get (&ccm_cloud_owned::list)(table.self(), ctx.get(), &request, done);
    return {};
  }
  Output decode(Status status, const void* result) const {
    if (!status.ok()) return status;
    const auto raw = known(static_cast<const ccm_owned_list*>(result));
    std::vector<OwnedObject> objects;
    for (size_t i = 0; i < raw.count; ++i) {
      objects.push_back(ccm::detail::owned_object_from_c(*raw.objects[i]));
    }
    return objects;
  }
};

struct RemoveOwned {
  using Output = Status;
  Service<ccm_cloud_owned> table;
  Ctx ctx;
  ClusterNames cluster;
  OwnedObject object;

  Status start(ccm_completion done) const {
    const ccm::detail::ClusterNamesC names(cluster);
    const std::vector<OwnedObject> list{object};
    const ccm::detail::OwnedObjectsC objects(list);
    auto request = names.request<ccm_remove_owned_request>();
    request.object = objects.first();
    table.get (&ccm_cloud_owned::remove)(table.self(), ctx.get(), &request, done);
    return {};
  }
  Output decode(Status status, const void* /*result*/) const { return status; }
};

}  // namespace ccm::testing
