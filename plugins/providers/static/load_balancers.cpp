#include "load_balancers.hpp"

#include "address_choice.hpp"
#include "address_request.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace ccm::static_provider {
namespace {

LoadBalancer with_addresses(const std::vector<Address>& addresses, std::string difference) {
  LoadBalancer balancer;
  balancer.state = LoadBalancerState::active;
  balancer.id = text_of(addresses);
  balancer.difference = std::move(difference);
  for (const Address& address : addresses) balancer.ingress.emplace_back().ip = address.text();
  return balancer;
}

LoadBalancer foreign_balancer() {
  LoadBalancer balancer;
  balancer.state = LoadBalancerState::foreign;
  return balancer;
}

}  // namespace

// A Service that comes back from a backup has its id, and no status.
std::vector<Address> LoadBalancers::held_by(const LoadBalancerService& service) const {
  std::vector<Address> held = holders_.of(service);
  if (held.empty()) held = parse_addresses(service.id);
  return held;
}

// Everybody who may write a Service can write an id into its annotations.
bool LoadBalancers::is_foreign(const LoadBalancerService& service) {
  if (!service.adopt_id.empty() || !holders_.of(service).empty()) return false;
  const std::vector<Address> recorded = parse_addresses(service.id);
  return std::any_of(recorded.begin(), recorded.end(), [&](const Address& address) {
    return holders_.other(address, service) != nullptr;
  });
}

Result<std::vector<Address>> LoadBalancers::choose(const LoadBalancerService& service,
                                                   const Pools& pools,
                                                   const std::vector<Address>& held) {
  const auto request = read_request(service);
  if (!request.ok()) return request.status();
  const NameOfHolder holder = [&](const Address& address) {
    const Holder* other = holders_.other(address, service);
    return other != nullptr ? other->name : std::string();
  };
  return choose_addresses(pools, *request, held, holder);
}

Task<Result<LoadBalancer>> LoadBalancers::ensure(Ctx ctx, LoadBalancerService service,
                                                 Pools pools) {
  Status known = co_await holders_.catch_up(ctx);
  if (!known.ok()) co_return known;
  // From here on nothing waits, so two Services that ask at once get different addresses.
  if (is_foreign(service)) co_return foreign_balancer();
  const auto addresses = choose(service, pools, held_by(service));
  if (!addresses.ok()) co_return addresses.status();
  const bool differs = holders_.of(service) != *addresses;
  holders_.give(service, *addresses);
  co_return with_addresses(*addresses, differs ? "addresses" : "");
}

Result<LoadBalancer> LoadBalancers::observe(const LoadBalancerService& service,
                                            const Pools& pools) {
  if (is_foreign(service)) return foreign_balancer();
  const std::vector<Address> held = holders_.of(service);
  if (held.empty()) return LoadBalancer();
  const auto addresses = choose(service, pools, held);
  if (!addresses.ok()) return with_addresses(held, addresses.status().message());
  return with_addresses(held, held == *addresses ? "" : "addresses");
}

Status LoadBalancers::remove(const LoadBalancerService& service) {
  if (is_foreign(service)) {
    return Status(Code::failed_precondition, "the recorded addresses belong to another Service")
        .with_reason("NotOwned");
  }
  holders_.take_back(service);
  return {};
}

}  // namespace ccm::static_provider
