#include "backends.hpp"

#include "hash.hpp"
#include "names.hpp"

#include <algorithm>
#include <array>

namespace ccm::service {
namespace {

constexpr size_t kNamesShown = 20;

const std::string& exclude_pointer() {
  static const std::string pointer = "/metadata/labels" + pointer_segment(kExcludeLabel);
  return pointer;
}

// Go's boolean words for "false".
bool says_false(std::string_view value) {
  constexpr std::array<std::string_view, 6> kFalse{"0", "f", "F", "FALSE", "false", "False"};
  return std::find(kFalse.begin(), kFalse.end(), value) != kFalse.end();
}

Backend read_backend(const Object& node) {
  Backend backend;
  backend.name = node.name();
  backend.provider_id = node.text("/spec/providerID");
  node.at("/status/addresses").each([&](std::string_view, const Value& address) {
    backend.addresses.push_back(
        {std::string(address.text("/type")), std::string(address.text("/address"))});
  });
  backend.node = node;
  return backend;
}

}  // namespace

const std::vector<std::string>& node_fields() {
  static const std::vector<std::string> fields{"/metadata/labels", "/metadata/deletionTimestamp",
                                               "/spec/providerID", "/spec/taints",
                                               "/status/addresses"};
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

bool changes_backends(const Object& old, const Object& now) {
  return included(old) != included(now) ||
         old.text("/spec/providerID") != now.text("/spec/providerID") || old.uid() != now.uid();
}

std::shared_ptr<const BackendSet> select_backends(const Kube& kube) {
  auto set = std::make_shared<BackendSet>();
  kube.cached_each(kNodes, {}, [&](const Object& node) {
    if (takes_traffic(node)) set->backends.push_back(read_backend(node));
  });
  std::sort(set->backends.begin(), set->backends.end(),
            [](const Backend& left, const Backend& right) { return left.name < right.name; });
  Hash hash;
  for (const Backend& backend : set->backends) hash.add(backend.name).add(backend.provider_id);
  set->hash = hash.value();
  return set;
}

std::string node_names(const std::vector<Backend>& backends) {
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
