// Instances of the cloud as values: what a provider answers and what a controller asks.
// ccm/abi/instances.h says what each field means.
#pragma once

#include <ccm/abi/instances.h>
#include <ccm/ctx.hpp>
#include <ccm/detail/c_arrays.hpp>
#include <ccm/detail/limits_call.hpp>
#include <ccm/detail/operation.hpp>
#include <ccm/instance_limits.hpp>
#include <ccm/object.hpp>
#include <ccm/service.hpp>
#include <ccm/status.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ccm {

enum class InstanceState : int32_t {
  unknown = CCM_INSTANCE_UNKNOWN,        // the cloud did not say; conclude nothing
  running = CCM_INSTANCE_RUNNING,        // exists; also while it moves or is locked
  shutdown = CCM_INSTANCE_SHUTDOWN,      // exists, but is switched off
  terminated = CCM_INSTANCE_TERMINATED,  // the cloud says explicitly that it was destroyed
  absent = CCM_INSTANCE_ABSENT,          // a complete answer did not contain it
  starting = CCM_INSTANCE_STARTING,      // exists, but is still being built
};

// The cloud says that it exists; that there is none. Of an unknown state neither holds.
inline constexpr bool exists(InstanceState state) {
  return state == InstanceState::running || state == InstanceState::shutdown ||
         state == InstanceState::starting;
}
inline constexpr bool is_gone(InstanceState state) {
  return state == InstanceState::absent || state == InstanceState::terminated;
}

struct Instance {
  InstanceState state = InstanceState::unknown;
  std::string provider_id;  // "mycloud://123", its own one
  std::string name;
  std::string instance_type;
  std::string zone;
  std::string region;
  std::vector<NodeAddress> addresses;  // in the order in which the Node is to show them
  std::vector<Label> labels;           // those that the Node has are kept
  // From the host: why nothing is known of an unknown one; what was looked for, of an absent one.
  Status why{};
  // Other provider IDs under which a Node may name it.
  std::vector<std::string> other_ids{};

  bool operator==(const Instance& other) const {
    return state == other.state && provider_id == other.provider_id && name == other.name &&
           instance_type == other.instance_type && zone == other.zone && region == other.region &&
           addresses == other.addresses && labels == other.labels && other_ids == other.other_ids;
  }

  // However much of it there is. A state that this side does not know is `unknown`.
  static Instance from_c(const ccm_instance& given) {
    const ccm_instance raw = known(&given);
    Instance instance;
    if (raw.state >= CCM_INSTANCE_UNKNOWN && raw.state <= CCM_INSTANCE_STARTING) {
      instance.state = static_cast<InstanceState>(raw.state);
    }
    instance.provider_id = view(raw.provider_id);
    instance.name = view(raw.name);
    instance.instance_type = view(raw.instance_type);
    instance.zone = view(raw.zone);
    instance.region = view(raw.region);
    instance.addresses = detail::addresses_from_c(raw.addresses, raw.address_count);
    instance.labels = detail::key_values_from_c(raw.labels, raw.label_count);
    const bool there =
        instance.state != InstanceState::unknown && instance.state != InstanceState::absent;
    if (!there) instance.why = Status::from_c(raw.why);
    instance.other_ids = detail::strings_from_c(raw.other_ids, raw.other_id_count);
    return instance;
  }
};

// Every instance of the cloud, but for what did not answer: that makes instances unknown, not
// absent, and not the listing a failure.
struct InstanceList {
  InstanceList() = default;
  InstanceList(std::vector<Instance> all) : instances(std::move(all)) {}  // NOLINT: implicit
  std::vector<Instance> instances;
  // False: any instance may be missing, so nothing is concluded from what is not listed.
  bool complete = true;
  // Instances whose provider ID begins with one of these may be missing: those of a region that did
  // not answer.
  std::vector<std::string> unknown_prefixes;
};

// The instance that is meant: by provider ID when the Node has one, else by name.
struct NodeIdentity {
  std::string name;
  std::string provider_id;
  Object node;  // for labels and annotations, and for the host to know its age; may be empty
  // From a controller: the answer is not to be older (ccm/abi/instances.h); 0 = the host's choice.
  std::chrono::milliseconds max_age{0};

  static NodeIdentity from_c(ObjectHost objects, const ccm_node_identity& given) {
    const ccm_node_identity raw = known(&given);
    return {std::string(view(raw.name)), std::string(view(raw.provider_id)),
            Object(objects, raw.node), std::chrono::milliseconds(raw.max_age_ms)};
  }
  // OWNERSHIP: borrows from this object.
  [[nodiscard]] ccm_node_identity to_c() const {
    ccm_node_identity raw = sized<ccm_node_identity>();
    raw.name = c_str(name);
    raw.provider_id = c_str(provider_id);
    raw.node = node.get();
    raw.max_age_ms = max_age.count();
    return raw;
  }
};

namespace detail {

template <>
struct Inner<ccm_describe_instances_request> {
  static bool understood(const ccm_describe_instances_request& request) {
    return all_understood(request.nodes, request.node_count);
  }
};
template <>
struct Inner<ccm_get_instance_request> {
  static bool understood(const ccm_get_instance_request& request) {
    return detail::understood(*request.node);
  }
};

// The C form of instances. OWNERSHIP: borrows from the instances that it was made of.
class InstanceListC {
 public:
  explicit InstanceListC(const std::vector<Instance>& instances,
                         const std::vector<std::string>& unknown_prefixes = {},
                         bool complete = true)
      : unknown_prefixes_(strings_to_c(unknown_prefixes)) {
    if (!complete) unknown_prefixes_.push_back({nullptr, 0});
    size_t addresses = 0;
    size_t labels = 0;
    size_t other_ids = 0;
    for (const Instance& instance : instances) {
      addresses += instance.addresses.size();
      labels += instance.labels.size();
      other_ids += instance.other_ids.size();
    }
    // Reserved at once: the raw instances point into these.
    addresses_.reserve(addresses);
    labels_.reserve(labels);
    other_ids_.reserve(other_ids);
    whys_.reserve(instances.size());
    raw_.reserve(instances.size());
    for (const Instance& instance : instances) add(instance);
    pointers_ = pointers_to(raw_);
    list_.instances = pointers_.data();
    list_.count = pointers_.size();
    list_.unknown_prefixes = unknown_prefixes_.data();
    list_.unknown_prefix_count = unknown_prefixes_.size();
  }
  explicit InstanceListC(const InstanceList& list)
      : InstanceListC(list.instances, list.unknown_prefixes, list.complete) {}
  // What a temporary held would be gone.
  explicit InstanceListC(const std::vector<Instance>&&) = delete;
  explicit InstanceListC(const InstanceList&&) = delete;
  InstanceListC(const InstanceListC&) = delete;
  InstanceListC& operator=(const InstanceListC&) = delete;

  [[nodiscard]] const ccm_instance_list* list() const { return &list_; }
  [[nodiscard]] const ccm_instance* first() const { return raw_.data(); }

 private:
  void add(const Instance& instance) {
    const size_t first_address = addresses_.size();
    const size_t first_label = labels_.size();
    const size_t first_other_id = other_ids_.size();
    for (const NodeAddress& address : instance.addresses) {
      addresses_.push_back({c_str(address.type), c_str(address.address)});
    }
    for (const Label& label : instance.labels) {
      labels_.push_back({c_str(label.key), c_str(label.value)});
    }
    for (const std::string& id : instance.other_ids) other_ids_.push_back(c_str(id));
    ccm_instance raw = sized<ccm_instance>();
    raw.state = static_cast<int32_t>(instance.state);
    raw.provider_id = c_str(instance.provider_id);
    raw.name = c_str(instance.name);
    raw.instance_type = c_str(instance.instance_type);
    raw.zone = c_str(instance.zone);
    raw.region = c_str(instance.region);
    raw.addresses = addresses_.data() + first_address;
    raw.address_count = instance.addresses.size();
    raw.labels = labels_.data() + first_label;
    raw.label_count = instance.labels.size();
    raw.other_ids = other_ids_.data() + first_other_id;
    raw.other_id_count = instance.other_ids.size();
    if (!instance.why.ok()) raw.why = &whys_.emplace_back(instance.why.to_c());
    raw_.push_back(raw);
  }

  std::vector<ccm_instance> raw_;
  std::vector<ccm_node_address> addresses_;
  std::vector<ccm_key_value> labels_;
  std::vector<ccm_str> other_ids_;
  std::vector<ccm_status> whys_;
  std::vector<ccm_str> unknown_prefixes_;
  std::vector<const ccm_instance*> pointers_;
  ccm_instance_list list_ = sized<ccm_instance_list>();
};

inline Result<InstanceList> decode_instances(Status status, const void* result) {
  if (!status.ok()) return status;
  const auto* given = static_cast<const ccm_instance_list*>(result);
  if (given == nullptr || !CCM_HAS(given, count)) {
    return Status(Code::internal, "an instance list is missing");
  }
  const ccm_instance_list raw = known(given);
  InstanceList list;
  list.instances.reserve(raw.count);
  for (size_t i = 0; i < raw.count; ++i) {
    list.instances.push_back(Instance::from_c(*raw.instances[i]));
  }
  list.unknown_prefixes = strings_from_c(raw.unknown_prefixes, raw.unknown_prefix_count);
  list.complete = std::erase(list.unknown_prefixes, "") == 0;
  return list;
}

}  // namespace detail

// The cloud's instances from a controller's side: the host's broker, which answers from a snapshot
// that all controllers share. Empty when the provider has no instances.
class Instances {
  using Host = Service<ccm_cloud_instances>;

 public:
  struct List {
    using Output = Result<InstanceList>;
    Host host;
    Ctx ctx;
    Status start(ccm_completion done) const {
      const auto request = sized<ccm_list_instances_request>();
      return detail::begin_call(host, &ccm_cloud_instances::list, CCM_CLOUD_INSTANCES, "list", ctx,
                                request, done);
    }
    Output decode(Status status, const void* result) const {
      return detail::decode_instances(std::move(status), result);
    }
  };
  struct Describe {
    using Output = Result<std::vector<Instance>>;
    Host host;
    Ctx ctx;
    std::vector<NodeIdentity> nodes;
    Status start(ccm_completion done) const {
      std::vector<ccm_node_identity> raw;
      raw.reserve(nodes.size());
      for (const NodeIdentity& node : nodes) raw.push_back(node.to_c());
      const auto pointers = detail::pointers_to(raw);
      auto request = sized<ccm_describe_instances_request>();
      request.nodes = pointers.data();
      request.node_count = pointers.size();
      return detail::begin_call(host, &ccm_cloud_instances::describe, CCM_CLOUD_INSTANCES,
                                "describe", ctx, request, done);
    }
    Output decode(Status status, const void* result) const {
      auto list = detail::decode_instances(std::move(status), result);
      if (!list.ok()) return list.status();
      if (list->instances.size() != nodes.size()) {
        return Status(Code::internal, "describe answered for another number of nodes");
      }
      return std::move(list->instances);
    }
  };
  struct Get {
    using Output = Result<Instance>;
    Host host;
    Ctx ctx;
    NodeIdentity node;
    Status start(ccm_completion done) const {
      const ccm_node_identity raw = node.to_c();
      auto request = sized<ccm_get_instance_request>();
      request.node = &raw;
      return detail::begin_call(host, &ccm_cloud_instances::get, CCM_CLOUD_INSTANCES, "get", ctx,
                                request, done);
    }
    Output decode(Status status, const void* result) const {
      if (!status.ok()) return status;
      if (result == nullptr) return Status(Code::internal, "an instance is missing");
      return Instance::from_c(*static_cast<const ccm_instance*>(result));
    }
  };

  struct Limits : detail::LimitsCall<ccm_cloud_instances, InstanceLimits, ccm_instance_limits,
                                     detail::instance_limits_from_c> {
    Status start(ccm_completion done) const { return start_of(CCM_CLOUD_INSTANCES, done); }
  };

  Instances() = default;
  explicit Instances(Host host) : host_(host) {}
  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(host_); }

  [[nodiscard]] Operation<List> list(Ctx ctx) const {
    return Operation<List>(List{host_, std::move(ctx)});
  }
  // Element i of the answer is for nodes[i]; its state is absent or unknown where there is none.
  [[nodiscard]] Operation<Describe> describe(Ctx ctx, std::vector<NodeIdentity> nodes) const {
    return Operation<Describe>(Describe{host_, std::move(ctx), std::move(nodes)});
  }
  // Code::not_found with ErrorClass::not_found means certainly absent.
  [[nodiscard]] Operation<Get> get(Ctx ctx, NodeIdentity node) const {
    return Operation<Get>(Get{host_, std::move(ctx), std::move(node)});
  }
  [[nodiscard]] Operation<Limits> limits(Ctx ctx) const {
    return Operation<Limits>(Limits{host_, std::move(ctx)});
  }

 private:
  Host host_;
};

}  // namespace ccm
