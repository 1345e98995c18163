#include "options.hpp"

namespace ccm::openstack {

std::span<const Option<GlobalSettings>> global_options() {
  using G = GlobalSettings;
  static constexpr Option<G> kOptions[] = {
      {"auth-url", &G::auth_url, "URL of Keystone, with or without /v3."},
      {"os-endpoint-type", &G::os_endpoint_type,
       "Which endpoints of the catalog are used: public (as when it is empty), internal or admin."},
      {"region", &G::region,
       "Region whose endpoints are used, and whose name nodes get as a label."},
      {"additional-region", &G::additional_region,
       "Another region of the same Keystone whose servers are nodes; may be repeated. Needs "
       "region."},
      {"username", &G::username, "Name of the user; needs user-domain-id or user-domain-name."},
      {"user-id", &G::user_id, "ID of the user, instead of the name."},
      {"password", &G::password, "The user's password."},
      {"tenant-id", &G::tenant_id, "ID of the project."},
      {"tenant-name", &G::tenant_name,
       "Name of the project; needs tenant-domain-id or tenant-domain-name."},
      {"tenant-domain-id", &G::tenant_domain_id, "ID of the project's domain."},
      {"tenant-domain-name", &G::tenant_domain_name, "Name of the project's domain."},
      {"user-domain-id", &G::user_domain_id, "ID of the user's domain."},
      {"user-domain-name", &G::user_domain_name, "Name of the user's domain."},
      {"domain-id", &G::domain_id,
       "ID of the domain of user and project, where they have none of their own."},
      {"domain-name", &G::domain_name,
       "Name of the domain of user and project, where they have none of their own."},
      {"trust-id", &G::trust_id,
       "ID of the trust that is the scope; the user, or the trustee, is the one whom it is for."},
      {"trustee-id", &G::trustee_id, "ID of the trustee, with a trust; it replaces the user."},
      {"trustee-password", &G::trustee_password, "The trustee's password; it replaces the user's."},
      {"application-credential-id", &G::application_credential_id,
       "ID of an application credential."},
      {"application-credential-name", &G::application_credential_name,
       "Name of an application credential; needs its user."},
      {"application-credential-secret", &G::application_credential_secret,
       "The application credential's secret."},
      {"token", &G::token, "A token of Keystone's; it cannot be renewed once it has expired."},
      {"ca-file", &G::ca_file, "PEM file of the CAs that are trusted instead of the system's."},
      {"cafilecontents", &G::cafilecontents,
       "The text of such a file, used when ca-file is empty."},
      {"cert-file", &G::cert_file, "PEM file of the client certificate, with key-file."},
      {"key-file", &G::key_file, "PEM file of the client certificate's key."},
      {"tls-insecure", &G::tls_insecure,
       "\"true\" turns the verification of servers' certificates off."},
      {"use-clouds", &G::use_clouds, "Take what is missing here from clouds.yaml."},
      {"clouds-file", &G::clouds_file, "Path of clouds.yaml."},
      {"cloud", &G::cloud, "Name of the cloud in clouds.yaml."},
  };
  return kOptions;
}

std::span<const Option<NetworkingSettings>> networking_options() {
  using N = NetworkingSettings;
  static constexpr Option<N> kOptions[] = {
      {"ipv6-support-disabled", &N::ipv6_support_disabled, "Leave IPv6 addresses of nodes out."},
      {"public-network-name", &N::public_network_name,
       "Name of a network whose addresses are external ones; may be repeated."},
      {"internal-network-name", &N::internal_network_name,
       "Name of a network whose addresses are internal ones; may be repeated. With one, the "
       "addresses of other "
       "networks are left out."},
      {"address-sort-order", &N::address_sort_order,
       "CIDRs, separated by commas: addresses in the first one come first."},
  };
  return kOptions;
}

std::span<const Option<MetadataSettings>> metadata_options() {
  using M = MetadataSettings;
  static constexpr Option<M> kOptions[] = {
      {"search-order", &M::search_order,
       "Checked, and of no effect: nothing is asked of the config drive or the metadata service."},
      {"request-timeout", &M::request_timeout,
       "Time limit of a request to any service of OpenStack."},
  };
  return kOptions;
}

std::span<const Option<RouteSettings>> route_options() {
  static constexpr Option<RouteSettings> kOptions[] = {
      {"router-id", &RouteSettings::router_id,
       "ID of the router that gets routes to the pods of each node."},
  };
  return kOptions;
}

std::span<const Option<LoadBalancerSettings>> load_balancer_options() {
  using L = LoadBalancerSettings;
  static constexpr Option<L> kOptions[] = {
      {"enabled", &L::enabled, "Offer load balancers; counts at the start."},
      {"lb-version", &L::lb_version, "v2 or empty: there is no other version any more."},
      {"lb-provider", &L::lb_provider,
       "Octavia's provider for new load balancers; existing ones keep theirs."},
      {"lb-method", &L::lb_method,
       "How a pool chooses a member; the provider ovn always has SOURCE_IP_PORT."},
      {"subnet-id", &L::subnet_id,
       "Subnet of the load balancer's address; without it and network-id, the subnet of the first "
       "Node that has an address on one."},
      {"member-subnet-id", &L::member_subnet_id,
       "Subnet of the Nodes' addresses; without it subnet-id, without both that of the load "
       "balancer's address."},
      {"network-id", &L::network_id, "Network of the load balancer's address."},
      {"floating-network-id", &L::floating_network_id,
       "External network that floating IPs come from; without it the first network that leads "
       "outside and has IPv4."},
      {"floating-subnet-id", &L::floating_subnet_id,
       "Subnet of that network that floating IPs come from."},
      {"floating-subnet", &L::floating_subnet,
       "Names of such subnets, which are tried in turn: a name pattern."},
      {"floating-subnet-tags", &L::floating_subnet_tags, "Tags of such subnets."},
      {"create-monitor", &L::create_monitor,
       "Make health monitors; externalTrafficPolicy: Local has them anyway."},
      {"monitor-delay", &L::monitor_delay,
       "Time between two checks of a member, in whole seconds."},
      {"monitor-timeout", &L::monitor_timeout, "Time limit of a check, in whole seconds."},
      {"monitor-max-retries", &L::monitor_max_retries,
       "Successes after which a member is online, 1 to 10."},
      {"monitor-max-retries-down", &L::monitor_max_retries_down,
       "Failures after which a member is in error, 1 to 10."},
      {"manage-security-groups", &L::manage_security_groups,
       "A security group on the Nodes' ports lets the load balancer in."},
      {"internal-lb", &L::internal_lb,
       "No Service gets a floating IP, whatever its annotations say."},
      {"node-selector", &L::node_selector,
       "Labels of the Nodes that take traffic: key=value or key, separated by commas."},
      {"cascade-delete", &L::cascade_delete,
       "Delete a load balancer with all its parts in one request; else listeners and pools first."},
      {"flavor-id", &L::flavor_id, "Octavia's flavor of new load balancers."},
      {"availability-zone", &L::availability_zone,
       "Octavia's availability zone of new load balancers."},
      {"enable-ingress-hostname", &L::enable_ingress_hostname,
       "With the PROXY protocol the Service's status has the name ADDRESS.SUFFIX."},
      {"ingress-hostname-suffix", &L::ingress_hostname_suffix, "The SUFFIX of that name."},
      {"member-drain-timeout", &L::member_drain_timeout,
       "How long a member whose Node leaves has weight 0, so that its connections may end, before "
       "it is removed; 0s: removed at once."},
      {"max-shared-lb", &L::max_shared_lb, "How many Services may share a load balancer; 1: none."},
      {"container-store", &L::container_store,
       "Where certificates are looked up: barbican; external: nowhere."},
      {"default-tls-container-ref", &L::default_tls_container_ref,
       "URL of a certificate for all Services, where an annotation names none."},
      {"provider-requires-serial-api-calls", &L::provider_requires_serial_api_calls,
       "Load balancers are made piece by piece, and members one by one."},
  };
  return kOptions;
}

std::span<const Option<LoadBalancerClass>> load_balancer_class_options() {
  using C = LoadBalancerClass;
  static constexpr Option<C> kOptions[] = {
      {"floating-network-id", &C::floating_network_id,
       "External network that floating IPs come from."},
      {"floating-subnet-id", &C::floating_subnet_id, "Subnet of that network."},
      {"floating-subnet", &C::floating_subnet, "Names of such subnets."},
      {"floating-subnet-tags", &C::floating_subnet_tags, "Tags of such subnets."},
      {"network-id", &C::network_id, "Network of the load balancer's address."},
      {"subnet-id", &C::subnet_id, "Subnet of the load balancer's address."},
      {"member-subnet-id", &C::member_subnet_id, "Subnet of the members."},
  };
  return kOptions;
}

}  // namespace ccm::openstack
