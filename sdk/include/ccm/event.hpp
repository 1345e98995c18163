// ccm::Events: Kubernetes Events about an object. The host aggregates and rate-limits; recording
// never blocks and never fails. Without the service nothing happens. [any-thread]
#pragma once

#include <ccm/abi/event.h>
#include <ccm/object.hpp>
#include <ccm/service.hpp>
#include <ccm/status.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace ccm {

// An object that is known by name only.
struct ObjectReference {
  std::string api_version;  // "v1"
  std::string kind;         // "Node"
  std::string name;
  std::string namespace_name;  // empty for cluster-scoped objects
  std::string uid;             // may be empty
};

class Events {
 public:
  Events() = default;
  explicit Events(Service<ccm_host_event> host) : host_(host) {}

  // Events under another source than the component's name.
  [[nodiscard]] Events from(std::string_view source) const {
    Events events(host_);
    events.source_ = source;
    return events;
  }

  // `reason` is CamelCase; of `message` at most 1,024 bytes are kept.
  void normal(const Object& object, std::string_view reason, std::string_view message) const {
    record(0, object.get(), nullptr, reason, message);
  }
  void warning(const Object& object, std::string_view reason, std::string_view message) const {
    record(CCM_EVENT_IS_WARNING, object.get(), nullptr, reason, message);
  }
  void normal(const ObjectReference& object, std::string_view reason,
              std::string_view message) const {
    record(0, object, reason, message);
  }
  void warning(const ObjectReference& object, std::string_view reason,
               std::string_view message) const {
    record(CCM_EVENT_IS_WARNING, object, reason, message);
  }

 private:
  void record(uint32_t flags, const ObjectReference& object, std::string_view reason,
              std::string_view message) const {
    ccm_object_reference reference = sized<ccm_object_reference>();
    reference.api_version = c_str(object.api_version);
    reference.kind = c_str(object.kind);
    reference.namespace_ = c_str(object.namespace_name);
    reference.name = c_str(object.name);
    reference.uid = c_str(object.uid);
    record(flags, nullptr, &reference, reason, message);
  }
  void record(uint32_t flags, const ccm_object* object, const ccm_object_reference* reference,
              std::string_view reason, std::string_view message) const {
    const auto fn = host_.get(&ccm_host_event::record);
    if (fn == nullptr || (object == nullptr && reference == nullptr)) return;
    ccm_event event = sized<ccm_event>();
    event.flags = flags;
    event.object = object;
    event.reference = reference;
    event.reason = c_str(reason);
    event.message = c_str(message);
    event.source = c_str(source_);
    fn(host_.self(), &event);
  }

  Service<ccm_host_event> host_;
  std::string source_;  // empty = the component's name
};

}  // namespace ccm
