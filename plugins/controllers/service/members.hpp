// The Nodes that are backends of load balancers, and their addresses: those of the cloud's
// instances. A kubelet writes the addresses of its Node and chooses its provider ID, so neither
// makes anything a member. While the cloud does not answer, what it said before goes on. [serial]
//
// Without an instances interface of the provider the Nodes' own word has to do.
#pragma once

#include "backends.hpp"
#include "flap_damping.hpp"

#include <ccm/controller.hpp>
#include <ccm/host.hpp>
#include <ccm/semaphore.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ccm::service {

class Members {
 public:
  using Set = std::shared_ptr<const BackendSet>;

  explicit Members(Host& host)
      : host_(host),
        events_(host.events.from("service-controller")),
        slot_(host.post, 1),
        damping_(host) {}

  void exclude_cordoned(bool exclude) { exclude_cordoned_ = exclude; }

  // Takes an event of a Node. Whether the backends of some Service may differ from now on.
  bool on_node(EventKind kind, const Object& old, const Object& now);
  // Until a change of this Node counts that has to wait, see FlapDamping; nothing = none does.
  [[nodiscard]] std::optional<std::chrono::milliseconds> left(const Object& node) const {
    return damping_.left(node);
  }
  // Has those count whose time has come. Returns the time until the next, if any waits.
  std::optional<std::chrono::milliseconds> release();

  // Asks the cloud, in one question, about the Nodes of which it has to be asked. Failure: nothing
  // is known of some of them because the cloud does not answer.
  Task<Status> learn(Ctx ctx);
  // The cloud has once answered about all Nodes, so that those it knows nothing of are new. Until
  // then a Node that is not among the backends may be a member already.
  [[nodiscard]] bool settled() const { return settled_ || !host_.instances; }
  // As far as is known, without a question to the cloud.
  Set current();

  // A Service chose its members by the labels `now` instead of `before`; both sorted.
  void watch_labels(const std::vector<std::string>& before, const std::vector<std::string>& now);

 private:
  // A Node and what the cloud said of it.
  struct Known {
    std::string uid;
    std::string provider_id;  // the Node's
    bool ask = true;
    // The instance's state; unknown: the cloud has not said.
    InstanceState state = InstanceState::unknown;
    std::string instance_id;
    bool named = false;  // the cloud calls it as the Node is called
    std::vector<NodeAddress> addresses;
    Status why;           // of the last answer that said nothing
    bool silent = false;  // that was because the cloud did not answer
    // The Node's addresses that the cloud did not confirm when it was asked because of them.
    std::optional<std::vector<NodeAddress>> disputed;
    int questions = 0;  // because of changes of the Node, since the last resync
    bool told = false;  // that its instance is another Node's
  };

  Known& known_of(const Object& node);
  bool on_update(const Object& old, const Object& now);
  // Something that decides over its membership, and that a kubelet may write as it likes.
  [[nodiscard]] bool differs(const Object& one, const Object& other) const;
  // It takes no traffic, or only while no other Node does.
  [[nodiscard]] bool leaves(const Object& node) const;
  bool watched_labels_differ(const Object& old, const Object& now) const;
  // Whether it will be asked about.
  bool ask_again(Known& known);
  void take(const std::vector<NodeIdentity>& nodes, std::vector<Instance> answers);
  [[nodiscard]] std::vector<ClaimVerdict> verdicts(const std::vector<Object>& nodes) const;
  LeftOut judge(const std::vector<Object>& nodes, std::size_t i, const ClaimVerdict& verdict);
  [[nodiscard]] Backend backend_of(const Object& node, bool cloud_tells) const;

  Host& host_;
  const Events events_;
  bool exclude_cordoned_ = false;
  bool settled_ = false;
  Semaphore slot_;
  FlapDamping damping_;
  Status failure_;  // of the last question
  std::chrono::milliseconds failed_{0};
  std::unordered_map<std::string, Known> known_;                // by name
  std::map<std::string, std::size_t, std::less<>> label_uses_;  // by key
  std::shared_ptr<const BackendSet> set_;                       // null = something changed since
};

}  // namespace ccm::service
