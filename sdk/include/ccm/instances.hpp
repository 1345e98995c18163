// Machines of the cloud as values: what a provider answers and what a controller asks.
// ccm/abi/instances.h says what each field means.
#pragma once

#include <ccm/abi/instances.h>
#include <ccm/ctx.hpp>
#include <ccm/object.hpp>
#include <ccm/operation.hpp>
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

struct NodeAddress {
  std::string type;  // Hostname, InternalIP, ExternalIP, InternalDNS, ExternalDNS
  std::string address;
  bool operator==(const NodeAddress&) const = default;
};

struct Label {
  std::string key;
  std::string value;
  bool operator==(const Label&) const = default;
};

struct Instance {
  InstanceState state = InstanceState::unknown;
  std::string provider_id;  // "mycloud://123"
  std::string name;
  std::string instance_type;
  std::string zone;
  std::string region;
  std::vector<NodeAddress> addresses;  // in the order in which the Node shows them
  std::vector<Label> labels;           // those that the Node has are kept
  bool operator==(const Instance&) const = default;

  static Instance from_c(const ccm_instance& raw) {
    Instance instance;
    instance.state = static_cast<InstanceState>(raw.state);
    instance.provider_id = view(raw.provider_id);
    instance.name = view(raw.name);
    instance.instance_type = view(raw.instance_type);
    instance.zone = view(raw.zone);
    instance.region = view(raw.region);
    for (size_t i = 0; i < raw.address_count; ++i) {
      instance.addresses.push_back(
          {std::string(view(raw.addresses[i].type)), std::string(view(raw.addresses[i].address))});
    }
    for (size_t i = 0; i < raw.label_count; ++i) {
      instance.labels.push_back(
          {std::string(view(raw.labels[i].key)), std::string(view(raw.labels[i].value))});
    }
    return instance;
  }
};

// Every machine of the cloud.
struct InstanceList {
  std::vector<Instance> instances;
  // False: more may be there, so nothing is concluded from what is not listed.
  bool complete = true;
};

// Which machine is meant: by provider ID when the Node has one, else by name.
struct NodeIdentity {
  std::string name;
  std::string provider_id;
  Object node;  // for labels and annotations, and for the host to know its age; may be empty
  // From a controller: the answer must not be older (ccm/abi/instances.h); 0 = the host's choice.
  std::chrono::milliseconds max_age{0};

  static NodeIdentity from_c(ObjectHost objects, const ccm_node_identity& raw) {
    return {std::string(view(raw.name)), std::string(view(raw.provider_id)),
            Object(objects, raw.node), std::chrono::milliseconds(raw.max_age_ms)};
  }
  // OWNERSHIP: borrows from this object.
  [[nodiscard]] ccm_node_identity to_c() const {
    return {sizeof(ccm_node_identity), static_cast<uint32_t>(max_age.count()), c_str(name),
            c_str(provider_id), node.get()};
  }
};

namespace detail {

// The C form of instances. OWNERSHIP: borrows from the instances that it was made of.
class InstanceListC {
 public:
  explicit InstanceListC(const std::vector<Instance>& instances, bool complete = true) {
    size_t addresses = 0;
    size_t labels = 0;
    for (const Instance& instance : instances) {
      addresses += instance.addresses.size();
      labels += instance.labels.size();
    }
    // Reserved at once: the raw instances point into these.
    addresses_.reserve(addresses);
    labels_.reserve(labels);
    raw_.reserve(instances.size());
    for (const Instance& instance : instances) add(instance);
    for (const ccm_instance& raw : raw_) pointers_.push_back(&raw);
    list_ = {sizeof(list_), 0, pointers_.data(), pointers_.size(),
             complete ? 0 : CCM_INSTANCES_INCOMPLETE};
  }
  InstanceListC(const InstanceListC&) = delete;
  InstanceListC& operator=(const InstanceListC&) = delete;

  [[nodiscard]] const ccm_instance_list* list() const { return &list_; }
  [[nodiscard]] const ccm_instance* first() const { return raw_.data(); }

 private:
  void add(const Instance& instance) {
    const size_t first_address = addresses_.size();
    const size_t first_label = labels_.size();
    for (const NodeAddress& address : instance.addresses) {
      addresses_.push_back({c_str(address.type), c_str(address.address)});
    }
    for (const Label& label : instance.labels) {
      labels_.push_back({c_str(label.key), c_str(label.value)});
    }
    ccm_instance raw{};
    raw.size = sizeof(raw);
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
    raw_.push_back(raw);
  }

  std::vector<ccm_instance> raw_;
  std::vector<ccm_node_address> addresses_;
  std::vector<ccm_key_value> labels_;
  std::vector<const ccm_instance*> pointers_;
  ccm_instance_list list_{};
};

inline Result<std::vector<Instance>> decode_instances(Status status, const void* result) {
  if (!status.ok()) return status;
  if (result == nullptr) return Status(Code::internal, "an instance list is missing");
  const auto& raw = *static_cast<const ccm_instance_list*>(result);
  std::vector<Instance> instances;
  instances.reserve(raw.count);
  for (size_t i = 0; i < raw.count; ++i) instances.push_back(Instance::from_c(*raw.instances[i]));
  return instances;
}

inline Result<InstanceList> decode_instance_list(Status status, const void* result) {
  auto instances = decode_instances(std::move(status), result);
  if (!instances.ok()) return instances.status();
  InstanceList list;
  list.instances = *std::move(instances);
  const auto& raw = *static_cast<const ccm_instance_list*>(result);
  if (CCM_HAS(&raw, flags)) list.complete = (raw.flags & CCM_INSTANCES_INCOMPLETE) == 0;
  return list;
}

}  // namespace detail

// The cloud's machines from a controller's side: the host's broker, which answers from a snapshot
// that all controllers share. Empty when the provider has no instances.
class Instances {
  using Host = Service<ccm_cloud_instances>;

 public:
  struct List {
    using Output = Result<InstanceList>;
    Host host;
    Ctx ctx;
    Status start(ccm_completion done) const {
      const auto fn = host.get(&ccm_cloud_instances::list);
      if (fn == nullptr) return detail::missing(CCM_CLOUD_INSTANCES, "list");
      fn(host.self(), ctx.get(), done);
      return {};
    }
    Output decode(Status status, const void* result) const {
      return detail::decode_instance_list(std::move(status), result);
    }
  };
  struct Describe {
    using Output = Result<std::vector<Instance>>;
    Host host;
    Ctx ctx;
    std::vector<NodeIdentity> nodes;
    Status start(ccm_completion done) const {
      const auto fn = host.get(&ccm_cloud_instances::describe);
      if (fn == nullptr) return detail::missing(CCM_CLOUD_INSTANCES, "describe");
      std::vector<ccm_node_identity> raw;
      raw.reserve(nodes.size());
      std::vector<const ccm_node_identity*> pointers;
      for (const NodeIdentity& node : nodes) {
        raw.push_back(node.to_c());
        pointers.push_back(&raw.back());
      }
      fn(host.self(), ctx.get(), pointers.data(), pointers.size(), done);
      return {};
    }
    Output decode(Status status, const void* result) const {
      Output instances = detail::decode_instances(std::move(status), result);
      if (instances.ok() && instances->size() != nodes.size()) {
        return Status(Code::internal, "describe answered for another number of nodes");
      }
      return instances;
    }
  };
  struct Get {
    using Output = Result<Instance>;
    Host host;
    Ctx ctx;
    NodeIdentity node;
    Status start(ccm_completion done) const {
      const auto fn = host.get(&ccm_cloud_instances::get);
      if (fn == nullptr) return detail::missing(CCM_CLOUD_INSTANCES, "get");
      const ccm_node_identity raw = node.to_c();
      fn(host.self(), ctx.get(), &raw, done);
      return {};
    }
    Output decode(Status status, const void* result) const {
      if (!status.ok()) return status;
      if (result == nullptr) return Status(Code::internal, "an instance is missing");
      return Instance::from_c(*static_cast<const ccm_instance*>(result));
    }
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

 private:
  Host host_;
};

}  // namespace ccm
