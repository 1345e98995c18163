#include "names.hpp"

#include "aws/digests/sha1.hpp"

#include <ccm/hexadecimal.hpp>

#include <algorithm>
#include <iterator>

namespace ccm::aws {
namespace {

constexpr std::size_t kLongestName = 32;
constexpr std::size_t kPartOfName = 8;
constexpr std::size_t kPartOfDigest = 10;

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string first_alphanumerics(std::string_view text) {
  std::string kept;
  for (const char c : text) {
    if (kept.size() == kPartOfName) break;
    if (is_alphanumeric(c)) kept += c;
  }
  return kept;
}

std::string name_with_digest(std::string_view namespace_name, std::string_view name,
                             std::string_view digest) {
  return "k8s-" + first_alphanumerics(namespace_name) + "-" + first_alphanumerics(name) + "-" +
         std::string(digest.substr(0, kPartOfDigest));
}

}  // namespace

std::string load_balancer_name(std::string_view uid) {
  std::string name = "a";
  std::copy_if(uid.begin(), uid.end(), std::back_inserter(name), [](char c) { return c != '-'; });
  return name.substr(0, kLongestName);
}

bool is_made_name(std::string_view name) {
  return name.size() == kLongestName && name.front() == 'a' &&
         name.find_first_not_of(kHexadecimalDigits) == std::string_view::npos;
}

std::string service_key(const LoadBalancerService& service) {
  return service.namespace_name + "/" + service.name;
}

std::string target_group_name(const TargetGroupName& of) {
  std::string seed;
  seed.append(of.cluster_id).append(of.namespace_name).append(of.service_name);
  seed += std::to_string(of.port) + std::to_string(of.node_port);
  seed.append(of.protocol).append("instance").append(of.health_protocol);
  seed += std::to_string(of.health_interval);
  return name_with_digest(of.namespace_name, of.service_name, sha1_hex(seed));
}

std::string target_group_prefix(const LoadBalancerService& service) {
  return name_with_digest(service.namespace_name, service.name, "");
}

std::string classic_group_name(const std::string& load_balancer) {
  return "k8s-elb-" + load_balancer;
}

std::string classic_group_description(const std::string& load_balancer,
                                      const LoadBalancerService& service) {
  return "Security group for Kubernetes ELB " + load_balancer + " (" + service_key(service) + ")";
}

std::string managed_group_seed(const LoadBalancerService& service) {
  return service.cluster_name + service.name + service.namespace_name + service.uid;
}

std::string managed_group_name(const LoadBalancerService& service, std::string_view digest) {
  return name_with_digest(service.namespace_name, service.name, digest);
}

}  // namespace ccm::aws
