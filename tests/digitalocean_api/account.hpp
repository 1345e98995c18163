// What an account at DigitalOcean has: droplets, load balancers, certificates, firewalls, tags, and
// the settings of the fake that concern them. Not for several threads at once.
#pragma once

#include "answers.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ccm::digitalocean_api {

class Account {
 public:
  // `clock`: since any fixed point, never back.
  explicit Account(std::function<Milliseconds()> clock) : clock_(std::move(clock)) {}

  // Settings.
  Milliseconds activation_delay{0};       // of a new load balancer; 0 = at its next sight
  bool load_balancers_fail = false;       // new ones become "errored"
  std::set<std::string> ignored_members;  // of a PUT of a load balancer
  std::string vpc = "c33931f2-a26a-4e61-b85c-4e95a2ec431b";
  std::string region = "nyc3";
  std::vector<std::string> regions = {"nyc1", "nyc3", "ams3"};

  // Content.
  json& add_droplet(int64_t id, const std::string& name, bool gpu = false);
  void generate_droplets(int64_t first, int64_t count, const std::string& prefix);
  void remove_droplet(int64_t id) { droplets_.erase(id); }
  json& droplet(int64_t id) { return droplets_.at(id); }
  [[nodiscard]] const std::map<int64_t, json>& droplets() const { return droplets_; }
  json& add_certificate(const std::string& id, const std::string& name, const std::string& type);
  std::map<std::string, json>& certificates() { return certificates_; }
  json& add_load_balancer(json members);  // as it would be answered; missing members are filled in
  // One that is "new", and becomes active after a while.
  json& begin_load_balancer(json members);
  // A PUT is a full replacement: what it leaves out goes back to its default (DO-337).
  void write_load_balancer(const json& body, json& balancer);
  // Moves all load balancers to what they are by now: active, with the droplets of their tags.
  void advance();
  std::map<std::string, json>& load_balancers() { return load_balancers_; }
  std::map<std::string, json>& firewalls() { return firewalls_; }
  // Resources of each tag, as "type/id".
  std::map<std::string, std::vector<std::string>>& tags() { return tags_; }
  std::string uuid();

 protected:
  [[nodiscard]] Milliseconds time() const { return clock_(); }

 private:
  void advance(json& balancer);
  void follow_tag(json& balancer);

  std::function<Milliseconds()> clock_;
  std::map<int64_t, json> droplets_;
  std::map<std::string, json> load_balancers_;
  std::map<std::string, Milliseconds> active_at_;
  std::map<std::string, json> certificates_;
  std::map<std::string, json> firewalls_;
  std::map<std::string, std::vector<std::string>> tags_;
  uint64_t made_ = 0;
};

}  // namespace ccm::digitalocean_api
