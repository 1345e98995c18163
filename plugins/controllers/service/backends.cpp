#include "backends.hpp"

#include "booleans.hpp"
#include "hash.hpp"
#include "names.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ccm::service {
namespace {

constexpr size_t kNamesShown = 20;

const std::string& exclude_pointer() {
  static const std::string pointer = "/metadata/labels" + pointer_segment(kExcludeLabel);
  return pointer;
}

std::vector<NodeAddress> read_addresses(const Object& node) {
  std::vector<NodeAddress> addresses;
  node.at("/status/addresses").each([&](std::string_view, const Value& address) {
    addresses.push_back(
        {std::string(address.text("/type")), std::string(address.text("/address"))});
  });
  return addresses;
}

// Their order means nothing.
std::vector<NodeAddress> sorted(std::vector<NodeAddress> addresses) {
  std::sort(addresses.begin(), addresses.end(), [](const NodeAddress& a, const NodeAddress& b) {
    return std::tie(a.type, a.address) < std::tie(b.type, b.address);
  });
  return addresses;
}

Backend read_backend(const Object& node) {
  Backend backend;
  backend.name = node.name();
  backend.provider_id = node.text("/spec/providerID");
  backend.addresses = read_addresses(node);
  backend.node = node;
  return backend;
}

}  // namespace

const std::vector<std::string>& node_fields() {
  static const std::vector<std::string> fields{"/metadata/labels",    "/metadata/deletionTimestamp",
                                               "/spec/providerID",    "/spec/taints",
                                               "/spec/unschedulable", "/status/addresses"};
  return fields;
}

bool included(const Object& node) {
  const Value label = node.at(exclude_pointer());
  return !label.exists() || says_false(label.text().value_or(std::string_view()));
}

bool takes_traffic(const Object& node) {
  if (!node.text("/metadata/deletionTimestamp").empty() || !included(node)) return false;
  bool leaving = false;
  node.at("/spec/taints").each([&](std::string_view, const Value& taint) {
    leaving = leaving || taint.text("/key") == kAutoscalerTaint;
  });
  return !leaving;
}

bool cordoned(const Object& node) {
  return node.at("/spec/unschedulable").boolean().value_or(false);
}

bool changes_backends(const Object& old, const Object& now, bool exclude_cordoned) {
  return takes_traffic(old) != takes_traffic(now) ||
         (exclude_cordoned && cordoned(old) != cordoned(now)) ||
         old.text("/spec/providerID") != now.text("/spec/providerID") || old.uid() != now.uid() ||
         sorted(read_addresses(old)) != sorted(read_addresses(now));
}

BackendSet select_backends(const Kube& kube, bool exclude_cordoned) {
  std::vector<Backend> backends;
  std::vector<Backend> left_out;
  kube.cached_each(kNodes, {}, [&](const Object& node) {
    if (!takes_traffic(node)) return;
    auto& place = exclude_cordoned && cordoned(node) ? left_out : backends;
    place.push_back(read_backend(node));
  });
  if (backends.empty()) backends = std::move(left_out);
  std::sort(backends.begin(), backends.end(),
            [](const Backend& left, const Backend& right) { return left.name < right.name; });
  Hash hash;
  for (const Backend& backend : backends) {
    hash.add(backend.name).add(backend.provider_id);
    for (const NodeAddress& address : sorted(backend.addresses)) {
      hash.add(address.type).add(address.address);
    }
  }
  return {std::move(backends), hash.value()};
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
