// The base of every host service: an interface with an id, made for one component, so that it knows
// its caller. Valid until the component's destroy returned.
#pragma once

#include "plugin/live_component.hpp"

#include <ccm/abi/base.h>
#include <ccm/abi/ctx.h>
#include <ccm/abi/plugin.h>
#include <ccm/abi/status.h>
#include <ccm/sized.hpp>
#include <ccm/status.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::plugin {

class HostService {
 public:
  // `table`: the functions of the interface `id`, both of them static.
  HostService(std::weak_ptr<LiveComponent> component, std::string_view id, const void* table)
      : component_(std::move(component)), id_(id), table_(table) {}
  virtual ~HostService() = default;
  HostService& operator=(HostService&&) = delete;

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

// The ccm_host of one component, with services made in its name. Loop thread; the interfaces follow
// their own tags.
class ComponentHost {
 public:
  // `nonblocking`: as the manifest says.
  explicit ComponentHost(bool nonblocking = false);
  ComponentHost& operator=(ComponentHost&&) = delete;

  void add(std::unique_ptr<HostService> service);

  // OWNERSHIP: borrowed from this object.
  [[nodiscard]] const ccm_host* host() const { return &host_; }

 private:
  static ccm_bool get_interface(void* self, const char* id, ccm_interface* out) noexcept;

  ccm_host host_;
  std::mutex mutex_;  // some services come when the component lives already
  std::vector<std::unique_ptr<HostService>> services_;
};

// One operation that the host runs for a component: it ends exactly once, in [serial], never inside
// the call that started it, and at the latest when its ctx ends.
class HostOperation : public std::enable_shared_from_this<HostOperation> {
 public:
  using Ptr = std::shared_ptr<HostOperation>;
  using Start = std::function<void(const Ptr&)>;

  // Posts `start` to the loop, unless the request is `wrong`: then the operation ends with that.
  // `name` is a literal for the watchdog. Ends it inside the call when the component is gone (null)
  // or just being destroyed, and later when the ctx is not known. Not `bound`: once it started, the
  // end of its ctx does not end it. Any thread.
  static void begin(const std::shared_ptr<LiveComponent>& component, ccm_ctx ctx,
                    ccm_completion done, std::string_view name, Status wrong, Start start,
                    bool bound = true);

  // Calls the component's completion; later calls have no effect. Loop thread, not inside the
  // component's call.
  void end(const Status& status, const void* result = nullptr);

  // end() was called: work for it can stop.
  [[nodiscard]] bool ended() const { return ended_; }
  // ended() as a token: requested inside end(), hence on the loop.
  [[nodiscard]] std::stop_token stop_token() const { return stop_.get_token(); }
  [[nodiscard]] const std::shared_ptr<Context>& context() const { return context_; }
  [[nodiscard]] LiveComponent& component() { return *component_; }

 private:
  HostOperation(std::shared_ptr<LiveComponent> component, std::shared_ptr<Context> context,
                ccm_completion done, std::string_view name)
      : component_(std::move(component)), context_(std::move(context)), done_(done), name_(name) {}
  [[nodiscard]] Origin* origin() const;

  const std::shared_ptr<LiveComponent> component_;
  const std::shared_ptr<Context> context_;
  const ccm_completion done_;
  const std::string_view name_;
  uint64_t registration_ = 0;
  bool ended_ = false;
  std::stop_source stop_;
};

}  // namespace ccm::plugin
