// DigitalOcean's API as a stateful fake without sockets: one request in, one answer out. It keeps
// droplets, load balancers, certificates, firewalls, tags, regions and VPCs, pages its lists,
// counts calls against limits, moves new load balancers to active after a while, refuses what the
// official description refuses, and fails on demand (DO-320..DO-361). Not for several threads at
// once.
#pragma once

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::digitalocean_api {

using Milliseconds = std::chrono::milliseconds;
using nlohmann::json;

struct ApiRequest {
  std::string method;
  std::string target;  // path and query
  std::string authorization;
  std::string content_type;
  std::string body;
};

struct ApiAnswer {
  int status = 200;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  Milliseconds delay{0};  // before it is sent
  bool cut = false;       // the connection ends instead of an answer
};

// The effect on matching requests, instead of or in addition to the usual.
struct ApiFault {
  std::string method;       // empty = any
  std::string path_prefix;  // of the path without its query; empty = any
  int count = 1;            // how many requests; -1 = all from now on
  int status = 0;           // answer this instead; 0 = the usual answer
  std::string body;         // with `status`; empty = an error body of DigitalOcean's form
  std::optional<int64_t> retry_after;
  Milliseconds delay{0};
  bool cut = false;          // the request is not looked at
  bool lose_answer = false;  // it is carried out, but the answer never comes
};

// One exchange, for assertions and for the contract test.
struct Exchange {
  Milliseconds at{0};
  std::string method;
  std::string path;  // without the query
  std::string query;
  std::string request_body;
  int status = 0;
  std::string response_body;
  bool injected = false;  // by a fault
};

class Api {
 public:
  // `clock`: since any fixed point, never back.
  explicit Api(std::function<Milliseconds()> clock);

  ApiAnswer handle(const ApiRequest& request);

  // Settings.
  std::string token = "dop_v1_test";
  Milliseconds latency{0};
  Milliseconds activation_delay{0};       // of a new load balancer; 0 = at its next sight
  bool load_balancers_fail = false;       // new ones become "errored"
  std::set<std::string> ignored_members;  // of a PUT of a load balancer
  int64_t hourly_limit = 5000;            // DO-312
  int64_t minute_limit = 250;
  std::string vpc = "c33931f2-a26a-4e61-b85c-4e95a2ec431b";
  std::string region = "nyc3";
  std::vector<std::string> regions = {"nyc1", "nyc3", "ams3"};
  void add_fault(ApiFault fault) { faults_.push_back(std::move(fault)); }
  void clear_faults() { faults_.clear(); }
  // Asked about each request that no fault above fits: faults by chance. Nothing = the usual.
  std::function<std::optional<ApiFault>(const ApiRequest&)> chance;

  // Content.
  json& add_droplet(int64_t id, const std::string& name, bool gpu = false);
  void generate_droplets(int64_t first, int64_t count, const std::string& prefix);
  void remove_droplet(int64_t id) { droplets_.erase(id); }
  json& droplet(int64_t id) { return droplets_.at(id); }
  json& add_certificate(const std::string& id, const std::string& name, const std::string& type);
  json& add_load_balancer(json members);  // as it would be answered; missing members are filled in
  std::map<std::string, json>& load_balancers() { return load_balancers_; }
  std::map<std::string, json>& certificates() { return certificates_; }
  std::map<std::string, json>& firewalls() { return firewalls_; }
  // Resources of each tag, as "type/id".
  std::map<std::string, std::vector<std::string>>& tags() { return tags_; }

  // Hears of every exchange.
  std::function<void(const Exchange&)> observer;

  // Observed requests.
  const std::vector<Exchange>& log() const { return log_; }
  void clear_log() { log_.clear(); }
  int64_t calls() const { return static_cast<int64_t>(log_.size()); }
  int64_t writes() const;
  // Calls of a method whose path begins so.
  int64_t calls(const std::string& method, const std::string& path_prefix) const;

 private:
  struct Route {
    std::string path;
    std::map<std::string, std::string> query;
    std::vector<std::string> parts;  // of the path after /v2
    json body;
  };
  ApiAnswer answer(const ApiRequest& request, Route& route);
  ApiAnswer dispatch(const std::string& method, Route& route);
  std::optional<ApiAnswer> limited();
  void add_limit_headers(ApiAnswer& answer);

  ApiAnswer droplets(const std::string& method, const Route& route);
  ApiAnswer load_balancers(const std::string& method, const Route& route);
  ApiAnswer load_balancer(const std::string& method, const Route& route, json& balancer);
  ApiAnswer create_load_balancer(const json& body);
  std::string refuse_load_balancer(const json& body, const json* existing) const;
  void write_load_balancer(const json& body, json& balancer);
  void advance(json& balancer);
  void follow_tag(json& balancer);
  ApiAnswer firewalls(const std::string& method, const Route& route);
  ApiAnswer tags(const std::string& method, const Route& route);
  std::string refuse_firewall(const json& body) const;

  ApiAnswer page(const std::string& name, const std::vector<const json*>& items,
                 const Route& route) const;
  std::string uuid();

  std::function<Milliseconds()> clock_;
  std::map<int64_t, json> droplets_;
  std::map<std::string, json> load_balancers_;
  std::map<std::string, Milliseconds> active_at_;
  std::map<std::string, json> certificates_;
  std::map<std::string, json> firewalls_;
  std::map<std::string, std::vector<std::string>> tags_;
  std::vector<ApiFault> faults_;
  std::vector<Exchange> log_;
  std::deque<Milliseconds> recent_calls_;  // within the last hour
  uint64_t made_ = 0;
};

ApiAnswer ok(int status, const json& body);
ApiAnswer error(int status, const std::string& message);

}  // namespace ccm::digitalocean_api
