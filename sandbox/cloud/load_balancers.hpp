#pragma once

#include "cloud/cloud_error.hpp"
#include "cloud/machine.hpp"
#include "cloud/settings.hpp"

#include <chrono>
#include <string>

namespace sandbox::cloud {

// The load balancers of the cloud. A new one is pending until its time has come; so is a changed
// one, if the settings say so. Times are passed in.
//
// A load balancer as /v1 shows it:
//   {id, name, status: pending|active|deleting, ready_in_ms, generation,
//    owner: {cluster, service_uid} or null, ports: [{name, protocol, port, node_port}],
//    backends: [machine ids], source_ranges, ip_families, health_check: {port, path} or null,
//    affinity: none|client_ip, affinity_timeout_s, hostname, ip_mode, internal, requested_ip,
//    port_errors: [{port, protocol, error}], addresses: [{ip} or {hostname}]}
class LoadBalancers {
 public:
  using Clock = std::chrono::steady_clock;

  // The existing ones after the passage of time; of one owner if `owner` is an object.
  Json list(Clock::time_point now, const Json& owner = nullptr);
  // Throws CloudError 404.
  const Json& get(const std::string& id, Clock::time_point now);

  // The load balancer that `given` creates; `store` false = only answered. Throws CloudError: 422
  // for impossible requests, 403 over the quota.
  Json create(Json given, const Settings& settings, Clock::time_point now, bool store);
  // Replaces all given members. A change without a difference does nothing. Throws as create() and
  // 404.
  Json update(const std::string& id, Json given, const Settings& settings, Clock::time_point now,
              bool store);
  // Throws CloudError 404.
  void remove(const std::string& id, const Settings& settings, Clock::time_point now);

  // By hand: changed without checks, or made (so that foreign ones can exist), activated at once,
  // deleted at once.
  const Json& force(const std::string& id, const Json& members);
  const Json& activate(const std::string& id);
  bool erase(const std::string& id) { return all_.erase(id) > 0; }
  void clear();

 private:
  struct Entry {
    Json shown;
    Clock::time_point due{};  // when `pending` or `deleting` ends
    bool says_when = true;
  };
  using Entries = std::map<std::string, Entry, IdLess>;

  // Applies the passage of time to one; false: it is gone.
  static bool settle(Entry& entry, Clock::time_point now);
  // Applies the passage of time to all: in a large cloud too expensive for each call.
  void settle(Clock::time_point now);
  // Throws CloudError 404.
  Entries::iterator find(const std::string& id, Clock::time_point now);
  static void make_active(Json& balancer);

  Entries all_;
  std::size_t next_ = 1;
};

}  // namespace sandbox::cloud
