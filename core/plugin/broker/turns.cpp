#include "plugin/broker/turns.hpp"

#include <deque>
#include <unordered_map>
#include <utility>

namespace ccm::plugin {

struct Turns::State : std::enable_shared_from_this<State> {
  struct Waiter {
    std::shared_ptr<Context> context;
    std::function<void(Turn)> start;
  };

  Turn turn_of(const std::string& key) {
    return {nullptr, [weak = weak_from_this(), key](void*) {
              if (const auto self = weak.lock()) self->released(key);
            }};
  }

  void released(const std::string& key) {
    auto& waiting = held[key];
    while (!waiting.empty() && waiting.front().context->ended()) waiting.pop_front();
    if (waiting.empty()) {
      held.erase(key);
      return;
    }
    const Waiter next = std::move(waiting.front());
    waiting.pop_front();
    next.start(turn_of(key));
  }

  std::unordered_map<std::string, std::deque<Waiter>> held;
};

Turns::Turns() : state_(std::make_shared<State>()) {}

void Turns::take(const std::string& key, std::shared_ptr<Context> context,
                 std::function<void(Turn)> start) {
  const auto [place, free] = state_->held.try_emplace(key);
  if (free) return start(state_->turn_of(key));
  place->second.push_back({std::move(context), std::move(start)});
}

}  // namespace ccm::plugin
