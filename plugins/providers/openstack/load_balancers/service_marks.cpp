#include "service_marks.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace ccm::openstack {
namespace {

constexpr std::size_t kLongest = 255;  // a text of this length may have lost its end
constexpr std::size_t kUidSize = 36;
constexpr std::string_view kNameBegin = "kube_service_";
constexpr std::string_view kServiceMark = "ccm-service:";
constexpr std::string_view kClusterMark = "ccm-cluster:";
constexpr std::string_view kFloatingIpText = "Floating IP for Kubernetes external service ";
constexpr std::string_view kGroupDescription = "Security group for ";
constexpr std::string_view kInCluster = " Service LoadBalancer in cluster ";
constexpr std::string_view kFromCluster = " from cluster ";

std::string shortened(std::string text) {
  if (text.size() > kLongest) text.resize(kLongest);
  return text;
}

std::string key_of(const LoadBalancerService& service) {
  return service.namespace_name + "/" + service.name;
}

std::string in_brackets_if_known(const std::string& uid) {
  return uid.empty() ? std::string() : " (" + uid + ")";
}

// " (0c8ab2c3-1111-2222-3333-444455556666)" at the end; empty = it ends otherwise.
std::string_view uid_at_end(std::string_view text) {
  constexpr std::size_t kWhole = kUidSize + 3;
  if (text.size() < kWhole) return {};
  const std::string_view end = text.substr(text.size() - kWhole);
  const std::string_view uid = end.substr(2, kUidSize);
  const bool hex = uid.find_first_not_of("0123456789abcdef-") == std::string_view::npos;
  return end.starts_with(" (") && end.ends_with(')') && hex ? uid : std::string_view();
}

std::optional<MarkedService> split_at(std::string_view text, std::string_view middle) {
  const std::size_t place = text.find(middle);
  if (place == std::string_view::npos) return std::nullopt;
  std::string_view cluster = text.substr(place + middle.size());
  const std::string_view uid = uid_at_end(cluster);
  if (!uid.empty()) cluster.remove_suffix(uid.size() + 3);
  MarkedService marked{std::string(cluster), std::string(text.substr(0, place)), std::string(uid)};
  const bool whole = !marked.cluster.empty() && marked.service.find('/') != std::string::npos;
  return whole ? std::optional(std::move(marked)) : std::nullopt;
}

}  // namespace

std::string load_balancer_name(const LoadBalancerService& service) {
  return shortened(std::string(kNameBegin) + service.cluster_name + "_" + service.namespace_name +
                   "_" + service.name);
}

std::string service_mark(const LoadBalancerService& service) {
  return std::string(kServiceMark) + service.uid;
}

std::string cluster_mark(const std::string& cluster_uid) {
  return cluster_uid.empty() ? std::string() : std::string(kClusterMark) + cluster_uid;
}

std::string security_group_name(const LoadBalancerService& service) {
  return shortened("lb-sg-" + service.uid + "-" + service.namespace_name + "-" + service.name);
}

std::string load_balancer_description(const LoadBalancerService& service,
                                      const std::string& cluster_uid) {
  return shortened("Kubernetes external service " + key_of(service) + std::string(kFromCluster) +
                   service.cluster_name + in_brackets_if_known(cluster_uid));
}

std::string floating_ip_description(const LoadBalancerService& service,
                                    const std::string& cluster_uid) {
  return shortened(std::string(kFloatingIpText) + key_of(service) + std::string(kFromCluster) +
                   service.cluster_name + in_brackets_if_known(cluster_uid));
}

std::string security_group_description(const LoadBalancerService& service,
                                       const std::string& cluster_uid) {
  return shortened(std::string(kGroupDescription) + key_of(service) + std::string(kInCluster) +
                   service.cluster_name + in_brackets_if_known(cluster_uid));
}

std::optional<MarkedService> service_in_name(std::string_view name) {
  if (!name.starts_with(kNameBegin) || name.size() >= kLongest) return std::nullopt;
  name.remove_prefix(kNameBegin.size());
  // Names of Services and namespaces have no underscore, a cluster's may have some.
  const std::size_t last = name.rfind('_');
  if (last == std::string_view::npos || last == 0) return std::nullopt;
  const std::size_t middle = name.rfind('_', last - 1);
  if (middle == std::string_view::npos || middle == 0) return std::nullopt;
  const std::string_view space = name.substr(middle + 1, last - middle - 1);
  const std::string_view service = name.substr(last + 1);
  if (space.empty() || service.empty()) return std::nullopt;
  return MarkedService{
      std::string(name.substr(0, middle)), std::string(space) + "/" + std::string(service), {}};
}

std::optional<MarkedService> service_in_description(std::string_view description) {
  if (description.size() >= kLongest) return std::nullopt;
  if (description.starts_with(kFloatingIpText)) {
    return split_at(description.substr(kFloatingIpText.size()), kFromCluster);
  }
  if (description.starts_with(kGroupDescription)) {
    return split_at(description.substr(kGroupDescription.size()), kInCluster);
  }
  return std::nullopt;
}

std::string_view cluster_in_tag(std::string_view tag) {
  return tag.starts_with(kClusterMark) ? tag.substr(kClusterMark.size()) : std::string_view();
}

bool is_manager_text(std::string_view description) {
  return description.starts_with(kFloatingIpText);
}

}  // namespace ccm::openstack
