#include "decision.hpp"

#include "hash.hpp"

namespace ccm::service {

using std::chrono::milliseconds;

Step next_step(const Record& record, const ServiceState& service, std::string_view id_annotation,
               Wanted wanted, bool audited, milliseconds now) {
  if (!record.applied()) {
    // An earlier manager made it: most often it is right, so look before writing.
    const bool made = service.finalizer &&
                      (!service.annotation(id_annotation).empty() || !service.ingress.empty());
    return record.state == SyncState::unknown && made ? Step::observe : Step::ensure;
  }
  if (wanted.intent_hash != record.intent_hash) return Step::ensure;
  if (record.state == SyncState::elsewhere) return Step::none;
  if (wanted.backend_hash != record.backend_hash) return Step::update_backends;
  return audited && now >= record.audit_due ? Step::observe : Step::none;
}

milliseconds deferral_left(const Record& record, uint64_t hash, milliseconds now) {
  if (hash != record.deferred_hash || now >= record.not_before) return milliseconds(0);
  return record.not_before - now;
}

milliseconds audit_pause(milliseconds period, std::string_view key) {
  const auto percent = static_cast<int64_t>(90 + Hash().add(key).value() % 21);
  return milliseconds(period.count() / 100 * percent + period.count() % 100);
}

}  // namespace ccm::service
