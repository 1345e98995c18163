#include "address_choice.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace ccm::static_provider {
namespace {

constexpr std::chrono::seconds kRetry{10};
constexpr std::chrono::seconds kFailureRetry{30};

Status waiting(const char* reason, std::string message) {
  return Status(Code::unavailable, ErrorClass::waiting, std::move(message))
      .with_reason(reason)
      .with_retry_after(kRetry);
}

// By this file; a changed one may have the pool or the address.
Status impossible(const char* reason, std::string message) {
  return Status(Code::failed_precondition, std::move(message))
      .with_reason(reason)
      .with_retry_after(kFailureRetry);
}

const char* name_of_family(bool v6) { return v6 ? "IPv6" : "IPv4"; }

std::optional<Address> of_family(const std::vector<Address>& addresses, bool v6) {
  for (const Address& address : addresses) {
    if (address.v6 == v6) return address;
  }
  return std::nullopt;
}

bool is_in(const std::vector<AddressPool>& pools, const Address& address) {
  return std::any_of(pools.begin(), pools.end(),
                     [&](const AddressPool& pool) { return pool.contains(address); });
}

// The pools of which the Service may have an address without asking for it.
std::vector<AddressPool> open_pools(const std::vector<AddressPool>& pools,
                                    const AddressRequest& request) {
  std::vector<AddressPool> open;
  for (const AddressPool& pool : pools) {
    if (request.pool.empty() ? pool.auto_assign : pool.name == request.pool) open.push_back(pool);
  }
  return open;
}

std::string names_of(const std::vector<AddressPool>& pools) {
  std::string names;
  for (const AddressPool& pool : pools) names += (names.empty() ? "" : ", ") + pool.name;
  return names.empty() ? "(none)" : names;
}

class Choice {
 public:
  Choice(const std::vector<AddressPool>& pools, const AddressRequest& request,
         const std::vector<Address>& held, const NameOfHolder& holder)
      : pools_(pools),
        open_(open_pools(pools, request)),
        request_(request),
        held_(held),
        holder_(holder) {}

  [[nodiscard]] bool knows_the_pool() const { return request_.pool.empty() || !open_.empty(); }

  [[nodiscard]] Result<Address> of(bool v6) const {
    if (const auto asked = of_family(request_.addresses, v6)) return asked_for(*asked);
    const auto held = of_family(held_, v6);
    if (held && is_in(request_.pool.empty() ? pools_ : open_, *held)) {
      const std::string other = holder_(*held);
      if (other.empty()) return *held;
      return Status(Code::aborted, ErrorClass::conflict,
                    "the Service " + other + " has " + held->text() +
                        ", too; ask for another address for one of them")
          .with_reason("AddressConflict");
    }
    return first_free(v6);
  }

  // Nothing can be had of this family, whoever has what.
  [[nodiscard]] bool lacks(bool v6) const {
    return !of_family(request_.addresses, v6) && !of_family(held_, v6) &&
           std::none_of(open_.begin(), open_.end(),
                        [v6](const AddressPool& pool) { return pool.has_family(v6); });
  }

 private:
  [[nodiscard]] Result<Address> asked_for(const Address& address) const {
    if (!is_in(request_.pool.empty() ? pools_ : open_, address)) {
      return impossible("AddressNotInPool", address.text() + " is not in the address pools: " +
                                                names_of(request_.pool.empty() ? pools_ : open_));
    }
    const std::string other = holder_(address);
    if (other.empty()) return address;
    return waiting("AddressInUse", "the Service " + other + " has " + address.text());
  }

  [[nodiscard]] Result<Address> first_free(bool v6) const {
    const auto taken = [this](const Address& address) { return !holder_(address).empty(); };
    for (const AddressPool& pool : open_) {
      if (const auto free = pool.first_free(v6, taken)) return *free;
    }
    return waiting("AddressPoolExhausted",
                   std::string("no ") + name_of_family(v6) +
                       " address is free in the address pools: " + names_of(open_));
  }

  const std::vector<AddressPool>& pools_;
  const std::vector<AddressPool> open_;
  const AddressRequest& request_;
  const std::vector<Address>& held_;
  const NameOfHolder& holder_;
};

}  // namespace

Result<std::vector<Address>> choose_addresses(const std::vector<AddressPool>& pools,
                                              const AddressRequest& request,
                                              const std::vector<Address>& held,
                                              const NameOfHolder& holder) {
  const Choice choice(pools, request, held, holder);
  if (!choice.knows_the_pool()) {
    return impossible("AddressPoolUnknown", "there is no address pool " + request.pool +
                                                "; there are: " + names_of(pools));
  }
  const bool optional =
      !request.every_family && std::any_of(request.families.begin(), request.families.end(),
                                           [&](bool v6) { return !choice.lacks(v6); });
  std::vector<Address> chosen;
  for (const bool v6 : request.families) {
    if (optional && choice.lacks(v6)) continue;
    const auto address = choice.of(v6);
    if (!address.ok()) return address.status();
    chosen.push_back(*address);
  }
  return chosen;
}

}  // namespace ccm::static_provider
