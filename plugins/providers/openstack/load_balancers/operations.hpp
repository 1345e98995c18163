// The host's operations on load balancers (OS-252..OS-310), by the rules of ccm/provider.hpp.
// [serial]
//
// None of them waits: while Octavia works on a load balancer it is immutable, so the answer is
// "pending", and the next call goes on from what it finds then.
#pragma once

#include "addresses.hpp"
#include "drains.hpp"
#include "failed_parts.hpp"
#include "finder.hpp"
#include "node_access.hpp"
#include "octavia.hpp"
#include "openstack/api.hpp"
#include "openstack/config/settings.hpp"
#include "ownership.hpp"
#include "pending_pause.hpp"

#include <ccm/cluster_uid.hpp>
#include <ccm/host.hpp>
#include <ccm/load_balancer.hpp>
#include <ccm/notices.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ccm::openstack {

class LoadBalancers {
 public:
  LoadBalancers(Host& host, Api& api)
      : host_(host),
        api_(api),
        cluster_(host),
        octavia_(host, api),
        addresses_(host, api, cluster_),
        finder_(host, octavia_, addresses_),
        access_(host, api, cluster_),
        notices_(host),
        pending_pause_(host),
        drains_(host),
        repairs_(host) {}
  LoadBalancers(const LoadBalancers&) = delete;
  LoadBalancers& operator=(const LoadBalancers&) = delete;

  void configure(LoadBalancerSettings settings, LoadBalancerClasses classes) {
    settings_ = std::move(settings);
    classes_ = std::move(classes);
    octavia_.forget();
  }

  Task<Result<LoadBalancer>> observe(Ctx ctx, LoadBalancerService service, Backends backends);
  // A failure hands over the load balancer as far as it was made.
  Task<Result<LoadBalancer>> ensure(Ctx ctx, LoadBalancerService service, Backends backends);
  // The members and monitors alone.
  Task<Result<LoadBalancer>> update(Ctx ctx, LoadBalancerService service, Backends backends);
  // Class waiting until it is gone. A success alone means that nothing is left, never not_found.
  Task<Status> remove(Ctx ctx, LoadBalancerService service);
  // One without a Service, with all that belongs to it. Class waiting until it is gone.
  Task<Status> remove_whole(Ctx ctx, ExistingLoadBalancer balancer);
  // Services that share one wait for each other.
  static std::string lane(const LoadBalancerService& service) {
    return service.id.empty() ? service.adopt_id : service.id;
  }
  static LoadBalancerLimits limits();

 private:
  // All that an operation knows of its Service. Lives in the operation's frame.
  struct Subject {
    const LoadBalancerService& service;
    const Backends& backends;
    ServiceOptions options;
    int octavia_minor = 0;
    std::string cluster_uid;
    std::string member_subnet;
    MemberRule members;
    std::string no_members;  // as of the wanted load balancer
    std::vector<Problem> problems;
    std::string done;  // what was changed
  };

  // Reads the Service; the certificate that it names has to exist.
  Task<Result<Subject>> subject(Ctx ctx, const LoadBalancerService& service,
                                const Backends& backends);
  // The load balancer that the Service asks for (OS-230..OS-253). `balancer`: the one that exists;
  // null = none yet.
  Task<Result<WantedLoadBalancer>> want(Ctx ctx, Subject& subject,
                                        const ExistingLoadBalancer* balancer);
  // Which addresses are members, and on which subnet; `vip_subnet` is the one that was chosen.
  Task<Status> choose_members(Ctx ctx, Subject& subject, const ExistingLoadBalancer* balancer,
                              std::string family, std::string vip_subnet);
  Task<Result<ExistingLoadBalancer>> create(Ctx ctx, Subject& subject);
  // Whether a creation that got no answer may still be carried out.
  bool unanswered(const std::string& uid);
  Task<Result<LoadBalancer>> settle(Ctx ctx, Subject& subject, ExistingLoadBalancer& balancer);
  // One round of changes. True: something was sent; false: nothing differs any more.
  Task<Result<bool>> change(Ctx ctx, Subject& subject, ExistingLoadBalancer& balancer, Claim owner);
  // Which parts of the Service failed; they are written again when it is time.
  std::string plan_repair(const ExistingLoadBalancer& balancer, WantedLoadBalancer& wanted);
  Task<Result<LoadBalancer>> serve(Ctx ctx, Subject& subject, const ExistingLoadBalancer& balancer,
                                   bool make);
  // The security group of the Nodes' ports, if it is managed, by the rules of NodeAccess::apply().
  Task<Result<bool>> apply_security_group(Ctx ctx, Subject& subject,
                                          const ExistingLoadBalancer& balancer, bool write);
  // The answer about one in the state ERROR; one that the Service made and that never served is
  // deleted.
  Task<Status> broken(Ctx ctx, Subject& subject, ExistingLoadBalancer& balancer);
  // The end of a load balancer, or of a Service's part of a shared one (OS-304..OS-310).
  Task<Status> remove_all(Ctx ctx, const LoadBalancerService& service);
  // The answer about one that is not the Service's. Its listeners with the Service's mark go.
  Task<Status> disown(Ctx ctx, const LoadBalancerService& service, ExistingLoadBalancer& balancer);
  Task<Status> take_down(Ctx ctx, const LoadBalancerService& service,
                         ExistingLoadBalancer& balancer);
  Task<Status> leave(Ctx ctx, const LoadBalancerService& service, ExistingLoadBalancer& balancer);
  void hint_others(const LoadBalancerService& service, const ExistingLoadBalancer& balancer) const;
  Task<Status> destroy(Ctx ctx, const LoadBalancerService& service, ExistingLoadBalancer& balancer);

  Host& host_;
  Api& api_;
  ClusterUid cluster_;
  Octavia octavia_;
  Addresses addresses_;
  LoadBalancerFinder finder_;
  NodeAccess access_;
  Notices notices_;
  PendingPause pending_pause_;
  Drains drains_;
  Repairs repairs_;
  std::map<std::string, milliseconds> unanswered_;  // until when, by the Service's UID
  LoadBalancerSettings settings_;
  LoadBalancerClasses classes_;
};

}  // namespace ccm::openstack
