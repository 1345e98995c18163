// All load balancers of the account, read once for all callers of about the same moment: fifty that
// are being created cost one listing, not fifty. [serial]
#pragma once

#include "digitalocean/api.hpp"
#include "digitalocean/load_balancers/existing.hpp"

#include <ccm/gate.hpp>
#include <ccm/host.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ccm::digitalocean {

class LoadBalancerListing {
 public:
  using BalancerPtr = std::shared_ptr<const ExistingLoadBalancer>;
  using Balancers = std::map<std::string, BalancerPtr, std::less<>>;  // by id; none is empty
  using Ptr = std::shared_ptr<const Balancers>;

  LoadBalancerListing(Host& host, Api& api) : host_(host), api_(api) {}
  LoadBalancerListing(const LoadBalancerListing&) = delete;
  LoadBalancerListing& operator=(const LoadBalancerListing&) = delete;

  // A complete listing that began at most `max_age` ago, updated by our own writes since then.
  // Failures: those of Api::list.
  Task<Result<Ptr>> get(Ctx ctx, std::chrono::milliseconds max_age);

  // The result of one of our writes.
  void wrote(const ExistingLoadBalancer& balancer) {
    note(balancer.id, std::make_shared<const ExistingLoadBalancer>(balancer));
  }
  void deleted(const std::string& id) { note(id, nullptr); }
  // Something was changed, but the cloud's answer did not show the result: earlier listings are not
  // used any more.
  void forget() { current_.reset(); }

 private:
  struct Round {
    explicit Round(const Post& post) : ended(post) {}
    Gate ended;
    std::chrono::milliseconds began{0};
    Result<Ptr> outcome = Status(Code::unavailable, "the load balancers were not listed");
  };
  struct Write {
    std::string id;
    BalancerPtr balancer;  // nothing: deleted
  };

  void note(const std::string& id, BalancerPtr balancer);
  Task<Status> run(std::shared_ptr<Round> round);
  Task<Result<Balancers>> read(Ctx ctx);

  Host& host_;
  Api& api_;
  std::shared_ptr<Round> running_;
  std::shared_ptr<Balancers> current_;
  std::chrono::milliseconds current_began_{0};
  std::vector<Write> writes_;  // since the running or the last round began
};

}  // namespace ccm::digitalocean
