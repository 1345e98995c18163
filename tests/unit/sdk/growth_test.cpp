// Structs that are shorter or longer than this side knows them (ccm/abi/base.h, R-4 to R-8).
#include <ccm/testing/fake_component.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ccm {
namespace {

using testing::Dispatch;
using testing::FakeComponent;
using testing::FakeHost;
using testing::plugin_of;

// A struct as a later release has it: bytes that nobody here knows.
template <typename T>
struct Later {
  Later() { known_part.size = sizeof(*this); }
  T known_part{};
  uint64_t news = 0;
  [[nodiscard]] const T* get() const { return &known_part; }
};

struct Cloud {
  explicit Cloud(Host&) {}
  static inline int calls = 0;
  Status initialize(const Ctx&) { return ++calls, Status(); }
  Result<std::vector<Instance>> describe(const Ctx&, std::vector<NodeIdentity> nodes) {
    ++calls;
    return std::vector<Instance>(nodes.size());
  }
  Result<LoadBalancer> ensure_load_balancer(const Ctx&, const LoadBalancerService&,
                                            const Backends&) {
    return ++calls, LoadBalancer();
  }
  Status delete_load_balancer(const Ctx&, const LoadBalancerService&) { return ++calls, Status(); }
  Result<std::vector<Route>> list_routes(const Ctx&, const std::string&) {
    return ++calls, std::vector<Route>();
  }
  Result<std::vector<Status>> apply_routes(const Ctx&, const std::string&,
                                           std::vector<Route> removals,
                                           std::vector<Route> additions) {
    ++calls;
    return std::vector<Status>(removals.size() + additions.size());
  }
};

class GrowthTest : public ::testing::Test {
 protected:
  GrowthTest() { Cloud::calls = 0; }

  // How an operation ends that is given this request.
  template <typename Table, typename Request>
  Status end(const char* id, void (*Table::*member)(void*, ccm_ctx, const Request*, ccm_completion),
             const Request* request) {
    const auto table = component.interface<Table>(id);
    Status outcome;
    const Ctx ctx = component.ctx();
    table.get(member)(table.self(), ctx.get(), request,
                      {[](void* owner, uint64_t, const ccm_status* status, const void*) {
                         *static_cast<Status*>(owner) = Status::from_c(status);
                       },
                       &outcome, 1});
    return outcome;
  }
  static void expect_refused(const Status& status) {
    EXPECT_EQ(status.code(), Code::unimplemented);
    EXPECT_EQ(status.reason(), CCM_REASON_UNKNOWN_REQUEST);
    EXPECT_EQ(Cloud::calls, 0);
  }

  FakeHost host;
  FakeComponent component{host, plugin_of<Cloud, Dispatch::loop>(), "test"};
};

TEST_F(GrowthTest, R_6_ALaterRequestWithoutNewsIsDone) {
  const Later<ccm_initialize_request> request;
  EXPECT_TRUE(end(CCM_PROVIDER, &ccm_provider::initialize, request.get()).ok());
  EXPECT_EQ(Cloud::calls, 1);
}

TEST_F(GrowthTest, R_6_UnknownBytesAreRefused) {
  Later<ccm_initialize_request> request;
  request.news = 1;
  expect_refused(end(CCM_PROVIDER, &ccm_provider::initialize, request.get()));
}

TEST_F(GrowthTest, R_6_UnknownFlagsAreRefused) {
  auto request = sized<ccm_list_routes_request>();
  request.flags = 1U << 31U;
  expect_refused(end(CCM_CLOUD_ROUTES, &ccm_cloud_routes::list, &request));
}

TEST_F(GrowthTest, R_6_ARequestWithinTheRequestCounts) {
  Later<ccm_node_identity> node;
  node.news = 1;
  const ccm_node_identity* nodes[] = {node.get()};
  auto describe = sized<ccm_describe_instances_request>();
  describe.nodes = nodes;
  describe.node_count = 1;
  expect_refused(end(CCM_CLOUD_INSTANCES, &ccm_cloud_instances::describe, &describe));

  auto route = sized<ccm_route>();
  route.flags = CCM_ROUTE_OWNED | 4U;
  const ccm_route* routes[] = {&route};
  auto apply = sized<ccm_apply_routes_request>();
  apply.add = routes;
  apply.add_count = 1;
  expect_refused(end(CCM_CLOUD_ROUTES, &ccm_cloud_routes::apply, &apply));
}

TEST_F(GrowthTest, R_6_AServiceItsPortsAndBackendsCount) {
  Later<ccm_service_port> port;
  const ccm_service_port* ports[] = {port.get()};
  auto service = sized<ccm_service>();
  service.ports = ports;
  service.port_count = 1;
  Later<ccm_backend> backend;
  const ccm_backend* backends[] = {backend.get()};
  auto request = sized<ccm_load_balancer_request>();
  request.service = &service;
  request.backends = backends;
  request.backend_count = 1;
  const auto ensure = [&] {
    return end(CCM_CLOUD_LOADBALANCERS, &ccm_cloud_loadbalancers::ensure, &request);
  };
  EXPECT_TRUE(ensure().ok());
  Cloud::calls = 0;
  port.news = 1;
  expect_refused(ensure());
  port.news = 0;
  backend.news = 1;
  expect_refused(ensure());
  backend.news = 0;
  service.flags = 1U << 20U;
  expect_refused(ensure());
}

TEST_F(GrowthTest, R_5_AnEarlierRequestEndsBeforeItsLastMembers) {
  auto service = sized<ccm_service>();
  service.size = offsetof(ccm_service, source_ranges);
  service.source_range_count = 17;  // beyond its size: not there
  auto request = sized<ccm_load_balancer_request>();
  request.size = offsetof(ccm_load_balancer_request, backends);
  request.service = &service;
  request.backend_count = 17;
  EXPECT_TRUE(end(CCM_CLOUD_LOADBALANCERS, &ccm_cloud_loadbalancers::ensure, &request).ok());
}

TEST_F(GrowthTest, AMissingRequestIsAFailure) {
  const ccm_initialize_request* none = nullptr;
  EXPECT_EQ(end(CCM_PROVIDER, &ccm_provider::initialize, none).code(), Code::invalid_argument);
}

TEST(Growth, R_4_ASizeThatCannotBeIsRefusedUnread) {
  auto request = sized<ccm_list_routes_request>();
  request.size = 0xFFFFFFF0U;
  EXPECT_FALSE(only_known(&request));
}

TEST(Growth, R_7_ShortStatusesSayWhatTheyHave) {
  ccm_status raw = Status(Code::aborted, ErrorClass::conflict, "somebody else").to_c();
  raw.size = offsetof(ccm_status, error_class);
  EXPECT_EQ(Status::from_c(&raw).code(), Code::aborted);
  EXPECT_EQ(Status::from_c(&raw).error_class(), ErrorClass::none);
  EXPECT_EQ(Status::from_c(&raw).message(), "");
  raw.size = offsetof(ccm_status, code);
  EXPECT_EQ(Status::from_c(&raw).code(), Code::internal);
}

TEST(Growth, R_7_ShortAndUnknownResultsConcludeNothing) {
  auto instance = sized<ccm_instance>();
  instance.state = CCM_INSTANCE_ABSENT;
  instance.name = c_str("n1");
  instance.size = offsetof(ccm_instance, provider_id);
  EXPECT_EQ(Instance::from_c(instance).state, InstanceState::absent);
  EXPECT_EQ(Instance::from_c(instance).name, "");
  instance.state = 99;
  EXPECT_EQ(Instance::from_c(instance).state, InstanceState::unknown);

  auto balancer = sized<ccm_load_balancer>();
  balancer.state = CCM_LOAD_BALANCER_ABSENT;
  balancer.size = offsetof(ccm_load_balancer, state);
  EXPECT_EQ(detail::load_balancer_from_c(balancer).state, LoadBalancerState::unknown);
  balancer.size = sizeof(balancer);
  balancer.state = 99;
  EXPECT_EQ(detail::load_balancer_from_c(balancer).state, LoadBalancerState::unknown);

  auto list = sized<ccm_instance_list>();
  list.size = offsetof(ccm_instance_list, count);
  EXPECT_EQ(detail::decode_instances({}, &list).status().code(), Code::internal);
}

TEST(Growth, R_7_UnknownTailsOfResultsAreIgnored) {
  Later<ccm_instance> instance;
  instance.known_part.state = CCM_INSTANCE_RUNNING;
  instance.news = 7;
  EXPECT_EQ(Instance::from_c(*instance.get()).state, InstanceState::running);
}

TEST(Growth, R_5_AFunctionBeyondTheTableIsNotImplemented) {
  auto table = sized<ccm_host_timer>();
  table.cancel = [](void*, uint64_t) {};
  EXPECT_NE(function_of(&table, &ccm_host_timer::cancel), nullptr);
  EXPECT_EQ(function_of(&table, &ccm_host_timer::after), nullptr);
  table.size = offsetof(ccm_host_timer, cancel);
  EXPECT_EQ(function_of(&table, &ccm_host_timer::cancel), nullptr);
}

}  // namespace
}  // namespace ccm
