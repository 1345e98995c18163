// The contents of --cloud-config, typed; members are named like the keys, with the defaults of the
// Go manager (AWS-10 to AWS-24). Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ccm::aws {

// [ServiceOverride "n"]
struct ServiceOverride {
  std::string service;
  std::string region;
  std::string url;
  std::string signing_region;
  std::string signing_method;  // without effect
  std::string signing_name;    // empty = the service's

  bool operator==(const ServiceOverride&) const = default;
};

struct Settings {
  std::string zone;
  std::string region;
  std::string vpc;
  std::string subnet_id;
  std::string route_table_id;
  std::string role_arn;
  std::string source_arn;
  // KubernetesClusterID, or the legacy KubernetesClusterTag; empty = from the tags of the instance.
  std::string cluster_id;
  bool legacy_tag =
      false;  // KubernetesClusterTag: what is made gets KubernetesCluster=<id> as well
  bool disable_security_group_ingress = false;
  std::string elb_security_group;
  std::vector<std::string> node_ip_families{"ipv4"};  // "ipv4", "ipv6", in order
  // "", "ServiceNodePort", "Shared", or a word that each load balancer refuses (AWS-21).
  std::string health_probe_mode;
  int32_t shared_health_probe_port = 10256;
  std::string shared_health_probe_path = "/healthz";
  std::string topology_instance_types;  // SupportedTopologyInstanceTypePattern; empty = AWS-22's
  // "", "Managed", or a word that each Network Load Balancer refuses (AWS-23).
  std::string nlb_security_group_mode;
  std::vector<ServiceOverride> overrides;

  // Whether both lead to the same cluster with the same keys; the other settings may differ.
  [[nodiscard]] bool same_access(const Settings& other) const {
    return zone == other.zone && region == other.region && vpc == other.vpc &&
           role_arn == other.role_arn && source_arn == other.source_arn &&
           cluster_id == other.cluster_id && legacy_tag == other.legacy_tag &&
           overrides == other.overrides;
  }
};

}  // namespace ccm::aws
