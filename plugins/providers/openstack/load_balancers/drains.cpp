#include "drains.hpp"

#include <algorithm>

namespace ccm::openstack {
namespace {

const ExistingPool* pool_of(const WantedPort& port, const ExistingLoadBalancer& existing) {
  for (const ExistingListener& listener : existing.listeners) {
    if (listener.ours && listener.protocol == port.protocol && listener.port == port.port) {
      return existing.pool(listener.pool_id);
    }
  }
  return nullptr;
}

bool is_wanted(const WantedPort& port, const Member& member) {
  return std::any_of(port.members.begin(), port.members.end(), [&member](const Member& each) {
    return each.address == member.address && each.port == member.port;
  });
}

}  // namespace

std::optional<milliseconds> Drains::left(const std::string& member, milliseconds timeout) {
  const milliseconds now = host_.timer.now();
  const milliseconds end = since_.try_emplace(member, now).first->second + timeout;
  if (now < end) return end - now;
  return std::nullopt;
}

std::optional<milliseconds> Drains::keep(WantedLoadBalancer& wanted,
                                         const ExistingLoadBalancer& existing,
                                         milliseconds timeout) {
  if (!wanted.drains || !wanted.no_members.empty()) return std::nullopt;
  std::optional<milliseconds> first;
  for (WantedPort& port : wanted.ports) {
    const ExistingPool* pool = pool_of(port, existing);
    if (pool == nullptr) continue;
    for (const Member& member : pool->members) {
      const std::string key = pool->id + " " + member_key(member);
      if (is_wanted(port, member)) {
        since_.erase(key);
        continue;
      }
      const auto rest = left(key, timeout);
      if (!rest) {
        since_.erase(key);
        continue;
      }
      first = std::min(first.value_or(*rest), *rest);
      port.members.push_back(member);
      port.members.back().drained = true;
    }
    std::sort(port.members.begin(), port.members.end(), &before);
  }
  return first;
}

}  // namespace ccm::openstack
