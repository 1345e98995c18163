// The base of every host service: an interface with an id, made for one component, so that it knows
// its caller. Valid until the component's destroy returned.
#pragma once

#include "plugin/live_component.hpp"

#include <ccm/abi/base.h>
#include <ccm/abi/ctx.h>
#include <ccm/sized.hpp>
#include <ccm/status.hpp>

#include <cstdint>
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

// Something in a request is not known here (ccm/abi/base.h, R-6).
inline Status unknown_request() {
  return Status(Code::unimplemented, ErrorClass::unsupported,
                "the request has a part that this host does not know")
      .with_reason(CCM_REASON_UNKNOWN_REQUEST);
}

// Ok when a request is there and has nothing unknown in itself; what it points to is not looked at.
template <typename T>
Status check_request(const T* request, uint32_t known_flags = 0) {
  if (request == nullptr) return Status(Code::invalid_argument, "no request was given");
  return only_known(request, known_flags) ? Status() : unknown_request();
}

}  // namespace ccm::plugin
