// Where routes may lead: to which Pod ranges of which Nodes, and through which instances. One rule
// for all providers and controllers (docs/threats.md). A kubelet registers its own Node, with
// Pod ranges, provider ID and addresses of its choice, so what decides comes from elsewhere: from
// the flags, from the API server, which dates Nodes, and from the cloud, which knows its instances.
// Loop thread.
#pragma once

#include "cloud/broker/instances_broker.hpp"
#include "plugin/context.hpp"
#include "plugin/host_services/kube_access.hpp"
#include "runtime/timers.hpp"

#include <ccm/instance_claims.hpp>
#include <ccm/pod_routes.hpp>
#include <ccm/route.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ccm::cloud {

// JSON pointers of all that is read of Nodes here; a cache has to keep them.
const std::vector<std::string>& route_target_fields();

class RouteTargets {
 public:
  // `nodes` keeps route_target_fields() of v1/nodes. `instances` null: the provider does not offer
  // them, so the Nodes' own word has to do. The references must outlive it.
  RouteTargets(const plugin::ObjectCache& nodes, runtime::Timers& timers, RoutableRanges ranges,
               std::shared_ptr<InstancesBroker> instances);
  RouteTargets& operator=(RouteTargets&&) = delete;

  // Reads the Nodes, and asks the cloud about those of which it has to be asked. Failure:
  // unavailable/waiting, the Nodes are not known yet. This object outlives it.
  Task<Status> refresh(std::shared_ptr<plugin::Context> context);

  // The following are as of the last refresh() that succeeded.

  // Takes in the cloud's routes, and sets the Node of each: the one that has the instance to which
  // it leads. A name that the cloud gave, or that was known before, stays that of a Node that is
  // gone, or of which the cloud says nothing; otherwise it becomes empty. `by_address`: this
  // cloud's routes lead to addresses; then owned ones without a Node are blackholes. So are those
  // of a Node that was made again since, as another instance's, and those that bear its name.
  void take(std::vector<Route>& listed, bool by_address);
  // Its Node was made again, and the cloud has said of which instance the new one is: there is no
  // doubt that what was made for the former one is of no use.
  [[nodiscard]] bool of_former_node(const Route& route) const {
    return former_.contains({route.id, route.destination_cidr});
  }

  // Completes a route that is to be added by provider ID and addresses of its Node's instance, as
  // the cloud tells them. Failure: why there must be no such route, reason "PodCIDROutOfRange",
  // "PodCIDRTooWide", "CIDRConflict", "InstanceOfAnotherNode", "NoInstance", "NoAddress" and
  // others; class waiting when that may end without a change of the Node.
  [[nodiscard]] Status admit(Route& route, bool by_address) const;

  // The ranges of that Node to which no route may lead, and why.
  [[nodiscard]] std::vector<std::pair<std::string, Status>> refused(const std::string& node) const;

 private:
  // The cloud's answers about a Node's instance.
  struct Known {
    std::string uid;
    std::string provider_id;             // the Node's
    std::vector<NodeAddress> addresses;  // the Node's
    bool asked = false;
    runtime::TimePoint ask_again{};
    uint32_t failures = 0;
    InstanceState state = InstanceState::unknown;
    std::string instance_id;
    bool named = false;  // the cloud calls it as the Node is called
    std::vector<NodeAddress> instance_addresses;
    Status why;  // the last answer that said nothing
  };
  // An entry of a Node's spec.podCIDRs.
  struct Range {
    Cidr cidr;
    bool routed = false;
    std::optional<RangeRefusal> refusal;  // and no route is tolerated
    std::size_t holder = kNone;           // the target that has it instead
  };
  // The Node for which a route was listed last.
  struct Owner {
    std::string name;
    std::string uid;
    std::string provider_id;  // its text
    std::string instance;     // the provider ID of its instance, if the cloud had said it
  };
  using Key = std::pair<std::string, std::string>;  // a route's id and destination
  struct Target {
    kube::ObjectPtr object;
    std::string_view created;
    std::vector<Range> ranges;
    ClaimVerdict instance;
    const Known* known = nullptr;
    [[nodiscard]] std::string_view name() const { return object->name(); }
    [[nodiscard]] std::string_view provider_id() const {
      return object->text_at("/spec/providerID");
    }
  };
  static constexpr std::size_t kNone = ~std::size_t{0};

  bool has_to_ask(const kube::ObjectPtr& node);
  Task<void> ask(kube::ObjectPtr node, std::shared_ptr<plugin::Origin> origin);
  void answered(const kube::Object& node, const InstanceAnswer& answer);
  void build();
  void mark_routed();
  void judge_instances();
  void judge_ranges_of_nodes();
  [[nodiscard]] std::size_t find(std::string_view name) const;
  // The target whose instance that is; kNone.
  [[nodiscard]] std::size_t owner_of_instance(const Route& route, bool by_address) const;
  [[nodiscard]] std::string target_of(const Route& route, bool by_address) const;
  // The Node of that name is another one by now; kNone: it is not, or there is none.
  [[nodiscard]] std::size_t made_again(const Route& route) const;
  [[nodiscard]] bool is_still(const Target& node, const Owner& owner) const;
  [[nodiscard]] bool names_another(const Target& node, const Route& route) const;
  [[nodiscard]] bool leads_past(const std::string& named, const Route& route) const;
  [[nodiscard]] Owner owner_named(const std::string& name, const Route& route) const;
  // Perhaps it leads there, as far as is known of that Node's instance.
  [[nodiscard]] bool may_lead_to(std::size_t target, const Route& route, bool by_address) const;
  // The place of that range among those of the target; kNone.
  [[nodiscard]] std::size_t place_of(std::size_t target, const Cidr& range) const;
  [[nodiscard]] Status check_range(std::size_t target, const std::string& destination) const;
  [[nodiscard]] Status check_instance(std::size_t target) const;

  const plugin::ObjectCache& nodes_;
  runtime::Timers& timers_;
  const RoutableRanges ranges_;
  const std::shared_ptr<InstancesBroker> instances_;
  std::map<std::string, Known, std::less<>> known_;  // by the Node's name
  std::vector<Target> targets_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
  std::unordered_map<std::string_view, std::size_t> by_instance_;  // Nodes that hold it
  std::multimap<Cidr, std::size_t> by_address_;
  std::multimap<Cidr, std::size_t> by_range_;
  std::map<Key, Owner> owners_;  // for the routes of the last listing
  std::set<Key> former_;         // for of_former_node()
  // The destinations of those routes that work, by the names of their Nodes.
  std::map<std::string, std::vector<Cidr>, std::less<>> routed_;
};

}  // namespace ccm::cloud
