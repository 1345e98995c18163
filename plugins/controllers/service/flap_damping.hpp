// Nodes that come and go again and again. Its kubelet may write the label that excludes a Node from
// load balancers, and most of its other labels, and each change of them is a write to every load
// balancer. So each Node has a bucket of changes: six count at once, then one in ten minutes. What
// waits does not get lost: when its time has come, the state of that moment counts.
//
// The bucket is the name's, since a kubelet may also register its Node again and again: a Node that
// is missed takes a change out of it, and one of that name that comes waits until there is another.
//
// A Node that leaves is out at once, whatever it did before: that is how it is drained, and it can
// leave only as often as it came back. [serial]
#pragma once

#include <ccm/host.hpp>
#include <ccm/object.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace ccm::service {

class FlapDamping {
 public:
  using Milliseconds = std::chrono::milliseconds;

  explicit FlapDamping(Host& host) : host_(host), events_(host.events.from("service-controller")) {}

  // The state of a Node that counts: the newest, or while a change waits the one before it.
  // `leaves`: it takes no traffic, or no more of it, by its newest state.
  [[nodiscard]] Object in_force(const Object& newest, bool leaves) const;
  // A Node was changed from `before`, which counted, to `now`, in something that decides whether
  // and where it is a member. Whether that counts at once.
  bool change(const Object& before, const Object& now, bool leaves);
  // Its newest state is as the one that counts.
  void settled(const Object& node);
  // It is gone.
  void gone(const Object& node);
  // Load balancers follow the Nodes as they are now: those that are gone are missed.
  void shown();
  // It is new, perhaps under the name of one that is gone. Whether it may be a member at once.
  bool came(const Object& node);
  // It is no member yet, since Nodes of its name came and went.
  [[nodiscard]] bool out(const Object& node) const;

  // Until the change of this Node counts that waits; nothing = none does.
  [[nodiscard]] std::optional<Milliseconds> left(const Object& node) const;
  // Has those count whose time has come, and returns whether there were any.
  bool release();
  // Until release() has something to do; nothing = no change waits.
  [[nodiscard]] std::optional<Milliseconds> next() const;

 private:
  struct Entry {
    std::string uid;             // empty: there is none of that name now
    Milliseconds full{0};        // when its bucket is full again
    std::optional<Object> held;  // the state that counts while a newer one waits
    bool out = false;            // it waits altogether
    // When it went, until that is shown.
    std::optional<Milliseconds> went;
    bool reported = false;
    [[nodiscard]] bool waits() const { return held || out; }
  };

  // The Node's, if it waits.
  [[nodiscard]] const Entry* waiting(const Object& node) const;
  [[nodiscard]] static Milliseconds due(const Entry& entry);
  void forget_some(Milliseconds time);
  void report(const Object& node, Entry& entry) const;

  Host& host_;
  const Events events_;
  std::map<std::string, Entry, std::less<>> nodes_;  // by name: those that were changed or went
  std::size_t forget_at_ = 64;
};

}  // namespace ccm::service
