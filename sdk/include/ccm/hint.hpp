// ccm::Hints: a provider whose cloud pushes news tells the host where to look, which spares
// polling. A hint is no statement: the host reads what is there now. [any-thread]
#pragma once

#include <ccm/abi/hint.h>
#include <ccm/service.hpp>
#include <ccm/status.hpp>

#include <cstdint>
#include <string_view>

namespace ccm {

class Hints {
 public:
  Hints() = default;
  explicit Hints(Service<ccm_host_hint> host) : host_(host) {}

  // An instance appeared, vanished or changed. One of the two texts may be empty.
  void instance_changed(std::string_view provider_id, std::string_view node_name = {}) const {
    ccm_hint hint = make(CCM_HINT_INSTANCE);
    hint.provider_id = c_str(provider_id);
    hint.name = c_str(node_name);
    give(hint);
  }
  // A load balancer became ready, failed, or was changed by others: by the Service that it is for,
  void load_balancer_changed(std::string_view namespace_name, std::string_view service_name) const {
    ccm_hint hint = make(CCM_HINT_LOAD_BALANCER);
    hint.namespace_ = c_str(namespace_name);
    hint.name = c_str(service_name);
    give(hint);
  }
  // or by its id as it is recorded on the Service, or the Service's UID; one may be empty.
  void load_balancer_changed_by_id(std::string_view id, std::string_view service_uid = {}) const {
    ccm_hint hint = make(CCM_HINT_LOAD_BALANCER);
    hint.id = c_str(id);
    hint.uid = c_str(service_uid);
    give(hint);
  }

 private:
  static ccm_hint make(int32_t kind) {
    ccm_hint hint = sized<ccm_hint>();
    hint.kind = kind;
    return hint;
  }
  void give(const ccm_hint& hint) const {
    const auto fn = host_.get(&ccm_host_hint::changed);
    if (fn != nullptr) fn(host_.self(), &hint);
  }

  Service<ccm_host_hint> host_;
};

}  // namespace ccm
