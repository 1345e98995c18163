#include "network_fixture.hpp"

namespace sandbox {
namespace {

ccm::testing::FakeHttp::Answer ask(cloud::CloudServer& cloud, const ccm::HttpRequest& sent) {
  const std::string base = "http://cloud:80";
  http::Request request;
  request.method = sent.method;
  const std::string target = sent.url.substr(base.size());
  const std::size_t question = target.find('?');
  request.path = target.substr(0, question);
  if (question != std::string::npos) {
    request.query = http::Query::parse(target.substr(question + 1));
  }
  for (const ccm::HttpHeader& header : sent.headers) {
    if (header.name == "authorization") request.authorization = header.value;
  }
  request.body = sent.body;
  const http::Reply reply = cloud.handle(request);
  ccm::testing::FakeHttp::Answer answer;
  answer.hangs = reply.hang;
  answer.delay = reply.delay;
  answer.outcome =
      ccm::HttpResponse{static_cast<uint32_t>(reply.response.status), {}, reply.response.body};
  return answer;
}

}  // namespace

NetworkTest::NetworkTest() {
  host.config.set_cloud_config(R"({"endpoint": "http://cloud:80", "token": "s3cret"})");
  host.http.handle([this](const ccm::HttpRequest& request) { return ask(cloud_, request); });
  control("POST", "/machines/generate", {{"count", 3}, {"prefix", "node-"}});
  settings({{"active_ms", 0}});
  const ccm::Status ready = provider.initialize();
  EXPECT_TRUE(ready.ok()) << ready.message();
  take_calls();
}

NetworkTest::~NetworkTest() {
  EXPECT_TRUE(host.faults().empty());
  EXPECT_FALSE(host.log.contains("s3cret"));
}

NetworkTest::Json NetworkTest::control(const std::string& method, const std::string& path,
                                       const Json& body) {
  http::Request request;
  request.method = method;
  request.path = "/control" + path;
  if (!body.is_null()) request.body = body.dump();
  const http::Reply reply = cloud_.handle(request);
  EXPECT_EQ(reply.response.status, 200) << path << reply.response.body;
  return Json::parse(reply.response.body);
}

void NetworkTest::fault(const std::string& operation, const std::string& kind, Json more) {
  more["operations"] = {{operation, kind}};
  control("PUT", "/faults", more);
}

NetworkTest::Json NetworkTest::take_calls() {
  Json result = Json::object();
  const Json calls = control("DELETE", "/calls").at("by_operation");
  for (const auto& [operation, count] : calls.items()) {
    if (count != 0) result[operation] = count;
  }
  return result;
}

ccm::LoadBalancerService NetworkTest::service(const std::string& uid) {
  ccm::LoadBalancerService service;
  service.name = "web";
  service.namespace_name = "default";
  service.uid = uid;
  service.cluster_name = "kubernetes";
  service.default_name = "a" + uid;
  service.ports = {{"http", "TCP", "", 80, 30080}};
  service.ip_families = {"IPv4"};
  return service;
}

void NetworkTest::annotate(ccm::LoadBalancerService& service, const Json& annotations) {
  service.object = host.objects.make(Json{{"metadata", {{"annotations", annotations}}}}.dump());
}

std::vector<ccm::Backend> NetworkTest::nodes(const std::vector<std::string>& names) {
  std::vector<ccm::Backend> backends;
  for (const std::string& name : names) {
    backends.push_back({name, "sandbox://" + name, {}, ccm::Object()});
  }
  return backends;
}

ccm::Result<ccm::LoadBalancer> NetworkTest::call(decltype(Apply::function) function,
                                                 const char* name, ccm::LoadBalancerService service,
                                                 const std::vector<std::string>& backends) {
  const auto table = provider.interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
  return provider.finish(provider.start(
      name, Apply{table, function, name, provider.ctx(), std::move(service), nodes(backends)}));
}

ccm::Result<ccm::LoadBalancer> NetworkTest::observe(ccm::LoadBalancerService service,
                                                    const std::vector<std::string>& backends) {
  return call(&ccm_cloud_loadbalancers::observe, "observe", std::move(service), backends);
}

ccm::Result<ccm::LoadBalancer> NetworkTest::ensure(ccm::LoadBalancerService service,
                                                   const std::vector<std::string>& backends) {
  return call(&ccm_cloud_loadbalancers::ensure, "ensure", std::move(service), backends);
}

ccm::Result<ccm::LoadBalancer> NetworkTest::update(ccm::LoadBalancerService service,
                                                   const std::vector<std::string>& backends) {
  return call(&ccm_cloud_loadbalancers::update_backends, "update", std::move(service), backends);
}

ccm::Status NetworkTest::remove(ccm::LoadBalancerService service) {
  const auto table = provider.interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
  return provider.finish(provider.start(
      "remove", ccm::LoadBalancers::Remove{table, provider.ctx(), std::move(service)}));
}

ccm::Result<std::vector<ccm::Route>> NetworkTest::list_routes() {
  const auto table = provider.interface<ccm_cloud_routes>(CCM_CLOUD_ROUTES);
  return provider.finish(
      provider.start("list", ccm::Routes::List{table, provider.ctx(), "kubernetes"}));
}

ccm::Result<std::vector<ccm::Status>> NetworkTest::apply(std::vector<ccm::Route> removals,
                                                         std::vector<ccm::Route> additions) {
  const auto table = provider.interface<ccm_cloud_routes>(CCM_CLOUD_ROUTES);
  return provider.finish(
      provider.start("apply", ccm::Routes::Apply{table, provider.ctx(), "kubernetes",
                                                 std::move(removals), std::move(additions)}));
}

}  // namespace sandbox
