// Names, tags and descriptions by which the Go manager and this one know their load balancers
// (AWS-62, 68, 89, 99, 109, 112). Any thread; takes any bytes.
#pragma once

#include "aws/cluster.hpp"

#include <ccm/load_balancer.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace ccm::aws {

using Tags = std::map<std::string, std::string, std::less<>>;

// The UID of the Service that a load balancer with a name of the user's choice is for.
inline constexpr std::string_view kServiceUidTag = "cloud-controller-manager/service-uid";
// One for each Service that shares a load balancer: this, its UID = "NAMESPACE/NAME".
inline constexpr std::string_view kGuestTagPrefix = "cloud-controller-manager/shared-with/";
// On a Service: a digest of its options that no listing of AWS shows, as they were applied, unless
// they always were the usual ones.
inline constexpr std::string_view kAppliedOptions = "cloud-controller-manager/aws-applied-options";
// Its value while these options are being changed, and where the Service does not decide alone:
// what the load balancer has is to be read.
inline constexpr std::string_view kUnknownOptions = "unknown";
// On a Service: which options it has had that are taken back with the annotation that gave them.
// What it never had may be somebody's by hand.
inline constexpr std::string_view kOwnOptions = "cloud-controller-manager/aws-own-options";
inline constexpr std::string_view kOwnCertificates = "certificates";
inline constexpr std::string_view kOwnGroupAttributes = "target-group-attributes";

// "a" and the UID without dashes, 32 characters at most (AWS-62). The same text for any object of
// the same UID, so it is a proof of whose a load balancer is: users do not choose UIDs.
std::string load_balancer_name(std::string_view uid);
// Whether it is a name that load_balancer_name() makes.
bool is_made_name(std::string_view name);
// "NAMESPACE/NAME".
std::string service_key(const LoadBalancerService& service);

// All that a target group's name depends on (AWS-99).
struct TargetGroupName {
  std::string_view cluster_id;
  std::string_view namespace_name;
  std::string_view service_name;
  int32_t port = 0;
  int32_t node_port = 0;
  std::string_view protocol;
  std::string_view health_protocol;
  int64_t health_interval = 0;
};
std::string target_group_name(const TargetGroupName& of);
// What all names of the Service's target groups begin with; others may, too.
std::string target_group_prefix(const LoadBalancerService& service);

// "k8s-elb-NAME" (AWS-89).
std::string classic_group_name(const std::string& load_balancer);
std::string classic_group_description(const std::string& load_balancer,
                                      const LoadBalancerService& service);
// What the SHA-256 in managed_group_name() is over (AWS-112): name before namespace.
std::string managed_group_seed(const LoadBalancerService& service);
// "k8s-NAMESPACE-NAME-DIGEST", with the first 8, 8 and 10 characters; `digest` in hexadecimal.
std::string managed_group_name(const LoadBalancerService& service, std::string_view digest);
inline constexpr std::string_view kManagedGroupDescription =
    "[k8s] Managed SecurityGroup for LoadBalancer";

// Descriptions of rules in the Nodes' security groups (AWS-109).
inline constexpr std::string_view kClientRule = "kubernetes.io/rule/nlb/client=";
inline constexpr std::string_view kHealthRule = "kubernetes.io/rule/nlb/health=";
inline constexpr std::string_view kMtuRule = "kubernetes.io/rule/nlb/mtu";

}  // namespace ccm::aws
