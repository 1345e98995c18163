// digitalocean-firewall against the stateful fake of the API.
#pragma once

#include "controller_fixture.hpp"
#include "digitalocean/firewall/controller.hpp"

#include <set>

namespace ccm::digitalocean {

using nlohmann::json;
using std::chrono::minutes;

inline const std::string kLb = "service.beta.kubernetes.io/do-loadbalancer-";
inline const std::string kIdOfLb = "kubernetes.digitalocean.com/load-balancer-id";
inline const std::string kManaged = "kubernetes.digitalocean.com/firewall-managed";

class FirewallTest : public ControllerTest {
 protected:
  FirewallTest() {
    host.config.set_flag("digitalocean-firewall-name", "public");
    host.config.set_flag("digitalocean-firewall-tags", "worker");
    cloud.tags()["worker"];
    cloud.tags()["edge"];
  }
  static json node_port(int port, int node_port, const std::string& protocol = "TCP") {
    return {{"type", "NodePort"},
            {"ports",
             json::array({{{"port", port}, {"nodePort", node_port}, {"protocol", protocol}}})}};
  }
  static json balanced(int port) {
    return {{"type", "LoadBalancer"},
            {"ports",
             json::array({{{"port", port}, {"nodePort", 30000 + port}, {"protocol", "TCP"}}})}};
  }
  json firewall() {
    EXPECT_EQ(cloud.firewalls().size(), 1U);
    return cloud.firewalls().empty() ? json() : cloud.firewalls().begin()->second;
  }
  // "tcp/80 0.0.0.0/0 ::/0", each inbound rule.
  std::set<std::string> open() {
    std::set<std::string> rules;
    const json found = firewall();
    for (const json& rule : found["inbound_rules"]) {
      std::string text = rule["protocol"].get<std::string>() + "/";
      text += rule["ports"].get<std::string>();
      for (const char* kind : {"addresses", "load_balancer_uids"}) {
        for (const json& source : rule["sources"].value(kind, json::array())) {
          text += " " + source.get<std::string>();
        }
      }
      rules.insert(text);
    }
    return rules;
  }
  int64_t writes() {
    const int64_t count = cloud.writes();
    cloud.clear_log();
    return count;
  }
  using Rules = std::set<std::string>;
  const std::string everywhere = " 0.0.0.0/0 ::/0";
};

}  // namespace ccm::digitalocean
