// DigitalOcean's API as a stateful fake without sockets: one request in, one answer out. It keeps
// droplets, load balancers, certificates, firewalls, tags, regions and VPCs, pages its lists,
// counts calls against limits, moves new load balancers to active after a while, refuses what the
// official description refuses, and fails on demand (DO-320..DO-361). Not for several threads at
// once.
#pragma once

#include "account.hpp"
#include "answers.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ccm::digitalocean_api {

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

// An account, seen through its API.
class Api : public Account {
 public:
  using Account::Account;

  ApiAnswer handle(const ApiRequest& request);

  // Settings.
  std::string token = "dop_v1_test";
  Milliseconds latency{0};
  int64_t hourly_limit = 5000;  // DO-312
  int64_t minute_limit = 250;
  void add_fault(ApiFault fault) { faults_.push_back(std::move(fault)); }
  void clear_faults() { faults_.clear(); }
  // Asked about each request that no fault above fits: faults by chance. Nothing = the usual.
  std::function<std::optional<ApiFault>(const ApiRequest&)> chance;

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
  ApiAnswer answer(const ApiRequest& request, Route& route);
  ApiAnswer dispatch(const std::string& method, const Route& route);
  std::optional<ApiAnswer> limited();
  void add_limit_headers(ApiAnswer& answer);

  std::vector<ApiFault> faults_;
  std::vector<Exchange> log_;
  std::deque<Milliseconds> recent_calls_;  // within the last hour
};

}  // namespace ccm::digitalocean_api
