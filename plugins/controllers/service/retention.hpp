// Load balancers that outlive their Services, because an annotation asks for it. [serial]
#pragma once

#include "context.hpp"
#include "service_state.hpp"
#include "sync.hpp"

#include <ccm/status.hpp>

namespace ccm::service {

class Retention {
 public:
  explicit Retention(const Context& context) : host_(context.host), events_(context.events) {}

  // Whether the load balancer outlives its Service. Reports an annotation that does not count.
  [[nodiscard]] bool retains(const Sync& sync) const;
  // The annotation that asks for it, where it does not count.
  void report_refused(const Sync& sync) const;
  // Why it is kept; of class invalid_spec when the annotation is unreadable.
  static Status reason(const ServiceState& service);

 private:
  static bool asks_to_retain(const ServiceState& service);

  Host& host_;
  const Events& events_;
};

}  // namespace ccm::service
