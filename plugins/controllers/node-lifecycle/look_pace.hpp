// How often each Node is looked at: every period at first, and less often when it stays in doubt or
// keeps coming back. Neither a Node that stays stopped nor a kubelet that flaps, or registers again
// and again, costs a call for each period. [serial]
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace ccm::node_lifecycle {

class LookPace {
 public:
  using Milliseconds = std::chrono::milliseconds;

  // A Node has kQuick looks a `period` apart, then one for each that comes back; one comes back
  // every 24 periods, or every two minutes if those are longer, but not before a period.
  static constexpr int kQuick = 24;
  explicit LookPace(Milliseconds period);

  // How long a look at the Node has to wait. `now` is a time that only goes on.
  [[nodiscard]] Milliseconds wait(std::string_view name, Milliseconds now) const;
  // It is looked at. Returns how long the next look has to wait.
  Milliseconds look(const std::string& name, Milliseconds now);
  // The cloud tells that the instance has changed: one look need not wait.
  void hinted(const std::string& name, Milliseconds now);

 private:
  struct Looks {
    double left = kQuick;
    Milliseconds at{0};
  };
  [[nodiscard]] double left(const Looks& looks, Milliseconds now) const;
  [[nodiscard]] Milliseconds until_one(double left) const;
  Looks& looks_of(const std::string& name, Milliseconds now);

  Milliseconds period_;
  Milliseconds refill_;
  std::map<std::string, Looks, std::less<>> nodes_;  // those that lack looks
  std::size_t prune_at_ = 64;
};

}  // namespace ccm::node_lifecycle
