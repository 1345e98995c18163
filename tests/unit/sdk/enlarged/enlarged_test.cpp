// Structs and tables that have grown on one side (R-4 to R-7): a plugin that was built with larger
// headers in today's fake host, and today's plugin in a fake host that was built with larger ones.
// CMakeLists.txt makes both of this file.
#include <ccm/testing/fake_component.hpp>
#include <ccm/testing/fake_controller.hpp>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ccm {
namespace {

using testing::FakeComponent;
using testing::FakeController;
using testing::FakeHost;
using testing::FakePlugin;

// The image stays loaded.
const ccm_plugin* load() {
  static void* const image = dlopen(CCM_TEST_PLUGIN, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (image == nullptr) ADD_FAILURE() << dlerror();
  const auto entry = reinterpret_cast<ccm_plugin_entry_fn>(dlsym(image, CCM_PLUGIN_ENTRY));
  return entry();
}

class Enlarged : public ::testing::Test {
 protected:
  ~Enlarged() override { EXPECT_TRUE(host.faults().empty()); }
  FakeHost host;
};

class EnlargedProvider : public Enlarged {
 protected:
  EnlargedProvider() {
    host.kube.put("v1/nodes", R"({"metadata": {"name": "n1"}})");
    host.files.set("/etc/x", "text");
    host.config.set_secret("TOKEN", "!");
    host.http.expect("GET", "http://cloud/login").answer(200, "hello", {{"a", "b"}});
  }
  template <typename Call>
  typename Call::Output finish(Call call) {
    return provider.finish(provider.start("call", std::move(call)));
  }
  FakePlugin plugin{host, load()};
  FakeComponent provider{plugin, "cloud"};
};

TEST_F(EnlargedProvider, TheSizesDiffer) { EXPECT_NE(load()->size, sizeof(ccm_plugin)); }

TEST_F(EnlargedProvider, EveryServiceOfTheHostIsUsed) {
  ASSERT_TRUE(provider.created().ok()) << provider.created().message();
  const Status done = provider.initialize();
  ASSERT_TRUE(done.ok()) << done.message();
  EXPECT_EQ(host.http.requests().at(0).headers.at(0).value, "y");
  EXPECT_EQ(host.http.clients().at(0).name, "cloud");
  EXPECT_EQ(host.events.all().at(0).message, "hello!");
  EXPECT_EQ(host.hints.all().at(0).provider_id, "test://1");
  EXPECT_EQ(host.log.lines().at(0).value("minor"), "1");
  EXPECT_EQ(host.kube.calls("delete").size(), 1U);
  host.config.change_cloud_config("new");
  host.leader.change(false);
  host.files.set("/etc/x", "other");
  host.loop.run();
  EXPECT_EQ(host.metrics.values("calls_total"), (std::vector<double>{1, 42, 1, 1, 1}));
  EXPECT_EQ(host.config.rejection(), "not now");
  EXPECT_EQ(provider.shutdown().message(), "1");
  provider.destroy();
}

TEST_F(EnlargedProvider, InstancesCross) {
  const auto list = provider.list();
  ASSERT_TRUE(list.ok()) << list.status().message();
  ASSERT_EQ(list->instances.size(), 2U);
  EXPECT_EQ(list->instances[1].name, "n2");
  EXPECT_EQ(list->instances[1].labels.at(0).value, "7");
  EXPECT_EQ(list->unknown_prefixes, std::vector<std::string>{"test://2/"});
  const auto described = provider.describe({{"a", "", {}}, {"b", "", {}}});
  ASSERT_TRUE(described.ok());
  EXPECT_EQ((*described)[0].name + (*described)[1].name, "ab");
  EXPECT_EQ(provider.get({"n1", "", {}})->provider_id, "test://1");
  EXPECT_EQ(provider.get({"gone", "", {}}).status().error_class(), ErrorClass::not_found);
  const auto instances = provider.interface<ccm_cloud_instances>(CCM_CLOUD_INSTANCES);
  EXPECT_EQ(finish(Instances::Limits{instances, provider.ctx()})->batch, 9);
}

TEST_F(EnlargedProvider, LoadBalancersCross) {
  const auto table = provider.interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
  LoadBalancerService service;
  service.uid = "u";
  service.default_name = "au";
  service.ports = {{"a", "TCP", "", 80, 1}, {"b", "UDP", "", 53, 2}};
  const Backends nodes(std::vector<Backend>{{"n1", "", {{"InternalIP", "10.0.0.1"}}, {}},
                                            {"n2", "", {{"InternalIP", "10.0.0.2"}}, {}}});
  LoadBalancers::Apply ensure{
      table, &ccm_cloud_loadbalancers::ensure, "ensure", provider.ctx(), service, nodes};
  const auto made = finish(ensure);
  ASSERT_TRUE(made.ok()) << made.status().message();
  ASSERT_EQ(made->ingress.size(), 4U);
  EXPECT_EQ(made->ingress[3].ip, "10.0.0.2");
  EXPECT_EQ(made->ingress[3].ports.at(0).protocol, "UDP");
  ensure.service.name = "broken";
  const auto half = finish(ensure);
  EXPECT_EQ(half.status().message(), "half");
  ASSERT_NE(half.partial(), nullptr);
  EXPECT_EQ(half.partial()->id, "u");
  EXPECT_EQ(*finish(LoadBalancers::Name{table, provider.ctx(), service}), "au");
  EXPECT_TRUE(finish(LoadBalancers::Remove{table, provider.ctx(), service}).ok());
  const auto limits = finish(LoadBalancers::Limits{table, provider.ctx()});
  EXPECT_EQ(limits->id_annotation, "x/id");
  EXPECT_EQ(limits->parallel, 3);
}

TEST_F(EnlargedProvider, RoutesCross) {
  const auto table = provider.interface<ccm_cloud_routes>(CCM_CLOUD_ROUTES);
  const auto listed = finish(Routes::List{table, provider.ctx(), "c"});
  ASSERT_TRUE(listed.ok());
  ASSERT_EQ(listed->size(), 2U);
  EXPECT_TRUE((*listed)[1].owned);
  Route added;
  added.name_hint = "hint";
  const auto applied =
      finish(Routes::Apply{table, provider.ctx(), "c", {(*listed)[1]}, {added, added}});
  ASSERT_TRUE(applied.ok());
  ASSERT_EQ(applied->size(), 3U);
  EXPECT_EQ((*applied)[0].message() + (*applied)[2].message(), "chint");
  const auto limits = finish(Routes::Limits{table, provider.ctx()});
  EXPECT_EQ(limits->routes, 5);
  EXPECT_TRUE(limits->uses_addresses);
}

TEST_F(Enlarged, AControllerWatchesReconcilesAndAsksTheCloud) {
  host.kube.put("v1/nodes", R"({"metadata": {"name": "n1"}})");
  FakeController controller(host, load(), "controller");
  const Status set_up = controller.setup();
  ASSERT_TRUE(set_up.ok()) << set_up.message();
  EXPECT_EQ(controller.workers(), 2U);
  controller.run();
  const auto ended = controller.take_reconciled();
  ASSERT_EQ(ended.size(), 2U);
  for (const auto& one : ended) EXPECT_TRUE(one.status.ok()) << one.status.message();
  EXPECT_EQ(ended[0].requeue_after, std::chrono::minutes(7));
  EXPECT_EQ(host.load_balancers.calls("ensure").at(0).service.ports.size(), 2U);
  EXPECT_EQ(host.load_balancers.calls("ensure").at(0).backends[1].name, "n2");
  EXPECT_EQ(host.routes.table_of_cloud.size(), 2U);
  EXPECT_TRUE(controller.stop().ok());
}

}  // namespace
}  // namespace ccm
