// The Nodes that are backends of load balancers, and their addresses: those of the cloud's
// instances. A kubelet writes the addresses of its Node and chooses its provider ID, so neither
// makes anything a member. While the cloud does not answer, what it said before goes on. [serial]
//
// Without an instances interface of the provider the Nodes' own word has to do.
#pragma once

#include "backends.hpp"
#include "flap_damping.hpp"
#include "packed_texts.hpp"

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

  // Asks the cloud about the Nodes of which it has to be asked, a thousand in a question. Failure:
  // nothing is known of some of them because the cloud does not answer.
  Task<Status> learn(Ctx ctx);
  // The cloud has once answered about all Nodes, so that those it knows nothing of are new. Until
  // then a Node that is not among the backends may be a member already.
  [[nodiscard]] bool settled() const { return settled_ || !host_.instances; }
  // As far as is known, without a question to the cloud. It is kept until nobody has asked for it
  // for five seconds: it is larger than all else that is kept of the Nodes.
  Set current();

  // A Service chose its members by the labels `now` instead of `before`; both sorted.
  void watch_labels(const std::vector<std::string>& before, const std::vector<std::string>& now);

 private:
  // A Node and what the cloud said of it. There are thousands.
  struct Known {
    PackedTexts ids;        // see ids_of()
    PackedTexts addresses;  // of the instance: type and address in turn
    // The Node's addresses that the cloud did not confirm when it was asked because of them.
    PackedTexts disputed;
    // The instance's state; unknown: the cloud has not said.
    InstanceState state = InstanceState::unknown;
    ErrorClass why = ErrorClass::none;  // of the last answer that said nothing
    int questions = 0;                  // because of changes of the Node, since the last resync
    bool ask = true;
    bool named = false;     // the cloud calls it as the Node is called
    bool silent = false;    // `why` is that the cloud did not answer
    bool reported = false;  // that its instance is another Node's

    [[nodiscard]] std::string_view provider_id() const { return ids[0]; }  // the Node's
    [[nodiscard]] std::string_view instance_id() const { return ids[ids.size() - 1]; }
  };

  // The Node's provider ID, and the instance's if it is another.
  static PackedTexts ids_of(std::string_view provider_id, std::string_view instance_id);
  Known& known_of(const Object& node);
  // Null while it was never asked about.
  Known* find_known(const Object& node);
  // Takes the Node's provider ID, which may have changed.
  static void update(Known& known, const Object& node);
  bool on_update(const Object& old, const Object& now);
  // Something that decides over its membership, and that a kubelet may write as it likes.
  [[nodiscard]] bool differs(const Object& one, const Object& other) const;
  // It takes no traffic, or only while no other Node does.
  [[nodiscard]] bool leaves(const Object& node) const;
  bool watched_labels_differ(const Object& old, const Object& now) const;
  // Whether it will be asked about because of these addresses, which the Node has now.
  bool dispute(Known& known, const std::vector<NodeAddress>& addresses);
  // The names of Nodes that have to be asked about.
  std::vector<std::string> unasked();
  std::vector<NodeIdentity> identities(const std::vector<std::string>& names, std::size_t begin);
  void take(const std::vector<NodeIdentity>& nodes, const std::vector<Instance>& answers);
  void take_failure(const std::vector<NodeIdentity>& nodes, const Status& failure);
  [[nodiscard]] std::vector<ClaimVerdict> verdicts(const std::vector<Object>& nodes) const;
  LeftOut judge(const std::vector<Object>& nodes, std::size_t i, const ClaimVerdict& verdict);
  [[nodiscard]] Backend backend_of(const Object& node, bool cloud_knows) const;
  // Until nobody has used it for a while.
  Task<Status> keep_set();

  Host& host_;
  const Events events_;
  bool exclude_cordoned_ = false;
  bool settled_ = false;
  Semaphore slot_;
  FlapDamping damping_;
  Status failure_;  // of the last question
  std::chrono::milliseconds failed_{0};
  std::unordered_map<std::string, Known> known_;                // by UID and name
  std::map<std::string, std::size_t, std::less<>> label_uses_;  // by key
  Set set_;  // null = something changed since, or nobody needs it
  std::chrono::milliseconds set_used_{0};
  bool set_watched_ = false;  // keep_set() runs
};

}  // namespace ccm::service
