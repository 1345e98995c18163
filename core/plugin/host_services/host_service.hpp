// The base of every host service: an interface with an id, made for one component, so that it knows
// its caller. Valid until the component's destroy returned.
#pragma once

#include "plugin/live_component.hpp"

#include <ccm/abi/base.h>
#include <ccm/abi/ctx.h>

#include <memory>
#include <string_view>

namespace ccm::plugin {

class HostService {
 public:
  explicit HostService(std::weak_ptr<LiveComponent> component) : component_(std::move(component)) {}
  virtual ~HostService() = default;
  HostService(const HostService&) = delete;
  HostService& operator=(const HostService&) = delete;

  [[nodiscard]] virtual std::string_view id() const = 0;
  // OWNERSHIP: borrowed from this object.
  [[nodiscard]] virtual const void* table() const = 0;
  // The `self` that goes with table().
  [[nodiscard]] virtual void* self() { return this; }

 protected:
  // The calling component. It lives as long as it can call.
  [[nodiscard]] std::shared_ptr<LiveComponent> component() const { return component_.lock(); }

  const std::weak_ptr<LiveComponent> component_;
};

// The context of a handle that a component passed, or the component's own when it passed none.
inline std::shared_ptr<Context> context_of(const ccm_ctx* ctx, const LiveComponent& component) {
  return ctx != nullptr ? ctx->context : component.background();
}

}  // namespace ccm::plugin
