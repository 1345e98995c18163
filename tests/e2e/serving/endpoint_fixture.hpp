// A real manager with its endpoint, an API server that reviews, and clients of all kinds.
#pragma once

#include "api_proxy.hpp"
#include "support/file.hpp"
#include "support/http_client.hpp"
#include "support/kube_client.hpp"
#include "support/ports.hpp"
#include "support/process.hpp"
#include "support/test_server.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ccm::e2e {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class EndpointTest : public testing::Test {
 protected:
  EndpointTest();
  ~EndpointTest() override;  // keeps the folder after a failure

  // Starts the manager; returns when it answers, or has ended. `reviews`: the kubeconfig for its
  // questions; empty: none. The proxy's is reviews_through_proxy().
  void start(const std::string& reviews, std::vector<std::string> flags = {});
  // As start(), without any wait.
  void launch(const std::string& reviews, const std::vector<std::string>& flags);
  // Somebody else has the manager's Lease, for an hour.
  void hold_lease(const std::string& holder);
  void free_lease();
  [[nodiscard]] std::string reviews() { return server_.manager_kubeconfig(); }
  [[nodiscard]] bool logs(const std::string& text);  // waits for it
  std::string reviews_through_proxy();

  // One request on a connection of its own. `token` may be empty.
  support::HttpResponse ask(const std::string& target, const std::string& token = {},
                            const std::string& method = "GET", const std::string& body = {});
  // As ask(), with a client certificate.
  support::HttpResponse ask_as(const std::string& certificate, const std::string& key,
                               const std::string& target);

  support::HttpResponse ask_with(support::Credentials credentials, const std::string& target,
                                 const std::string& accept);

  [[nodiscard]] std::string endpoint() const {
    return "https://127.0.0.1:" + std::to_string(port());
  }
  [[nodiscard]] std::string certificate() const {
    return folder_.path() / "serving" / "cloud-controller-manager.crt";
  }
  struct Output {
    int code = -1;
    std::string text;
  };
  // Runs ccmctl against the manager as the user of `kubeconfig`.
  Output ctl(std::vector<std::string> arguments, const std::string& kubeconfig);
  // A kubeconfig of the cluster for one token.
  std::string kubeconfig_of(const std::string& token);

  // An instance, and its Node as its kubelet registers it.
  void join(const std::string& name);
  bool initialised(const std::string& name);  // waits for it
  void make_machine(const std::string& name);
  // A Node that was initialised before, with the instance of its name.
  void make_node(const std::string& name, bool ready);
  // A Service of type LoadBalancer in the namespace default.
  void make_service(const std::string& name);
  // The id of the load balancer that is recorded on it; empty: none is.
  std::string load_balancer_of(const std::string& service);
  // Somebody deletes its load balancer, and the one that follows: "lb-1" and "lb-2".
  void delete_two_load_balancers(const std::string& service);

  // No user but the administrator may patch services/status any more.
  void take_rule();
  void give_rule_back();
  // The sandbox allows everything except for these.
  void deny(const nlohmann::json& rules);

  // Tokens of service accounts of the namespace default.
  const std::string& scraper() const { return scraper_; }  // may read metrics
  const std::string& nobody() const { return nobody_; }    // may not

  [[nodiscard]] int port() const { return port_.port(); }  // of the endpoint
  [[nodiscard]] bool real() const { return server_.kind() == support::ServerKind::kKubeApiserver; }

  support::TemporaryFolder folder_{"ccm-endpoint"};
  support::TestServer server_;
  support::TestCloud cloud_;
  support::KubeClient api_;
  std::unique_ptr<ApiProxy> proxy_;
  std::map<std::string, std::string> environment_;  // of the manager, beside its own
  std::unique_ptr<support::Process> manager_;

 private:
  support::HttpResponse send(support::Credentials credentials, const support::HttpRequest& request);
  std::string make_account(const std::string& name);
  void bind(const std::string& name, const std::string& role, const nlohmann::json& subject);

  void set_rules(const nlohmann::json& rules);

  int runs_ = 0;
  nlohmann::json rules_;  // before take_rule()
  support::ReservedPort port_;
  std::string scraper_;
  std::string nobody_;
};

}  // namespace ccm::e2e
