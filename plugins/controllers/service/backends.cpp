#include "backends.hpp"

#include "booleans.hpp"
#include "hash.hpp"
#include "names.hpp"

#include <ccm/cidr.hpp>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace ccm::service {
namespace {

constexpr size_t kNamesShown = 20;

const std::string& exclude_pointer() {
  static const std::string pointer = "/metadata/labels" + pointer_segment(kExcludeLabel);
  return pointer;
}

const std::string& node_ip_pointer() {
  static const std::string pointer = "/metadata/annotations" + pointer_segment(kProvidedNodeIp);
  return pointer;
}

void sort(std::vector<NodeAddress>& addresses) {
  std::sort(addresses.begin(), addresses.end(), [](const NodeAddress& a, const NodeAddress& b) {
    return std::tie(a.type, a.address) < std::tie(b.type, b.address);
  });
}

// A hash of the Node's labels whose keys are in the sorted list `keys`, in whatever order.
uint64_t hash_of_labels(const Object& node, const std::vector<std::string>& keys) {
  uint64_t sum = 0;
  node.at("/metadata/labels").each([&](std::string_view key, const Value& value) {
    if (!std::binary_search(keys.begin(), keys.end(), key, std::less<>())) return;
    sum += Hash().add(key).add(value.text().value_or(std::string_view())).value();
  });
  return sum;
}

// The words for one Node and for several.
struct Words {
  std::string_view one;
  std::string_view several;
};

Words words_of(LeftOut reason) {
  switch (reason) {
    case LeftOut::no:
      break;
    case LeftOut::excluded:
      return {"is left out by node.kubernetes.io/exclude-from-external-load-balancers",
              "are left out by node.kubernetes.io/exclude-from-external-load-balancers"};
    case LeftOut::deleting:
      return {"is being deleted", "are being deleted"};
    case LeftOut::autoscaler:
      return {"is about to be removed by the autoscaler",
              "are about to be removed by the autoscaler"};
    case LeftOut::cordoned:
      return {"is cordoned", "are cordoned"};
    case LeftOut::flaps:
      return {"goes and comes again and again", "go and come again and again"};
    case LeftOut::no_instance:
      return {"has no instance in the cloud", "have no instance in the cloud"};
    case LeftOut::of_another:
      return {"names the instance of an older Node", "name instances of older Nodes"};
    case LeftOut::foreign:
      return {"is another provider's", "are other providers'"};
    case LeftOut::not_known:
      return {"waits for the cloud to say which instance it is",
              "wait for the cloud to say which instances they are"};
  }
  return {};
}

}  // namespace

const std::vector<std::string>& node_fields() {
  static const std::vector<std::string> fields{"/metadata/labels",
                                               "/metadata/deletionTimestamp",
                                               "/metadata/creationTimestamp",
                                               node_ip_pointer(),
                                               "/spec/providerID",
                                               "/spec/taints",
                                               "/spec/unschedulable",
                                               "/status/addresses"};
  return fields;
}

bool included(const Object& node) {
  const Value label = node.at(exclude_pointer());
  return !label.exists() || says_false(label.text().value_or(std::string_view()));
}

LeftOut left_out(const Object& node) {
  if (!node.text("/metadata/deletionTimestamp").empty()) return LeftOut::deleting;
  if (!included(node)) return LeftOut::excluded;
  bool leaving = false;
  node.at("/spec/taints").each([&](std::string_view, const Value& taint) {
    leaving = leaving || taint.text("/key") == kAutoscalerTaint;  // TRAP-38
  });
  return leaving ? LeftOut::autoscaler : LeftOut::no;
}

bool cordoned(const Object& node) {
  return node.at("/spec/unschedulable").boolean().value_or(false);
}

std::vector<NodeAddress> read_addresses(const Object& node) {
  std::vector<NodeAddress> addresses;
  node.at("/status/addresses").each([&](std::string_view, const Value& address) {
    addresses.push_back(
        {std::string(address.text("/type")), std::string(address.text("/address"))});
  });
  return addresses;
}

bool same_addresses(std::vector<NodeAddress> one, std::vector<NodeAddress> other) {
  sort(one);
  sort(other);
  return one == other;
}

std::string_view node_ip(const Object& node) { return node.text(node_ip_pointer()); }

std::vector<NodeAddress> ordered_addresses(std::vector<NodeAddress> cloud, const Object& node) {
  std::string_view rest = node_ip(node);
  auto place = cloud.begin();
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const auto wanted = parse_address(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (!wanted) continue;
    place = std::stable_partition(place, cloud.end(), [&](const NodeAddress& each) {
      return parse_address(each.address) == wanted;
    });
  }
  return cloud;
}

uint64_t BackendSet::hash(const std::vector<std::string>& labels) const {
  const auto [known, fresh] = hashes_.try_emplace(labels, 0);
  if (!fresh) return known->second;
  Hash hash;
  for (const Backend& backend : backends) {
    hash.add(backend.name).add(backend.provider_id);
    for (const NodeAddress& address : backend.addresses) {
      hash.add(address.type).add(address.address);
    }
    if (!labels.empty()) hash.add(static_cast<int64_t>(hash_of_labels(backend.node, labels)));
  }
  if (backends.empty()) hash.add(why_none());
  return known->second = hash.value();
}

std::string BackendSet::why_none() const {
  if (nodes == 0) return "the cluster has no Nodes";
  std::string text;
  for (size_t kind = 0; kind < left_out.size(); ++kind) {
    const size_t count = left_out[kind];
    if (count == 0) continue;
    const Words words = words_of(static_cast<LeftOut>(kind));
    text +=
        (text.empty() ? "" : ", ") + std::to_string(count) + (count == 1 ? " Node " : " Nodes ");
    text += count == 1 ? words.one : words.several;
  }
  return text;
}

bool BackendSet::lost() const {
  return backends.empty() && (left_out[static_cast<size_t>(LeftOut::no_instance)] > 0 ||
                              left_out[static_cast<size_t>(LeftOut::not_known)] > 0);
}

std::string node_names(const Backends& backends) {
  std::string text;
  for (size_t i = 0; i < std::min(backends.size(), kNamesShown); ++i) {
    text += (i == 0 ? "" : ", ") + backends[i].name;
  }
  if (backends.size() > kNamesShown) {
    text += ", " + std::to_string(backends.size() - kNamesShown) + " more";
  }
  return text;
}

}  // namespace ccm::service
