// The contents of cloud.conf, typed: a struct for each section, its members named like the options,
// with the defaults of the Go manager (OS-40..OS-51, OS-107..OS-137). Plain values.
#pragma once

#include <ccm/secret.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ccm::openstack {

using std::chrono::milliseconds;

struct GlobalSettings {
  std::string auth_url;
  std::string os_endpoint_type;  // public, internal or admin; empty = public
  std::string region;
  std::vector<std::string> additional_region;
  std::string username;
  std::string user_id;
  Secret password;
  std::string tenant_id;
  std::string tenant_name;
  std::string tenant_domain_id;
  std::string tenant_domain_name;
  std::string user_domain_id;
  std::string user_domain_name;
  std::string domain_id;
  std::string domain_name;
  std::string trust_id;
  std::string trustee_id;
  Secret trustee_password;
  std::string application_credential_id;
  std::string application_credential_name;
  Secret application_credential_secret;
  Secret token;
  std::string ca_file;
  std::string cafilecontents;
  std::string cert_file;
  std::string key_file;
  std::string tls_insecure;  // only "true" turns verification off
  bool use_clouds = false;
  std::string clouds_file;
  std::string cloud;

  friend bool operator==(const GlobalSettings&, const GlobalSettings&) = default;
};

struct NetworkingSettings {
  bool ipv6_support_disabled = false;
  std::vector<std::string> public_network_name;
  std::vector<std::string> internal_network_name;
  std::string address_sort_order;

  friend bool operator==(const NetworkingSettings&, const NetworkingSettings&) = default;
};

struct MetadataSettings {
  std::string search_order = "configDrive,metadataService";
  milliseconds request_timeout{60'000};

  friend bool operator==(const MetadataSettings&, const MetadataSettings&) = default;
};

struct RouteSettings {
  std::string router_id;

  friend bool operator==(const RouteSettings&, const RouteSettings&) = default;
};

// A section [LoadBalancerClass "name"], which a Service chooses by an annotation.
struct LoadBalancerClass {
  std::string floating_network_id;
  std::string floating_subnet_id;
  std::string floating_subnet;
  std::string floating_subnet_tags;
  std::string network_id;
  std::string subnet_id;
  std::string member_subnet_id;

  friend bool operator==(const LoadBalancerClass&, const LoadBalancerClass&) = default;
};

struct LoadBalancerSettings {  // NOLINT: in the order of the documentation
  bool enabled = true;
  std::string lb_version;
  std::string lb_provider = "amphora";
  std::string lb_method = "ROUND_ROBIN";
  std::string subnet_id;
  std::string member_subnet_id;
  std::string network_id;
  std::string floating_network_id;
  std::string floating_subnet_id;
  std::string floating_subnet;
  std::string floating_subnet_tags;
  bool create_monitor = false;
  milliseconds monitor_delay{5'000};
  milliseconds monitor_timeout{3'000};
  uint32_t monitor_max_retries = 1;
  uint32_t monitor_max_retries_down = 3;
  bool manage_security_groups = false;
  bool internal_lb = false;
  std::string node_selector;
  bool cascade_delete = true;
  std::string flavor_id;
  std::string availability_zone;
  bool enable_ingress_hostname = false;
  std::string ingress_hostname_suffix = "nip.io";
  int32_t max_shared_lb = 2;
  milliseconds member_drain_timeout{0};
  std::string container_store = "barbican";
  std::string default_tls_container_ref;
  bool provider_requires_serial_api_calls = false;

  friend bool operator==(const LoadBalancerSettings&, const LoadBalancerSettings&) = default;
};

struct Settings {
  GlobalSettings global;
  NetworkingSettings networking;
  MetadataSettings metadata;
  RouteSettings route;
  LoadBalancerSettings load_balancer;
  std::map<std::string, LoadBalancerClass> load_balancer_classes;

  friend bool operator==(const Settings&, const Settings&) = default;
};

}  // namespace ccm::openstack
