#include "address_holders.hpp"

#include <tuple>
#include <utility>

namespace ccm::static_provider {
namespace {

using std::chrono::milliseconds;

constexpr const char* kServices = "v1/services";
// A walk over thousands of Services takes milliseconds, and many may be asked about at once.
constexpr milliseconds kIndexAge{1'000};
constexpr milliseconds kComparisonPause{1'000};

std::vector<Address> shown_addresses(const Object& service) {
  std::vector<Address> addresses;
  service.at("/status/loadBalancer/ingress").each([&](std::string_view, const Value& ingress) {
    if (const auto address = parse_address(ingress.text("/ip"))) addresses.push_back(*address);
  });
  return addresses;
}

std::string name_of(std::string_view namespace_name, std::string_view name) {
  return std::string(namespace_name) + "/" + std::string(name);
}

Holder holder_of(const Object& service) {
  return {std::string(service.uid()), name_of(service.namespace_name(), service.name()),
          std::string(service.text("/metadata/creationTimestamp"))};
}

// The older of two Services with one address has it.
bool goes_first(const Holder& a, const Holder& b) {
  return std::tie(a.created, a.uid) < std::tie(b.created, b.uid);
}

Status behind() {
  return Status(Code::unavailable, ErrorClass::waiting,
                "the cache of Services lacks addresses that the API server has")
      .with_retry_after(kComparisonPause);
}

}  // namespace

AddressHolders::AddressHolders(Host& host) : host_(host), one_comparison_(host.post, 1) {}

Task<Status> AddressHolders::catch_up(Ctx ctx) {
  if (caught_up_) co_return Status();
  auto permit = co_await one_comparison_.acquire();
  if (caught_up_) co_return Status();
  if (host_.timer.now() < next_comparison_) co_return behind();
  next_comparison_ = host_.timer.now() + kComparisonPause;
  Status same = co_await compare_with_server(ctx);
  caught_up_ = same.ok();
  co_return same;
}

Task<Status> AddressHolders::compare_with_server(Ctx ctx) {
  KubeSelection all;
  all.resource = kServices;
  auto listed = co_await host_.kube.list(ctx, std::move(all));
  if (!listed.ok()) co_return listed.status().with_context("list the Services");
  std::map<std::string, std::vector<Address>> stored;
  for (const Object& service : *listed) {
    auto addresses = shown_addresses(service);
    if (!addresses.empty()) stored.emplace(service.uid(), std::move(addresses));
  }
  std::map<std::string, std::vector<Address>> cached;
  const CacheState state = host_.kube.cached_each(kServices, "", [&](const Object& service) {
    auto addresses = shown_addresses(service);
    if (!addresses.empty()) cached.emplace(service.uid(), std::move(addresses));
  });
  if (state != CacheState::found || stored != cached) co_return behind();
  shown_until_ = milliseconds(0);
  co_return Status();
}

std::vector<Address> AddressHolders::of(const LoadBalancerService& service) const {
  const auto given = given_.find(service.uid);
  return given != given_.end() ? given->second : shown_addresses(service.object);
}

const Holder* AddressHolders::other(const Address& address, const LoadBalancerService& service) {
  for (const Index* index : {&given_to_, &shown_}) {
    if (index == &shown_) refresh();
    const auto found = index->find(address);
    if (found == index->end()) continue;
    return found->second.uid == service.uid ? nullptr : &found->second;
  }
  return nullptr;
}

void AddressHolders::refresh() {
  const milliseconds now = host_.timer.now();
  if (now < shown_until_) return;
  shown_until_ = now + kIndexAge;
  shown_.clear();
  host_.kube.cached_each(kServices, "", [this](const Object& service) {
    for (const Address& address : shown_addresses(service)) {
      Holder holder = holder_of(service);
      const auto [place, first] = shown_.try_emplace(address, holder);
      if (!first && goes_first(holder, place->second)) place->second = std::move(holder);
    }
  });
}

void AddressHolders::give(const LoadBalancerService& service,
                          const std::vector<Address>& addresses) {
  take_back(service);
  given_[service.uid] = addresses;
  for (const Address& address : addresses) {
    given_to_[address] = {service.uid, name_of(service.namespace_name, service.name), ""};
  }
}

void AddressHolders::take_back(const LoadBalancerService& service) {
  const auto given = given_.find(service.uid);
  if (given == given_.end()) return;
  for (const Address& address : given->second) given_to_.erase(address);
  given_.erase(given);
}

}  // namespace ccm::static_provider
