// The rights that the namespace of a Service has: a namespace is what tenants are told apart by.
// The flags are service.so's, and hold for every provider. [any-thread]
#pragma once

#include <ccm/config.hpp>
#include <ccm/object.hpp>

#include <string>
#include <string_view>

namespace ccm {

// On a Service: the namespaces, separated by commas or blanks, whose Services may share its load
// balancer; "*" is all.
inline constexpr std::string_view kShareAnnotation = "cloud-controller-manager/share-load-balancer";
inline constexpr const char* kShareFlag = "load-balancer-sharing-across-namespaces";
inline constexpr const char* kRetentionFlag = "load-balancer-retention-namespaces";

// Whether a list such as "shop, blog" has the name, or "*".
inline bool lists_namespace(std::string_view list, std::string_view name) {
  constexpr std::string_view kBetween = ", \t\r\n";
  while (!list.empty()) {
    const std::size_t begin = list.find_first_not_of(kBetween);
    if (begin == std::string_view::npos) return false;
    list.remove_prefix(begin);
    const std::string_view item = list.substr(0, list.find_first_of(kBetween));
    if (item == name || item == "*") return true;
    list.remove_prefix(item.size());
  }
  return false;
}

// Whether Services of that namespace may share the load balancer of `service`, which has it: those
// of its own namespace, and of those that its annotation lists.
inline bool shares_load_balancer_with(const Config& config, const Object& service,
                                      std::string_view namespace_name) {
  if (service.namespace_name() == namespace_name) return true;
  if (config.flag(kShareFlag) == std::string_view("true")) return true;
  const std::string annotation = "/metadata/annotations" + pointer_segment(kShareAnnotation);
  return lists_namespace(service.text(annotation), namespace_name);
}

// Whether annotations count there that leave a load balancer or an address in the cloud when its
// Service goes: nobody's quota bounds these.
inline bool may_retain_load_balancers(const Config& config, std::string_view namespace_name) {
  return lists_namespace(config.flag(kRetentionFlag).value_or("*"), namespace_name);
}

}  // namespace ccm
