// A small cloud with a route table, as the host shows it to controllers: a test sets what the table
// holds, scripts failures, and looks at each call. Without a script `apply` does what it is asked.
//
//   host.routes.known_limits.routes = 2;                  // the third is refused as quota
//   host.routes.refusals["10.0.1.0/24"] = Status(...);    // of that route, until erased
//   EXPECT_EQ(host.routes.calls("apply").size(), 1u);
//
// A host without routes: host.hide(CCM_CLOUD_ROUTES).
#pragma once

#include <ccm/route.hpp>
#include <ccm/testing/fake_cloud_script.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::testing {

// One call that reached the cloud: list, apply, limits.
struct RouteCall {
  std::string operation;
  std::string cluster_name;
  std::vector<Route> removals;
  std::vector<Route> additions;
};

class FakeRoutes : public FakeCloudScript {
 public:
  FakeRoutes(FakeLoop& loop, FakeObjects& objects, FakeContexts& contexts);

  // The cloud's routes. A test may change it between calls.
  std::vector<Route> table_of_cloud;
  RouteLimits known_limits;
  // Changes of routes with that destination fail like that.
  std::map<std::string, Status> refusals;

  [[nodiscard]] std::vector<RouteCall> calls() const;
  [[nodiscard]] std::vector<RouteCall> calls(std::string_view operation) const;
  void clear_calls();
  // How many routes were added or removed.
  [[nodiscard]] int writes() const { return writes_; }

  [[nodiscard]] const ccm_cloud_routes* table() const { return &table_; }

 private:
  struct Table;
  void record(RouteCall call);
  Status remove_one(const Route& route);
  Status add_one(Route route);

  FakeObjects& objects_;
  ccm_cloud_routes table_{};
  std::vector<RouteCall> calls_;
  int writes_ = 0;
  int added_ = 0;
};

}  // namespace ccm::testing
