// The next step for a wanted load balancer. Any thread.
#pragma once

#include "record.hpp"
#include "service_state.hpp"

#include <chrono>
#include <cstdint>
#include <string_view>

namespace ccm::service {

enum class Step {
  none,             // the cloud is in sync as far as known
  observe,          // compare with the cloud; nothing is written when nothing differs
  update_backends,  // only the backends changed
  ensure,           // everything
};

struct Wanted {
  uint64_t intent_hash = 0;
  uint64_t backend_hash = 0;
};

// `audited` = there is an audit at all.
Step next_step(const Record& record, const ServiceState& service, std::string_view id_annotation,
               Wanted wanted, bool audited, std::chrono::milliseconds now);

// The remaining wait of a deferred request: 0 = none.
std::chrono::milliseconds deferral_left(const Record& record, uint64_t hash,
                                        std::chrono::milliseconds now);

// Spreads the audits of many Services over time: 90 to 110 % of the period, by name.
std::chrono::milliseconds audit_pause(std::chrono::milliseconds period, std::string_view key);

}  // namespace ccm::service
