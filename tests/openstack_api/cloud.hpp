// The APIs of OpenStack as a stateful fake without sockets: one request in, one answer out.
// Keystone, and in each region Nova, Neutron, Octavia and Barbican, as release 2025.1 has them
// (tests/openstack holds it against the real services). All of it is behind one URL, as DevStack
// has it: /identity, /compute/v2.1, /networking, /load-balancer, /key-manager; another region's
// behind /REGION. Not for several threads at once.
#pragma once

#include "openstack_api/compute/compute.hpp"
#include "openstack_api/faults.hpp"
#include "openstack_api/http.hpp"
#include "openstack_api/identity/identity.hpp"
#include "openstack_api/key_manager/key_manager.hpp"
#include "openstack_api/load_balancer/load_balancer.hpp"
#include "openstack_api/network/network.hpp"
#include "openstack_api/world.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ccm::openstack_api {

// One exchange, for assertions.
struct Exchange {
  milliseconds at{0};
  std::string method;
  std::string target;
  std::map<std::string, std::string> request_headers;  // without the token
  std::string request_body;
  int status = 0;  // 0 when no answer came
  std::string response_body;
  bool injected = false;  // by a fault
};

struct Region {
  Region(World& world, const std::string& prefix);

  Network network;
  Compute compute;
  KeyManager key_manager;
  LoadBalancing load_balancing;
  bool away = false;  // no request is answered
};

class Cloud {
 public:
  // `clock`: the time since the beginning of 1970. `url`: where clients find it, without a slash at
  // its end.
  Cloud(std::function<milliseconds()> clock, std::string url);

  Answer handle(const Request& request);

  // Settings.
  milliseconds latency{0};  // of every answer
  milliseconds token_cache{
      0};  // how long a service takes a token that it has taken, without asking Keystone
  Faults faults;
  // Asked about each request that no fault above meets: faults by chance. Nothing = the usual.
  std::function<std::optional<Fault>(const Request&)> chance;

  Identity& identity() { return identity_; }
  // Made when it is first named, with its endpoints in the catalog. The first one has no prefix.
  Region& region(const std::string& name = "RegionOne");
  World& world() { return world_; }

  // Its memory of requests.
  const std::vector<Exchange>& log() const { return log_; }
  void clear_log() { log_.clear(); }
  int64_t calls() const { return static_cast<int64_t>(log_.size()); }
  // Without logins.
  int64_t writes() const;
  // Calls of a method (empty = any) whose target the regular expression is found in.
  int64_t calls(const std::string& method, const std::string& pattern) const;
  // Hears of every exchange.
  std::function<void(const Exchange&)> observer;

 private:
  Answer usual(const Request& request);
  Answer serve(Region& region, const std::string& service, Call& call);
  [[nodiscard]] std::optional<Caller> caller_of(const std::string& service,
                                                const std::string& token);
  [[nodiscard]] static bool needs_token(const std::string& service, const Call& call);

  World world_;
  Identity identity_;
  std::map<std::string, std::unique_ptr<Region>> regions_;
  std::string first_region_;
  struct Cached {
    Caller caller;
    milliseconds until;
  };
  std::map<std::string, Cached> taken_;  // tokens, by service
  std::vector<Exchange> log_;
};

// Makes what tests/openstack/contents.py makes in the real services: accounts, networks, a router,
// a flavor, servers. Returns what that writes: where Keystone is, who may log in, the IDs of what
// is there.
json populate(Cloud& cloud);

// An error in the form of the service that the target leads to.
Answer error_of(const std::string& target, int status);

}  // namespace ccm::openstack_api
