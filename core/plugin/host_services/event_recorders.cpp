#include "plugin/host_services/event_recorders.hpp"

#include <algorithm>
#include <utility>

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

}  // namespace ccm::plugin
