// A small cloud with load balancers, as the host shows it to controllers: a test sets what exists,
// scripts failures, and looks at each call. Without a script `ensure` makes what it is asked for.
//
//   host.load_balancers.created_state = LoadBalancerState::pending;
//   controller.run();
//   host.load_balancers.activate("uid-1");
//   host.load_balancers.fail_next("ensure", Status(Code::resource_exhausted, ErrorClass::quota,
//   "")); EXPECT_EQ(host.load_balancers.calls("ensure").size(), 1u);
//
// A host without load balancers: host.hide(CCM_CLOUD_LOADBALANCERS).
#pragma once

#include <ccm/load_balancer.hpp>
#include <ccm/testing/fake_cloud_script.hpp>

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::testing {

// One call that reached the cloud: observe, ensure, update_backends, remove, name, lane, limits.
struct LoadBalancerCall {
  std::string operation;
  LoadBalancerService service;
  Backends backends;
};

// The load balancer of one Service.
struct FakeLoadBalancer {
  LoadBalancerService service;  // as it was last asked for
  Backends backends;
  LoadBalancer shown;  // what operations answer; `difference` is computed
};

class FakeLoadBalancers : public FakeCloudScript {
 public:
  FakeLoadBalancers(FakeLoop& loop, FakeObjects& objects, FakeContexts& contexts);

  // By Service UID. A test may change it between calls: drift, deletion by hand, a foreign owner.
  std::map<std::string, FakeLoadBalancer> balancers;
  // State of what `ensure` creates. It has its address, 203.0.113.N, once it is active.
  LoadBalancerState created_state = LoadBalancerState::active;
  std::chrono::milliseconds pending_retry{0};  // retry_after of what is pending
  LoadBalancerLimits known_limits;
  // Makes what is pending active, with its address.
  void activate(const std::string& uid);

  // The next call of observe, ensure or update_backends is answered like that and changes nothing;
  // a failure may carry what was made before it.
  void answer_next(std::string operation, Result<LoadBalancer> answer);

  [[nodiscard]] std::vector<LoadBalancerCall> calls() const;
  [[nodiscard]] std::vector<LoadBalancerCall> calls(std::string_view operation) const;
  void clear_calls();
  // How often something was created, changed or deleted.
  [[nodiscard]] int writes() const { return writes_; }

  [[nodiscard]] const ccm_cloud_loadbalancers* table() const { return &table_; }

 private:
  struct Table;
  void record(LoadBalancerCall call);
  static Answer give(Result<LoadBalancer> outcome);
  Answer answer_for(const LoadBalancerCall& call);
  LoadBalancer state_for(const LoadBalancerCall& call);
  LoadBalancer apply(const LoadBalancerCall& call);
  void give_address(FakeLoadBalancer& balancer);

  FakeObjects& objects_;
  detail::BackendLists lists_;
  ccm_cloud_loadbalancers table_{};
  std::deque<std::pair<std::string, Result<LoadBalancer>>> answers_;
  std::vector<LoadBalancerCall> calls_;
  int writes_ = 0;
  int created_ = 0;
};

}  // namespace ccm::testing
