// The table of options: which there are in each section, which member of the settings they set,
// what they are for.
#pragma once

#include "settings.hpp"

#include <array>
#include <span>
#include <string_view>
#include <variant>

namespace ccm::openstack {

// An option of the section whose settings are a T.
template <typename T>
struct Option {
  std::string_view name;
  std::variant<std::string T::*, Secret T::*, bool T::*, int32_t T::*, uint32_t T::*,
               milliseconds T::*, std::vector<std::string> T::*>
      member;
  std::string_view help;  // one sentence for the reference
};

std::span<const Option<GlobalSettings>> global_options();
std::span<const Option<NetworkingSettings>> networking_options();
std::span<const Option<MetadataSettings>> metadata_options();
std::span<const Option<RouteSettings>> route_options();
std::span<const Option<LoadBalancerSettings>> load_balancer_options();
std::span<const Option<LoadBalancerClass>> load_balancer_class_options();

inline constexpr std::string_view kGlobal = "Global";
inline constexpr std::string_view kNetworking = "Networking";
inline constexpr std::string_view kMetadata = "Metadata";
inline constexpr std::string_view kRoute = "Route";
inline constexpr std::string_view kLoadBalancer = "LoadBalancer";
inline constexpr std::string_view kLoadBalancerClass = "LoadBalancerClass";
inline constexpr std::array kSections = {kGlobal, kNetworking,   kMetadata,
                                         kRoute,  kLoadBalancer, kLoadBalancerClass};
// Sections of the Cinder and Manila drivers and the KMS plugin, which share the file (OS-114).
inline constexpr std::array<std::string_view, 2> kSectionsOfOthers = {"BlockStorage", "KeyManager"};
// Options of older Go managers that do nothing any more (OS-35).
inline constexpr std::array<std::string_view, 9> kFormerOptions = {
    "api-key",     "bs-version",       "dhcp-domain", "kubeconfig-path",  "node-security-group",
    "secret-name", "secret-namespace", "use-octavia", "trust-device-path"};

}  // namespace ccm::openstack
