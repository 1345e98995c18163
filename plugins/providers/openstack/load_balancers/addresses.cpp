#include "addresses.hpp"

#include "annotations.hpp"
#include "openstack/compute/provider_id.hpp"
#include "openstack/network/name_pattern.hpp"
#include "ownership.hpp"

#include <ccm/host_name.hpp>
#include <ccm/namespace_rules.hpp>

#include <algorithm>
#include <utility>

namespace ccm::openstack {
namespace {

constexpr const char* kRefused = "FloatingIPRefused";
constexpr milliseconds kNodesPause{2'000};
constexpr std::size_t kMostSubnets = 256;  // Services name them

Status refused_address(std::string why) {
  return Status(Code::failed_precondition, ErrorClass::invalid_spec, std::move(why))
      .with_reason(kRefused);
}

// Somebody else's step ends it, which may come at any moment.
Status not_yet(std::string why) {
  return Status(Code::failed_precondition, ErrorClass::unavailable, std::move(why))
      .with_reason(kRefused);
}

}  // namespace

// No fault while the Nodes are not initialised: the cluster has only begun.
Status no_subnet(const Backends& backends) {
  const bool initialised =
      std::any_of(backends.begin(), backends.end(), [](const Backend& backend) {
        return !backend.provider_id.empty() && !backend.addresses.empty();
      });
  if (!initialised) {
    return Status(Code::failed_precondition, ErrorClass::waiting,
                  "no Node has its provider ID and an address yet")
        .with_retry_after(kNodesPause);
  }
  return Status(Code::failed_precondition, ErrorClass::unavailable,
                "no Node has an address on a subnet of Neutron: set [LoadBalancer] subnet-id in "
                "cloud.conf")
      .with_reason("NoSubnet");
}

bool keeps_floating_ip(const Config& config, const LoadBalancerService& service) {
  return Annotations(service.object).boolean(annotation::kKeepFloatingip, false) &&
         may_retain_load_balancers(config, service.namespace_name);
}

std::vector<Ingress> ingress_of(const ServiceOptions& options, const Addresses::Address& address) {
  const bool proxy = !options.proxy_protocol.empty();
  Ingress named;
  named.hostname = options.hostname;
  if (named.hostname.empty() && proxy && !options.ingress_suffix.empty()) {
    named.hostname = address.text + "." + options.ingress_suffix;
  }
  // An address of IPv6 is no part of a name, and the API server would refuse the whole status.
  if (is_host_name(named.hostname)) return {named};
  std::vector<Ingress> list;
  for (const std::string& each : {address.text, address.second}) {
    if (each.empty()) continue;
    Ingress& one = list.emplace_back();
    one.ip = each;
    one.ip_mode = proxy ? "Proxy" : "VIP";
  }
  return list;
}

Task<Result<std::string>> Addresses::floating_address(Ctx ctx,
                                                      const ExistingLoadBalancer& balancer) {
  auto found = co_await floating_.of_port(ctx, balancer.vip_port_id);
  if (!found.ok()) co_return found.status();
  co_return *found ? (*found)->address : std::string();
}

Task<Result<Addresses::Address>> Addresses::address_for(Ctx ctx, const LoadBalancerService& service,
                                                        const ServiceOptions& options,
                                                        const ExistingLoadBalancer& balancer,
                                                        bool make, std::vector<Problem>& problems) {
  const std::string six = balancer.address_of("IPv6");
  const bool both = service.ip_families.size() == 2;
  const bool six_alone = !six.empty() && !both && family_of(service) == "IPv6";
  if (six_alone || balancer.address_of("IPv4").empty()) co_return Address{six, {}, {}};
  auto address = co_await ipv4(ctx, service, options, balancer, make, problems);
  if (address.ok() && both) address->second = six;
  co_return address;
}

Task<Result<Addresses::Address>> Addresses::ipv4(Ctx ctx, const LoadBalancerService& service,
                                                 const ServiceOptions& options,
                                                 const ExistingLoadBalancer& balancer, bool make,
                                                 std::vector<Problem>& problems) {
  if (options.internal) {
    auto address = co_await internal(ctx, service, options, balancer, make);
    co_return address;
  }
  auto found = co_await floating_address(ctx, balancer);
  if (!found.ok()) co_return found.status();
  if (!found->empty()) co_return Address{*found, {}, {}};  // OS-286
  const auto network = co_await floating_network(ctx, options);
  if (!network.ok()) co_return network.status();
  if (network->empty()) {  // OS-289
    problems.push_back({"LoadBalancerForcedInternal",
                        "no network leads outside, so the load balancer is reachable from inside "
                        "alone"});
    co_return Address{balancer.address_of("IPv4"), {}, {}};
  }
  if (!make) co_return Address{};
  auto made = co_await make_floating(ctx, service, options, balancer, *network);
  co_return made;
}

Task<Result<std::string>> Addresses::floating_network(Ctx ctx, const ServiceOptions& options) {
  if (!options.floating.network_id.empty()) co_return options.floating.network_id;
  auto found = co_await floating_.external_network(ctx);
  co_return found;
}

// OS-284. It was external before.
Task<Result<Addresses::Address>> Addresses::internal(Ctx ctx, const LoadBalancerService& service,
                                                     const ServiceOptions& options,
                                                     const ExistingLoadBalancer& balancer,
                                                     bool make) {
  Address address{balancer.address_of("IPv4"), {}, {}};
  if (other_users(service, balancer) > 0) co_return address;
  const auto found = co_await floating_.of_port(ctx, balancer.vip_port_id);
  if (!found.ok()) co_return found.status();
  if (!*found) co_return address;
  if (!make) co_return Address{};
  const auto own = co_await is_own(ctx, service, balancer, **found);
  if (!own.ok()) co_return own.status();
  const std::string id = (*found)->id;
  Status status;
  if (*own && !options.keep_floating_ip) {
    status = co_await floating_.remove(ctx, id);
  } else {
    status = co_await floating_.attach(ctx, id, "");
  }
  if (!status.ok()) co_return status;
  address.done = "floating IP removed";
  co_return address;
}

Task<Result<Addresses::Address>> Addresses::make_floating(Ctx ctx,
                                                          const LoadBalancerService& service,
                                                          const ServiceOptions& options,
                                                          const ExistingLoadBalancer& balancer,
                                                          std::string network_id) {
  if (other_users(service, balancer) > 0 && !may_make_public(service, balancer)) {
    co_return not_yet(  // OS-285
        "the load balancer is shared and has no floating IP: only the Service that it is named "
        "after can get one");
  }
  NewFloatingIp wanted;
  wanted.port_id = balancer.vip_port_id;
  wanted.network_id = std::move(network_id);
  const auto cluster = co_await cluster_.get(ctx);
  if (!cluster.ok()) co_return cluster.status();
  wanted.description = floating_ip_description(service, *cluster);
  if (!service.requested_ip.empty()) {  // OS-287
    const auto found = co_await floating_.of_address(ctx, service.requested_ip);
    if (!found.ok()) co_return found.status();
    if (*found && !(*found)->port_id.empty()) {
      co_return not_yet("the floating IP " + service.requested_ip +
                        " of spec.loadBalancerIP is in use elsewhere");
    }
    if (*found) {
      Status may = co_await may_take(ctx, service, **found);
      if (!may.ok()) co_return may;
      const std::string id = (*found)->id;
      Status attached = co_await floating_.attach(ctx, id, balancer.vip_port_id);
      if (!attached.ok()) {
        attached = co_await why_refused(ctx, std::move(attached), balancer);
        co_return attached;
      }
      co_return Address{service.requested_ip, "floating IP", {}};
    }
    wanted.address = service.requested_ip;
  }
  const auto made = co_await create(ctx, std::move(wanted), options.floating);
  if (!made.ok()) {
    Status failed = co_await why_refused(ctx, made.status(), balancer);
    co_return std::move(failed).with_context("floating IP");
  }
  co_return Address{made->address, "floating IP", {}};
}

// Neutron says 404: no router leads from an external network to itself.
Task<Status> Addresses::why_refused(Ctx ctx, Status failed, const ExistingLoadBalancer& balancer) {
  const bool may_be_outside = failed.refused() || failed.error_class() == ErrorClass::not_found;
  if (!may_be_outside || balancer.vip_network_id.empty()) co_return failed;
  const auto outside = co_await floating_.is_external(ctx, balancer.vip_network_id);
  if (!outside.ok() || !*outside) co_return failed;
  co_return refused_address("the load balancer's address " + balancer.vip_address +
                            " is on an external network, where no floating IP leads to it. It "
                            "needs none: set internal-lb "
                            "in cloud.conf, or the annotation " +
                            std::string(annotation::kOpenstackInternalLoadBalancer) +
                            " to \"true\"");
}

// OS-243, OS-288: with a pattern or tags each subnet that fits is tried.
Task<Result<FloatingIp>> Addresses::create(Ctx ctx, NewFloatingIp wanted,
                                           const FloatingSource& source) {
  wanted.subnet_id = source.subnet_id;
  if (!source.subnet_id.empty() && !source.network_id.empty()) {
    const auto subnet = co_await floating_.subnet(ctx, source.subnet_id);
    // Subnets of a network of others may be hidden; then Neutron decides.
    const bool hidden = subnet.status().error_class() == ErrorClass::not_found;
    if (!subnet.ok() && !hidden) co_return subnet.status();
    if (subnet.ok() && subnet->network_id != source.network_id) {
      co_return refused_address("the floating subnet " + source.subnet_id +
                                " is not on the floating network " + source.network_id);
    }
  }
  const bool chosen = !source.subnet_pattern.empty() || !source.subnet_tags.empty();
  if (!source.subnet_id.empty() || !wanted.address.empty() || !chosen) {
    auto made = co_await floating_.create(ctx, std::move(wanted));
    co_return made;
  }
  const auto pattern = NamePattern::parse(source.subnet_pattern.empty() ? std::string_view("**")
                                                                        : source.subnet_pattern);
  if (!pattern.ok()) co_return pattern.status();
  const auto subnets =
      co_await floating_.subnets(ctx, wanted.network_id, tag_query(source.subnet_tags));
  if (!subnets.ok()) co_return subnets.status();
  Result<FloatingIp> last = refused_address(
      "no subnet of the floating network fits floating-subnet and "
      "floating-subnet-tags");
  for (const Subnet& subnet : *subnets) {
    if (!pattern->fits(subnet.name)) continue;
    NewFloatingIp attempt = wanted;
    attempt.subnet_id = subnet.id;
    auto made = co_await floating_.create(ctx, std::move(attempt));
    if (made.ok()) co_return made;
    last = made.status();
  }
  co_return last;
}

Task<Result<bool>> Addresses::is_own(Ctx ctx, const LoadBalancerService& service,
                                     const ExistingLoadBalancer& balancer, FloatingIp address) {
  const auto described = service_in_description(address.description);
  const auto named = service_in_name(balancer.name);
  if (service.uid.empty()) {
    co_return described&& named && named->service == described->service &&
        named->cluster == described->cluster;
  }
  const auto cluster = co_await cluster_.get(ctx);
  if (!cluster.ok()) co_return cluster.status();
  if (address.description == floating_ip_description(service, *cluster)) co_return true;
  if (!described || described->namespace_name() != service.namespace_name) co_return false;
  const bool of_older_name =
      described->cluster_uid.empty() && named && named->cluster == described->cluster;  // OS-313
  const bool of_cluster = described->is_of(service.cluster_name, *cluster) || of_older_name;
  const bool for_another = described->service != service.namespace_name + "/" + service.name;
  co_return of_cluster && !(for_another && service.requested_ip == address.address);
}

Task<Status> Addresses::may_take(Ctx ctx, const LoadBalancerService& service,
                                 const FloatingIp& found) {
  if (!is_manager_text(found.description)) co_return Status();
  const auto cluster = co_await cluster_.get(ctx);
  if (!cluster.ok()) co_return cluster.status();
  if (found.description == floating_ip_description(service, *cluster)) co_return Status();
  const auto described = service_in_description(found.description);
  const bool may = described && described->is_of(service.cluster_name, *cluster) &&
                   described->namespace_name() == service.namespace_name;
  if (may) co_return Status();
  co_return refused_address("the floating IP " + found.address +
                            " of spec.loadBalancerIP is kept for a Service of another namespace or "
                            "cluster, as its description in the cloud says");
}

Task<Status> Addresses::release(Ctx ctx, const LoadBalancerService& service,
                                const ExistingLoadBalancer& balancer) {
  if (balancer.address_of("IPv4").empty() || keeps_floating_ip(host_.config, service)) {
    co_return Status();
  }
  const auto found = co_await floating_.of_port(ctx, balancer.vip_port_id);
  if (!found.ok()) co_return found.status();
  if (!*found) co_return Status();
  const auto own = co_await is_own(ctx, service, balancer, **found);
  if (!own.ok()) co_return own.status();
  if (!*own) co_return Status();
  const std::string id = (*found)->id;
  Status removed = co_await floating_.remove(ctx, id);
  co_return removed;
}

Task<Status> Addresses::leave(Ctx ctx, const LoadBalancerService& service,
                              const ExistingLoadBalancer& balancer) {
  if (balancer.address_of("IPv4").empty()) co_return Status();
  const bool alone = other_users(service, balancer) == 0;
  const bool keeps = keeps_floating_ip(host_.config, service);
  if (alone ? keeps : others_of_namespace(service, balancer)) co_return Status();
  const auto found = co_await floating_.of_port(ctx, balancer.vip_port_id);
  if (!found.ok()) co_return found.status();
  if (!*found) co_return Status();
  const auto own = co_await is_own(ctx, service, balancer, **found);
  if (!own.ok()) co_return own.status();
  const std::string id = (*found)->id;
  const bool asked = !alone && (*found)->address == service.requested_ip;
  Status gone;
  if (*own && !keeps) {
    gone = co_await floating_.remove(ctx, id);
  } else if (*own || asked) {
    gone = co_await floating_.attach(ctx, id, "");
  }
  co_return gone;
}

Task<Result<std::string>> Addresses::subnet_of_nodes(Ctx ctx, const Backends& backends,
                                                     const std::string& family) {
  for (const Backend& backend : backends) {
    const auto id = parse_provider_id(backend.provider_id);
    const std::string address = member_address(backend, family);
    if (!id.ok() || address.empty()) continue;  // OS-434
    auto found = co_await floating_.subnet_of(ctx, id->server, address);
    if (!found.ok() || !found->empty()) co_return found;
  }
  co_return std::string();
}

Task<Result<std::string>> Addresses::subnet_on(Ctx ctx, std::string network_id,
                                               const std::string& family) {
  const auto subnets = co_await floating_.subnets(ctx, std::move(network_id), {});
  if (!subnets.ok()) co_return subnets.status();
  const int64_t version = family == "IPv6" ? 6 : 4;
  for (const Subnet& subnet : *subnets) {
    if (subnet.ip_version == version) co_return subnet.id;
  }
  co_return std::string();
}

Task<Result<Subnet>> Addresses::subnet(Ctx ctx, std::string id) {
  const auto known = subnets_.find(id);
  if (known != subnets_.end()) co_return known->second;
  auto found = co_await floating_.subnet(ctx, id);
  if (found.ok() && subnets_.size() < kMostSubnets) subnets_.emplace(std::move(id), *found);
  co_return found;
}

Task<Result<std::string>> Addresses::second_subnet(Ctx ctx, const Backends& backends,
                                                   const std::string& family, std::string subnet_id,
                                                   std::string network_id) {
  const auto found = co_await subnet_of_nodes(ctx, backends, family);
  if (!found.ok() || found->empty()) co_return found;
  const auto second = co_await floating_.subnet(ctx, *found);
  if (!second.ok()) co_return second.status();
  if (!subnet_id.empty()) {
    const auto first = co_await floating_.subnet(ctx, std::move(subnet_id));
    if (!first.ok()) co_return first.status();
    network_id = first->network_id;
  }
  co_return second->network_id == network_id ? second->id : std::string();
}

}  // namespace ccm::openstack
