// Names that others use: Kubernetes' own, upstream's Events, and this project's annotations.
#pragma once

#include <ccm/taints.hpp>

#include <string_view>

namespace ccm::service {

inline constexpr std::string_view kServices = "v1/services";
inline constexpr std::string_view kNodes = "v1/nodes";

inline constexpr std::string_view kFinalizer =
    "service.kubernetes.io/load-balancer-cleanup";  // SVC-8
inline constexpr std::string_view kSourceRangesAnnotation =
    "service.beta.kubernetes.io/load-balancer-source-ranges";  // SVC-75
inline constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
// "true": the load balancer outlives its Service.
inline constexpr std::string_view kRetainAnnotation =
    "cloud-controller-manager/retain-load-balancer";
// The id of a load balancer that the user transfers to this Service.
inline constexpr std::string_view kAdoptAnnotation = "cloud-controller-manager/adopt-load-balancer";

inline constexpr std::string_view kExcludeLabel =
    "node.kubernetes.io/exclude-from-external-load-balancers";  // SVC-58

// The kubelet's --node-ip, as it writes it with --cloud-provider=external (NODE-34).
inline constexpr std::string_view kProvidedNodeIp = "alpha.kubernetes.io/provided-node-ip";

// Conditions of a Service.
inline constexpr std::string_view kReadyCondition = "cloud-controller-manager/LoadBalancerReady";
inline constexpr std::string_view kPortsErrorCondition = "LoadBalancerPortsError";  // Kubernetes'
inline constexpr std::string_view kMixedProtocolReason = "LoadBalancerMixedProtocolNotSupported";
inline constexpr std::string_view kMixedProtocolError = "MixedProtocolNotSupported";

// Reasons of Events (SVC-65 to SVC-73).
inline constexpr std::string_view kEnsuring = "EnsuringLoadBalancer";
inline constexpr std::string_view kEnsured = "EnsuredLoadBalancer";
inline constexpr std::string_view kUnavailable = "UnAvailableLoadBalancer";
inline constexpr std::string_view kSyncFailed = "SyncLoadBalancerFailed";
inline constexpr std::string_view kDeleting = "DeletingLoadBalancer";
inline constexpr std::string_view kDeleted = "DeletedLoadBalancer";
inline constexpr std::string_view kDeleteFailed = "DeleteLoadBalancerFailed";
inline constexpr std::string_view kUpdated = "UpdatedLoadBalancer";
inline constexpr std::string_view kUpdateFailed = "UpdateLoadBalancerFailed";
// A provider's reason: the load balancer belongs to somebody else (ccm/abi/loadbalancers.h).
inline constexpr std::string_view kProvidersNotOwned = "NotOwned";
// The host's reason: the brake holds a deletion back (the same page).
inline constexpr std::string_view kHostsBrake = "DeletionBrakeEngaged";
// The host's reasons: this Service's namespace has had as many changes as it may have; its load
// balancer was replaced a while ago, and another one is not made yet.
inline constexpr std::string_view kHostsChangesLimited = "ChangesLimited";
inline constexpr std::string_view kHostsReplacementHeld = "ReplacementHeld";
// Reasons that upstream does not have.
inline constexpr std::string_view kDeletionHeld = "DeletionHeld";
inline constexpr std::string_view kRetained = "LoadBalancerRetained";
inline constexpr std::string_view kRetentionRefused = "LoadBalancerRetentionRefused";
inline constexpr std::string_view kNotOwned = "LoadBalancerNotOwned";
inline constexpr std::string_view kReplaced = "LoadBalancerReplaced";
inline constexpr std::string_view kDrift = "LoadBalancerDrift";
inline constexpr std::string_view kStatusOverwritten = "LoadBalancerStatusOverwritten";
inline constexpr std::string_view kAnnotationRemoved = "LoadBalancerAnnotationRemoved";
inline constexpr std::string_view kReplacementHeld = "LoadBalancerReplacementHeld";
inline constexpr std::string_view kNoMembers = "NoMembers";  // of the condition
// Reasons of Events on Nodes.
inline constexpr std::string_view kInstanceOfAnother = "InstanceOfAnotherNode";
inline constexpr std::string_view kMembershipFlaps = "LoadBalancerMembershipFlaps";

}  // namespace ccm::service
