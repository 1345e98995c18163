#include "plugin/host_services/event_service.hpp"

#include "base/text.hpp"
#include "plugin/host_services/kube_service.hpp"

#include <algorithm>
#include <optional>

namespace ccm::plugin {

void EventRecorders::record(const std::string& source, kube::ObjectReference about,
                            kube::EventType type, std::string reason, std::string message) {
  record_as("", source, std::move(about), type, std::move(reason), std::move(message));
}

void EventRecorders::record_as(const std::string& account, const std::string& source,
                               kube::ObjectReference about, kube::EventType type,
                               std::string reason, std::string message) {
  auto& recorder = recorders_[Key(source, account)];
  if (!recorder) {
    recorder = make_(source, account);
    if (started_) recorder->start();
  }
  recorder->record(std::move(about), type, std::move(reason), std::move(message));
}

void EventRecorders::start() {
  if (std::exchange(started_, true)) return;
  for (const auto& [key, recorder] : recorders_) recorder->start();
}

boost::asio::awaitable<void> EventRecorders::drain(std::chrono::milliseconds limit) {
  using std::chrono::milliseconds;
  if (!started_) co_return;  // nothing is sent
  const auto end = std::chrono::steady_clock::now() + limit;
  for (const auto& [key, recorder] : recorders_) {
    const auto left = std::chrono::ceil<milliseconds>(end - std::chrono::steady_clock::now());
    co_await recorder->drain(std::max(left, milliseconds(0)));
  }
}

namespace {

constexpr std::size_t kMessageLimit = 1024;  // API-112
constexpr std::size_t kReadLimit = 8'192;

std::optional<kube::ObjectReference> about_of(const ccm_event& event) {
  if (event.object != nullptr) return kube::ObjectReference::of(*object_of(event.object));
  if (event.reference == nullptr) return std::nullopt;
  const ccm_object_reference named = known(event.reference);
  kube::ObjectReference reference;
  reference.api_version = view(named.api_version);
  reference.kind = view(named.kind);
  reference.namespace_name = view(named.namespace_);
  reference.name = view(named.name);
  reference.uid = view(named.uid);
  if (reference.kind.empty() || reference.name.empty()) return std::nullopt;
  return reference;
}

}  // namespace

void EventService::record(void* self, const ccm_event* given) noexcept {
  auto& service = *static_cast<EventService*>(self);
  const auto component = service.component();
  if (!component || given == nullptr) return;
  const ccm_event event = known(given);
  const auto about = about_of(event);
  if (!about) return;
  std::string source(view(event.source));
  if (source.empty()) source = component->identity().name;
  const bool warning = (event.flags & CCM_EVENT_IS_WARNING) != 0;
  const auto type = warning ? kube::EventType::warning : kube::EventType::normal;
  const std::string whole =
      component->runtime().secrets->without(view(event.message).substr(0, kReadLimit));
  component->runtime().loop.post([record = service.record_, source = std::move(source), type,
                                  about = *about, reason = std::string(view(event.reason)),
                                  message = std::string(utf8_front(whole, kMessageLimit))] {
    record(source, about, type, reason, message);
  });
}

const ccm_host_event EventService::kTable{sizeof(kTable), 0, &record};

}  // namespace ccm::plugin
