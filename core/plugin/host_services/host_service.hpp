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
  // `table`: the functions of the interface `id`, both of them static.
  HostService(std::weak_ptr<LiveComponent> component, std::string_view id, const void* table)
      : component_(std::move(component)), id_(id), table_(table) {}
  virtual ~HostService() = default;
  HostService(const HostService&) = delete;
  HostService& operator=(const HostService&) = delete;

  [[nodiscard]] std::string_view id() const { return id_; }
  // OWNERSHIP: borrowed from this object.
  [[nodiscard]] ccm_interface interface() { return {this, table_}; }

 protected:
  // The calling component. It lives as long as it can call.
  [[nodiscard]] std::shared_ptr<LiveComponent> component() const { return component_.lock(); }

  // A function of several tables: the callback of that number is not called any more.
  static void remove_callback(void* self, uint64_t number) noexcept {
    const auto component = static_cast<HostService*>(self)->component();
    if (component) component->callbacks().remove(number);
  }

 private:
  const std::weak_ptr<LiveComponent> component_;
  const std::string_view id_;
  const void* const table_;
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
