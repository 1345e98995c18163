// The work that Services of tenants and Nodes of kubelets are for controllers and providers.
// Input: a byte for each list that they may fill: how long it is; then a text that their items
// have in them.
// Property: an object of twice the length is at most twice the work. Work is counted by branches
// (work_counter.hpp), never by a clock, so a machine under load changes nothing. Code that
// sorts, or keeps a map, may need a little more; code that looks at each item for each other one
// would need four times as much.
#include "digitalocean/firewall/rules.hpp"
#include "digitalocean/load_balancers/annotations.hpp"
#include "digitalocean/load_balancers/forwarding_rules.hpp"
#include "digitalocean/load_balancers/request.hpp"
#include "fuzz.hpp"
#include "node-lifecycle/node_state.hpp"
#include "node-lifecycle/taints.hpp"
#include "node/desired_state.hpp"
#include "node/patches.hpp"
#include "openstack/load_balancers/features.hpp"
#include "openstack/load_balancers/options.hpp"
#include "openstack/load_balancers/wanted.hpp"
#include "openstack/network/name_pattern.hpp"
#include "route/node_state.hpp"
#include "service/intent.hpp"
#include "service/patches.hpp"
#include "service/predicates.hpp"
#include "service/service_state.hpp"
#include "static/address_request.hpp"
#include "work_counter.hpp"

#include <ccm/testing/fake_objects.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ccm::fuzz {
namespace {

using nlohmann::json;

// The lists, whose lengths a Shape has.
enum Field : std::size_t {
  kMisspelt,     // annotations with a provider's prefix
  kAnnotations,  // other ones
  kPorts,
  kRanges,
  kListedPorts,  // in annotations
  kAllowRules,
  kSelector,
  kAddressList,
  kPattern,  // characters
  kFinalizers,
  kIngress,
  kConditions,
  kLabels,
  kTaints,
  kAddresses,
  kHostnames,
  kFields
};

struct Shape {
  std::array<std::size_t, kFields> counts{};
  std::string text;

  [[nodiscard]] Shape twice() const {
    Shape more = *this;
    for (std::size_t& count : more.counts) count *= 2;
    return more;
  }
};

Shape read_shape(Input& input) {
  Shape shape;
  for (std::size_t& count : shape.counts) {
    const std::size_t byte = input.byte();
    count = byte * byte / 8;  // up to 8,128
  }
  for (const char c : input.rest().substr(0, 40)) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-') shape.text += c;
  }
  return shape;
}

// "item0,item1,..."
template <typename Item>
std::string list(std::size_t count, Item item) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += (i == 0 ? "" : ",") + item(i);
  return all;
}

std::string address(std::size_t i) {
  return "10." + std::to_string(i / 65'536) + "." + std::to_string(i / 256 % 256) + "." +
         std::to_string(i % 256);
}

json annotations_of(const Shape& shape) {
  const std::string digitalocean = "service.beta.kubernetes.io/do-loadbalancer-";
  const std::string openstack = "loadbalancer.openstack.org/";
  json all = json::object();
  for (std::size_t i = 0; i < shape.counts[kMisspelt]; ++i) {
    all[digitalocean + shape.text + "-nmae" + std::to_string(i)] = "x";
  }
  for (std::size_t i = 0; i < shape.counts[kAnnotations]; ++i) {
    all["example.com/" + shape.text + std::to_string(i)] = shape.text;
  }
  const std::size_t ports = shape.counts[kListedPorts];
  all[digitalocean + "http-ports"] = list(ports, [](auto i) { return std::to_string(i + 1); });
  all[digitalocean + "http2-ports"] =
      list(ports, [](auto i) { return std::to_string(i + 100'001); });
  all[digitalocean + "allow-rules"] =
      list(shape.counts[kAllowRules], [](auto i) { return "ip:" + address(i); });
  all[openstack + "node-selector"] =
      list(shape.counts[kSelector], [&](auto i) { return shape.text + std::to_string(i) + "=x"; });
  all[openstack + "floating-subnet"] = "~(" + std::string(shape.counts[kPattern] % 400, 'a') + ")+";
  all["static.cloud-controller-manager/load-balancer-ips"] =
      list(shape.counts[kAddressList], address);
  return all;
}

json service_of(const Shape& shape) {
  json ports = json::array();
  for (std::size_t i = 0; i < shape.counts[kPorts]; ++i) {
    ports.push_back({{"name", shape.text + std::to_string(i)},
                     {"protocol", "TCP"},
                     {"port", i + 1},
                     {"nodePort", 30'000 + i}});
  }
  json ranges = json::array();
  for (std::size_t i = 0; i < shape.counts[kRanges]; ++i) ranges.push_back(address(i) + "/32");
  json finalizers = json::array();
  for (std::size_t i = 0; i < shape.counts[kFinalizers]; ++i) {
    finalizers.push_back("example.com/" + shape.text + std::to_string(i));
  }
  json ingress = json::array();
  for (std::size_t i = 0; i < shape.counts[kIngress]; ++i) ingress.push_back({{"ip", address(i)}});
  json conditions = json::array();
  for (std::size_t i = 0; i < shape.counts[kConditions]; ++i) {
    conditions.push_back({{"type", shape.text + std::to_string(i)}, {"status", "True"}});
  }
  return {{"metadata",
           {{"name", "web"},
            {"namespace", "shop"},
            {"uid", "0c8ab2c3-1111-2222-3333-444455556666"},
            {"annotations", annotations_of(shape)},
            {"finalizers", std::move(finalizers)}}},
          {"spec",
           {{"type", "LoadBalancer"},
            {"ports", std::move(ports)},
            {"loadBalancerSourceRanges", std::move(ranges)}}},
          {"status",
           {{"loadBalancer", {{"ingress", std::move(ingress)}}},
            {"conditions", std::move(conditions)}}}};
}

json node_of(const Shape& shape) {
  json labels = json::object();
  for (std::size_t i = 0; i < shape.counts[kLabels]; ++i) {
    labels["example.com/" + shape.text + std::to_string(i)] = "x";
  }
  json taints = json::array();
  for (std::size_t i = 0; i < shape.counts[kTaints]; ++i) {
    taints.push_back({{"key", shape.text + std::to_string(i)}, {"effect", "NoSchedule"}});
  }
  json addresses = json::array();
  for (std::size_t i = 0; i < shape.counts[kAddresses]; ++i) {
    addresses.push_back({{"type", "InternalIP"}, {"address", address(i)}});
  }
  for (std::size_t i = 0; i < shape.counts[kHostnames]; ++i) {
    addresses.push_back({{"type", "Hostname"}, {"address", shape.text + std::to_string(i)}});
  }
  return {{"metadata", {{"name", "node-1"}, {"uid", "7c1b"}, {"labels", std::move(labels)}}},
          {"spec", {{"providerID", "digitalocean://1"}, {"taints", std::move(taints)}}},
          {"status", {{"addresses", std::move(addresses)}}}};
}

Backends some_nodes(const Object& node) {
  std::vector<Backend> nodes(3);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].name = "node-" + std::to_string(i);
    nodes[i].provider_id = "digitalocean://" + std::to_string(i + 1);
    nodes[i].addresses = {{"InternalIP", address(i)}, {"ExternalIP", "192.0.2.1"}};
    nodes[i].node = node;
  }
  return Backends(std::move(nodes));
}

void serve_on_digitalocean(const LoadBalancerService& service, const Backends& nodes) {
  const digitalocean::Settings settings;
  const digitalocean::Annotations annotations = digitalocean::read_annotations(service.object);
  SpellingHelp spelling(digitalocean::annotation::kAll);
  (void)annotations.unknown(spelling);
  (void)digitalocean::firewall_rules(service.object, digitalocean::kRegionalNetwork);
  try {
    (void)digitalocean::forwarding_rules(service, annotations, digitalocean::kRegional, "cert");
  } catch (const digitalocean::SpecError&) {
  }
  const auto traits = digitalocean::read_traits(service, annotations, settings);
  const auto eligible =
      digitalocean::select_backends(nodes, digitalocean::kRegional, digitalocean::kExternal);
  if (!traits.ok() || !eligible.ok()) return;
  (void)digitalocean::build_request({service,
                                     annotations,
                                     settings,
                                     *traits,
                                     *eligible,
                                     {1, 2, 3},
                                     nullptr,
                                     "certificate",
                                     "nyc3"});
}

void serve_on_openstack(const LoadBalancerService& service, const Backends& nodes) {
  const openstack::LoadBalancerSettings settings;
  const openstack::Features features = openstack::features_of(30, "amphora");
  const auto options = openstack::read_service_options(service, settings, {});
  if (!options.ok()) return;
  const auto pattern = openstack::NamePattern::parse(options->floating.subnet_pattern);
  if (pattern.ok()) (void)pattern->fits(std::string(255, 'a'));
  (void)openstack::wanted_load_balancer(service, nodes,
                                        {*options, settings, features, "IPv4", {{"IPv4"}, {}}, ""});
}

void sync_service(const Object& object, const Object& node) {
  const service::ServiceState state = service::read_service(object);
  (void)service::needs_update(state, state, service::ClassTable());
  service::ServicePatch patch;
  patch.finalizer = service::ServicePatch::Finalizer::add;
  (void)patch.render(state);
  const service::IntentOptions options{"kubernetes", "example.com/id", "id"};
  const auto intent = service::make_intent(object, state, {}, options);
  if (!intent.ok()) return;
  (void)service::intent_hash(*intent, state, options, {});
  const Backends nodes = some_nodes(node);
  serve_on_digitalocean(*intent, nodes);
  serve_on_openstack(*intent, nodes);
  (void)static_provider::read_request(*intent);
}

void sync_node(const Object& object) {
  const node::NodeState state = node::read_node(object);
  Instance instance;
  instance.provider_id = "digitalocean://1";
  instance.addresses = {{"InternalIP", "10.0.0.1"}};
  const auto desired = node::desired_state(state, instance);
  if (desired.ok()) (void)node::initialization_patch(state, *desired);
  const node_lifecycle::NodeState life = node_lifecycle::read_node(object);
  (void)node_lifecycle::taint_patch(life, node_lifecycle::Wanted::shutdown);
  const route::NodeState routed = route::read_node(object);
  (void)route::same_target(routed, routed);
}

uint64_t work_of(const Shape& shape) {
  testing::FakeObjects objects;
  const Object service = objects.make(service_of(shape).dump());
  const Object node = objects.make(node_of(shape).dump());
  const uint64_t before = branches_taken();
  sync_node(node);
  sync_service(service, node);
  return branches_taken() - before;
}

}  // namespace

void work_target(std::string_view bytes) {
  // Work that does not depend on the lengths, and work that has a limit of its own: 20 names that
  // get help, 100,000 entries of a load balancer.
  constexpr uint64_t kFixed = 6'000'000;
  Input input(bytes);
  const Shape shape = read_shape(input);
  const uint64_t once = work_of(shape);
  const uint64_t twice = work_of(shape.twice());
  require(once > 0, "the work is counted");
  if (twice > kFixed + once / 10 * 25) {
    std::fprintf(stderr, "%llu branches, and %llu for twice as much\n",
                 static_cast<unsigned long long>(once), static_cast<unsigned long long>(twice));
    require(false, "twice the length is at most twice the work");
  }
}

}  // namespace ccm::fuzz
