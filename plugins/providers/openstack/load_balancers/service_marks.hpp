// The texts in the cloud that say for which Service and cluster an object is (OS-217..OS-225,
// OS-307): names, tags and descriptions, those of the Go manager with more at their end. Any
// thread; takes any bytes.
#pragma once

#include <ccm/load_balancer.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace ccm::openstack {

// "kube_service_CLUSTER_NAMESPACE_NAME", 255 bytes at most (OS-217).
std::string load_balancer_name(const LoadBalancerService& service);
// "ccm-service:UID".
std::string service_mark(const LoadBalancerService& service);
// "ccm-cluster:UID", of the namespace kube-system; empty without an UID.
std::string cluster_mark(const std::string& cluster_uid);
// "lb-sg-UID-NAMESPACE-NAME".
std::string security_group_name(const LoadBalancerService& service);

// The Go manager's text, and the cluster's UID in brackets if it is known.
std::string load_balancer_description(const LoadBalancerService& service,
                                      const std::string& cluster_uid);
std::string floating_ip_description(const LoadBalancerService& service,
                                    const std::string& cluster_uid);
std::string security_group_description(const LoadBalancerService& service,
                                       const std::string& cluster_uid);

struct MarkedService {
  std::string cluster;      // --cluster-name
  std::string service;      // "NAMESPACE/NAME"
  std::string cluster_uid;  // empty = not said

  [[nodiscard]] std::string namespace_name() const { return service.substr(0, service.find('/')); }
  // Whether it is a Service of this cluster, as far as it says.
  [[nodiscard]] bool is_of(const std::string& cluster_name, const std::string& uid) const {
    if (!cluster_uid.empty() && !uid.empty()) return cluster_uid == uid;
    return cluster == cluster_name;
  }
};
// Nothing for other texts, and for those that a limit of the cloud may have cut.
std::optional<MarkedService> service_in_name(std::string_view name);
std::optional<MarkedService> service_in_description(std::string_view description);
// The UID in a "ccm-cluster:UID"; empty = another tag.
std::string_view cluster_in_tag(std::string_view tag);

// Whether a manager made the floating IP of that description, for whatever Service.
bool is_manager_text(std::string_view description);

}  // namespace ccm::openstack
