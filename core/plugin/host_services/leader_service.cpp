#include "plugin/host_services/leader_service.hpp"

namespace ccm::plugin {

namespace {

// Leadership ends by the clock, without an event, so it is checked.
constexpr std::chrono::milliseconds kLeaderCheckInterval{500};

}  // namespace

LeaderService::~LeaderService() {
  if (check_timer_ != 0) timers_.cancel(check_timer_);
}

ccm_bool LeaderService::leading(void* self) noexcept {
  const auto& service = *static_cast<LeaderService*>(self);
  return service.component() && service.state_.leading() ? 1 : 0;
}

uint64_t LeaderService::transitions(void* self) noexcept {
  const auto& service = *static_cast<LeaderService*>(self);
  return service.component() ? service.state_.transitions() : 0;
}

ccm_bool LeaderService::on_change(void* self, ccm_callback callback) noexcept {
  auto& service = *static_cast<LeaderService*>(self);
  const auto component = service.component();
  if (!component || !component->check_thread(ThreadTag::create, "leader.on_change")) {
    return drop_callback(callback), 0;
  }
  const uint64_t number = component->callbacks().add(callback);
  if (number == 0) return 0;
  service.listeners_.push_back(number);
  if (service.check_timer_ == 0) {
    service.led_ = service.state_.leading();
    service.check_later();
  }
  return 1;
}

void LeaderService::check_later() {
  check_timer_ = timers_.after(kLeaderCheckInterval, [this] { check(); });
}

void LeaderService::check() {
  check_timer_ = 0;
  const auto component = this->component();
  if (!component) return;
  check_later();
  const bool leads = state_.leading();
  if (leads == led_) return;
  led_ = leads;
  const auto listeners = listeners_;
  for (const uint64_t number : listeners) component->run_callback(number, "leader.on_change");
}

const ccm_host_leader LeaderService::kTable{sizeof(kTable), 0, &leading, &transitions, &on_change};

}  // namespace ccm::plugin
