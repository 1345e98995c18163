// The Services and the addresses that they have. The record is the status of the Services, which
// needs rights that users of Services lack, and what this process gave and nobody wrote yet.
// [serial]
#pragma once

#include "address.hpp"

#include <ccm/host.hpp>
#include <ccm/load_balancer.hpp>
#include <ccm/semaphore.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace ccm::static_provider {

struct Holder {
  std::string uid;
  std::string name;  // "namespace/name"
  std::string created;
};

class AddressHolders {
 public:
  explicit AddressHolders(Host& host);

  // Success when no Service has an address of which this object knows nothing. The host's cache may
  // lack the last writes of the manager that led before, so it is compared once with the server.
  Task<Status> catch_up(Ctx ctx);

  // The Service's own.
  [[nodiscard]] std::vector<Address> of(const LoadBalancerService& service) const;
  // The Service that has the address instead of this one, or before it; nullptr when there is none.
  // Valid until the next call.
  [[nodiscard]] const Holder* other(const Address& address, const LoadBalancerService& service);

  void give(const LoadBalancerService& service, const std::vector<Address>& addresses);
  void take_back(const LoadBalancerService& service);

 private:
  using Index = std::map<Address, Holder>;
  Task<Status> compare_with_server(Ctx ctx);
  void refresh();

  Host& host_;
  Semaphore one_comparison_;
  bool caught_up_ = false;
  std::chrono::milliseconds next_comparison_{0};
  Index shown_;  // by the cache
  std::chrono::milliseconds shown_until_{0};
  std::map<std::string, std::vector<Address>> given_;  // by UID
  Index given_to_;                                     // the same by address
};

}  // namespace ccm::static_provider
