// The call `limits`, which all interfaces of the cloud have, from a controller's side.
#pragma once

#include <ccm/abi/provider.h>
#include <ccm/ctx.hpp>
#include <ccm/detail/operation.hpp>
#include <ccm/service.hpp>
#include <ccm/sized.hpp>
#include <ccm/status.hpp>

namespace ccm::detail {

// FromC reads the limits of this interface.
template <typename Table, typename Limits, typename Raw, Limits (*FromC)(const Raw&)>
struct LimitsCall {
  using Output = Result<Limits>;
  Service<Table> host;
  Ctx ctx;
  Status start_of(const char* id, ccm_completion done) const {
    return begin_call(host, &Table::limits, id, "limits", ctx, sized<ccm_limits_request>(), done);
  }
  Output decode(Status status, const void* result) const {
    if (!status.ok()) return status;
    if (result == nullptr) return Status(Code::internal, "limits are missing");
    return FromC(*static_cast<const Raw*>(result));
  }
};

}  // namespace ccm::detail
