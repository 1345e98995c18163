// Uses what there is of the SDK, so that every struct crosses: built with the headers as they are,
// and with headers in which every struct and table is larger.
#include <ccm/plugin.hpp>

#include <memory>
#include <utility>

CCM_PLUGIN_MANIFEST(R"({"id": "test.enlarged", "nonblocking": true})");

namespace {

using namespace ccm;  // NOLINT: a test's plugin

struct Session {
  explicit Session(Host& host) { host.log.info("Opened", {{"minor", host.abi_minor()}}); }
  int logins = 0;
};

struct Provider {
  Provider(Host& h, Session& s)
      : host(h), session(s), calls(h.metrics.counter("calls_total", "calls", {"kind"})) {
    host.config.on_change([this] {
      calls.record(1, {"change"});
      host.config.rejected("not now");
    });
    host.leader.on_change([this] { calls.record(1, {"leader"}); });
    host.files.watch(path, [this] { calls.record(1, {"file"}); });
  }

  Task<Status> initialize(Ctx ctx) {
    ++session.logins;
    HttpClientOptions options;
    options.name = "cloud";
    auto client = co_await host.http_clients.open(ctx, std::move(options));
    if (!client.ok()) co_return client.status();
    HttpRequest request;
    request.url = "http://cloud/login";
    request.headers = {{"x", "y"}};
    const Ctx limited = ctx.with_timeout(std::chrono::seconds(5));
    const auto answer = co_await client->send(limited, std::move(request));
    if (!answer.ok()) co_return answer.status();
    const auto text = co_await host.files.read(ctx, path);
    if (!text.ok()) co_return text.status();
    const auto digest = host.crypto.sha256(*text);
    if (!digest.ok()) co_return digest.status();
    const std::string key = host.config.secret("SIGNING_KEY").value_or("key");
    const auto signature = host.crypto.sign(SignAlgorithm::es256, key, *text);
    if (!signature.ok()) co_return signature.status();
    const auto sum = co_await host.worker.run(ctx, [] { return 41 + 1; });
    if (!sum.ok()) co_return sum.status();
    Status slept = co_await host.timer.sleep(ctx, std::chrono::milliseconds(1));
    if (!slept.ok()) co_return slept;
    Status written = co_await write(ctx);
    if (!written.ok()) co_return written;
    host.hints.instance_changed("test://1");
    ObjectReference node{"v1", "Node", "n1", {}, {}};
    host.events.normal(node, "LoggedIn", answer->body + host.config.secret("TOKEN").value_or(""));
    calls.record(static_cast<double>(*sum), {"login"});
    co_return Status();
  }
  Task<Status> write(Ctx ctx) {
    KubePatch patch;
    patch.reference = {"v1/nodes", "n1", "", ""};
    patch.body = R"({"metadata": {"labels": {"a": "b"}}})";
    const auto patched = co_await host.kube.patch(ctx, std::move(patch));
    if (!patched.ok()) co_return patched.status();
    KubeReference node{"v1/nodes", "n1", "", ""};
    const auto fresh = co_await host.kube.get(ctx, std::move(node));
    if (!fresh.ok() || fresh->text("/metadata/labels/a") != "b") co_return fresh.status();
    KubeSelection nodes;
    nodes.resource = "v1/nodes";
    const auto all = co_await host.kube.list(ctx, std::move(nodes));
    if (!all.ok()) co_return all.status();
    KubeReference made{"v1/configmaps", "", "default", ""};
    const auto created = co_await host.kube.create(
        ctx, std::move(made), R"({"metadata": {"name": "m", "namespace": "default"}})");
    if (!created.ok()) co_return created.status();
    KubeDelete removal;
    removal.reference = {"v1/configmaps", "m", "default", ""};
    removal.uid = created->uid();
    co_return co_await host.kube.remove(ctx, std::move(removal));
  }
  Status shutdown(const Ctx&) { return Status(Code::aborted, std::to_string(session.logins)); }
  bool has_cluster_id() { return true; }

  Result<InstanceList> list(const Ctx&) {
    Instance machine;
    machine.state = InstanceState::running;
    machine.provider_id = "test://1";
    machine.name = "n1";
    machine.addresses = {{"InternalIP", "10.0.0.1"}};
    machine.labels = {{"rack", "7"}};
    Instance other = machine;
    other.name = "n2";
    InstanceList all({machine, other});
    all.unknown_prefixes = {"test://2/"};
    return all;
  }
  Result<std::vector<Instance>> describe(const Ctx&, std::vector<NodeIdentity> nodes) {
    std::vector<Instance> answer(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) answer[i].name = nodes[i].name;
    return answer;
  }
  Result<Instance> get(const Ctx&, NodeIdentity node) {
    if (node.name == "gone") return Status(Code::not_found, ErrorClass::not_found, "gone");
    return list(Ctx())->instances[0];
  }
  Result<InstanceLimits> instance_limits(const Ctx&) {
    InstanceLimits limits;
    limits.batch = 9;
    return limits;
  }

  Result<LoadBalancer> ensure_load_balancer(const Ctx&, const LoadBalancerService& service,
                                            const Backends& backends) {
    LoadBalancer balancer;
    balancer.state = LoadBalancerState::active;
    balancer.id = service.uid;
    for (const ServicePort& port : service.ports) {
      for (const Backend& backend : backends) {
        Ingress ingress;
        ingress.ip = backend.addresses.at(0).address;
        ingress.ports = {{port.protocol, "", port.port}};
        balancer.ingress.push_back(ingress);
      }
    }
    if (service.name == "broken") return {Status(Code::aborted, "half"), balancer};
    return balancer;
  }
  Status delete_load_balancer(const Ctx&, const LoadBalancerService&) { return {}; }
  Result<std::string> load_balancer_name(const Ctx&, const LoadBalancerService& service) {
    return service.default_name;
  }
  Result<LoadBalancerLimits> load_balancer_limits(const Ctx&) {
    LoadBalancerLimits limits;
    limits.id_annotation = "x/id";
    limits.parallel = 3;
    return limits;
  }

  Result<std::vector<Route>> list_routes(const Ctx&, const std::string& cluster) {
    Route one;
    one.id = cluster;
    one.owned = true;
    return std::vector<Route>{one, one};
  }
  Result<std::vector<Status>> apply_routes(const Ctx&, const std::string&,
                                           std::vector<Route> removals,
                                           std::vector<Route> additions) {
    std::vector<Status> statuses;
    for (const Route& route : removals) statuses.emplace_back(Code::aborted, route.id);
    for (const Route& route : additions) statuses.emplace_back(Code::aborted, route.name_hint);
    return statuses;
  }
  Result<RouteLimits> route_limits(const Ctx&) {
    RouteLimits limits;
    limits.routes = 5;
    limits.uses_addresses = true;
    return limits;
  }

  Host& host;
  Session& session;
  Metric calls;
  const std::string path = host.config.secret("WATCHED_PATH").value_or("/etc/x");
};

// Asks the cloud for whatever key it gets.
struct Controller {
  explicit Controller(Host& h) : host(h) {}
  Status setup(Setup& setup) {
    Watch watch;
    watch.resource = "v1/nodes";
    watch.fields = {"/metadata/labels"};
    watch.map = [](EventKind kind, const Object&, const Object& now, const Queue& queue) {
      if (kind == EventKind::added) queue.add(now.name());
    };
    setup.watch(std::move(watch));
    QueueOptions options;
    options.workers = 2;
    setup.queue(options);
    setup.every("tick", std::chrono::hours(1));
    return {};
  }
  Task<Result<ReconcileResult>> reconcile(Ctx ctx, Request request) {
    LoadBalancerService service;
    service.uid = "u";
    service.ports = {{"a", "TCP", "", 80, 30080}, {"b", "UDP", "", 53, 30053}};
    const std::vector<Backend> nodes{{"n1", "test://1", {{"InternalIP", "10.0.0.1"}}, {}},
                                     {"n2", "test://2", {{"InternalIP", "10.0.0.2"}}, {}}};
    const auto made = co_await host.load_balancers.ensure(ctx, service, nodes);
    if (!made.ok()) co_return made.status();
    const auto removed = co_await host.load_balancers.remove(ctx, service);
    if (!removed.ok()) co_return removed;
    Route route;
    route.destination_cidr = "10.1.0.0/24";
    route.target_node = request.key;
    const std::vector<Route> none;
    const std::vector<Route> routes{route, route};
    const auto applied = co_await host.routes.apply(ctx, "c", none, routes);
    if (!applied.ok()) co_return applied.status();
    const auto listed = co_await host.routes.list(ctx, "c");
    if (!listed.ok()) co_return listed.status();
    const auto limits = co_await host.routes.limits(ctx);
    if (!limits.ok()) co_return limits.status();
    co_return ReconcileResult{std::chrono::minutes(7)};
  }
  Task<Status> stop(Ctx) { co_return Status(); }
  Host& host;
};

}  // namespace

CCM_PLUGIN(ccm::shared<Session>(), ccm::component<Provider, Session>("cloud"),
           ccm::component<Controller>("controller"));
