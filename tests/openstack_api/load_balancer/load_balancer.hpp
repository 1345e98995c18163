// Octavia v2: load balancers from one request or piece by piece, and the states that they go
// through. A load balancer that is changed is immutable until the change is done; a request that
// changes anything sets the time when that will be.
#pragma once

#include "openstack_api/key_manager/key_manager.hpp"
#include "openstack_api/load_balancer/fields.hpp"
#include "openstack_api/network/network.hpp"
#include "openstack_api/records.hpp"
#include "openstack_api/world.hpp"

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ccm::openstack_api {

// The end of a change. kError: of a new load balancer, or of its own change; when it is one of a
// part, then of that part.
enum class Outcome { kActive, kError, kStuck };

class LoadBalancing {
 public:
  // `url`: after the fake's, "/load-balancer".
  LoadBalancing(World& world, std::string url, Network& network, KeyManager& key_manager);

  // Failure: Refusal.
  Answer handle(const Call& call);

  // Settings.
  milliseconds create_time{0};   // of a load balancer
  milliseconds update_time{0};   // of any other change
  milliseconds delete_time{0};   // of a load balancer
  std::deque<Outcome> outcomes;  // of the next changes, the first one first; then all end well
  std::vector<std::string> providers = {"amphora", "octavia"};
  int newest_version = 30;  // 2.N
  size_t page_size = 1000;
  bool allow_filtering = true;  // as in octavia.conf; false: lists take no notice of filters
  std::set<std::string> flavors;
  std::set<std::string> availability_zones;
  void set_quota(const std::string& project_id, const std::string& resource, int64_t limit);
  // "loadbalancers", "listeners", "pools", "members", "healthmonitors".
  Records& records(const std::string& collection) { return records_.at(collection); }
  // As an administrator's hand in the database would.
  void set_status(const std::string& id, const std::string& status,
                  const std::string& collection = "loadbalancers");
  // Ends what is due.
  void advance();

 private:
  using Kind = const std::string&;

  Answer dispatch(const Call& call);
  Answer load_balancers(const Call& call);
  Answer create_load_balancer(const Call& call);
  Answer listeners(const Call& call);
  Answer pools(const Call& call);
  Answer members(const Call& call, json& pool);
  Answer one_member(const Call& call, const json& pool);
  Answer replace_members(const Call& call, json& pool);
  Answer monitors(const Call& call);
  void add_all(const json& listeners, const json& lb);
  Answer quotas(const Call& call);
  Answer named(const Call& call, const char* collection, const std::set<std::string>& names) const;

  // lists.cpp
  Answer list(const Call& call, Kind collection, const std::string& parent) const;
  [[nodiscard]] json shown(Kind collection, const json& record) const;
  [[nodiscard]] json populated(const json& load_balancer) const;
  [[nodiscard]] json tree(const json& load_balancer) const;
  [[nodiscard]] json ids(Kind collection, const std::string& parent_id) const;
  [[nodiscard]] json listeners_of(const json& pool) const;
  [[nodiscard]] json versions() const;

  // vip.cpp
  struct Vip {
    json port_id;
    json subnet_id;
    json network_id;
    std::string address;
    json additional = json::array();
  };
  Vip make_vip(const json& wanted, const Caller& caller, const std::string& id);
  const json& visible_one(const char* collection, const char* title, const std::string& id,
                          const Caller& caller);

  // children.cpp: each checks, or adds or changes without a check. `lb` is the load balancer's
  // record.
  void check_listener(const json& listener, const json& lb) const;
  void check_conflict(const json& listener, const std::string& lb_id) const;
  void check_pool(const json& pool, const json& listener) const;
  void check_default_pool(const json& listener, const json& lb) const;
  void check_monitor(const json& monitor, const std::string& pool_protocol) const;
  void check_delay(const json& monitor) const;
  void check_member(const json& member, const Caller& caller);
  // By the provider's driver, which looks at members that are added to a pool.
  void check_families(const json& members, const json& pool) const;
  void check_provider(const std::string& provider, const json& listener, const json& pool) const;
  json& add_listener(const json& wanted, const json& lb);
  json& add_pool(const json& wanted, const json& lb, json* listener);
  json& add_member(const json& wanted, const json& pool);
  json& add_monitor(const json& wanted, const json& pool);
  json record_of(const json& lb, const std::string& operating_status) const;
  void apply(json& record, const json& changes, const json& defaults);

  json& found(Kind collection, const char* title, const std::string& id, const Call& call);
  json& load_balancer_of(const json& child);
  [[nodiscard]] const json* monitor_of(const std::string& pool_id) const;
  void check_quota(const std::string& project_id, const char* resource, size_t more) const;
  void check_mutable(const json& lb) const;
  void check_pool_mutable(const json& pool) const;
  // Puts the child and what is above it into PENDING_*, until that is done.
  void begin_child_change(json& child, const char* status);
  void begin_change(json& lb, const char* status, milliseconds time);
  void end_change(json& lb, Outcome outcome);
  void fail_child(json& lb);
  void remove_load_balancer(const std::string& id);
  void remove_pool(const std::string& id);
  struct Part {
    std::string collection;
    json* record;
  };
  // Its listeners, members, monitors and pools: a pool comes after what belongs to it.
  std::vector<Part> parts_of(const std::string& lb_id);

  World& world_;
  std::string url_;
  Network& network_;
  KeyManager& key_manager_;
  std::map<std::string, Records> records_;
  std::map<std::string, std::map<std::string, int64_t>> quotas_;
};

}  // namespace ccm::openstack_api
