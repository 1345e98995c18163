#include "world.hpp"

#include <ccm/taints.hpp>

#include <fmt/format.h>

namespace ccm::conformance {
namespace {

constexpr const char* kBorn = "2026-01-01T00:00:00Z";

WorldJson condition(const char* type, const char* status) {
  return {{"type", type},  {"status", status},           {"reason", "Conformance"},
          {"message", ""}, {"lastHeartbeatTime", kBorn}, {"lastTransitionTime", kBorn}};
}

// As the kubelet registers it.
WorldJson node(const std::string& name, const char* ready) {
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata",
           {{"name", name},
            {"uid", "uid-of-" + name},
            {"creationTimestamp", kBorn},
            {"annotations", {{"example.com/kept", "yes"}}},
            {"labels", {{"kubernetes.io/hostname", name}, {"example.com/kept", "yes"}}}}},
          {"spec", WorldJson::object()},
          {"status",
           {{"addresses", {{{"type", "Hostname"}, {"address", name}}}},
            {"capacity", {{"cpu", "2"}}},
            {"nodeInfo", {{"kubeletVersion", "v1.30.0"}}},
            {"conditions", {condition("DiskPressure", "False"), condition("Ready", ready)}}}}};
}

WorldJson joining(const std::string& name) {
  WorldJson made = node(name, "True");
  made["spec"]["taints"] = {
      {{"key", kUninitializedTaint}, {"value", "true"}, {"effect", kNoScheduleEffect}}};
  return made;
}

WorldJson joined(const std::string& name, int number, const char* ready) {
  WorldJson made = node(name, ready);
  made["spec"]["providerID"] = "conformance://" + name;
  made["spec"]["podCIDR"] = fmt::format("10.244.{}.0/24", number);
  made["spec"]["podCIDRs"] = {fmt::format("10.244.{}.0/24", number)};
  WorldJson& labels = made["metadata"]["labels"];
  labels["node.kubernetes.io/instance-type"] = "m5.large";
  labels["topology.kubernetes.io/zone"] = "zone-1";
  labels["topology.kubernetes.io/region"] = "region-1";
  made["status"]["addresses"].push_back(
      {{"type", "InternalIP"}, {"address", fmt::format("10.0.0.{}", number)}});
  return made;
}

WorldJson service(const std::string& name, const char* type) {
  return {{"apiVersion", "v1"},
          {"kind", "Service"},
          {"metadata",
           {{"name", name},
            {"namespace", "default"},
            {"uid", "uid-of-" + name},
            {"creationTimestamp", kBorn},
            {"annotations", {{"example.com/kept", "yes"}}}}},
          {"spec",
           {{"type", type},
            {"clusterIP", "10.96.0.10"},
            {"ipFamilies", {"IPv4"}},
            {"ipFamilyPolicy", "SingleStack"},
            {"externalTrafficPolicy", "Cluster"},
            {"sessionAffinity", "None"},
            {"allocateLoadBalancerNodePorts", true},
            {"ports",
             {{{"name", "http"},
               {"protocol", "TCP"},
               {"port", 80},
               {"targetPort", 8080},
               {"nodePort", 30080}}}}}},
          {"status", {{"loadBalancer", WorldJson::object()}}}};
}

// Its user deleted it, and its load balancer is still there.
WorldJson leaving_service(const std::string& name) {
  WorldJson made = service(name, "LoadBalancer");
  made["metadata"]["deletionTimestamp"] = kBorn;
  made["metadata"]["finalizers"] = {"service.kubernetes.io/load-balancer-cleanup"};
  return made;
}

void add_machine(Machines& machines, const std::string& name, int number, InstanceState state) {
  Instance machine;
  machine.state = state;
  machine.name = name;
  machine.provider_id = "conformance://" + name;
  machine.instance_type = "m5.large";
  machine.zone = "zone-1";
  machine.region = "region-1";
  machine.addresses = {{"Hostname", name}, {"InternalIP", fmt::format("10.0.0.{}", number)}};
  machines.known[name] = std::move(machine);
}

}  // namespace

std::vector<WorldObject> usual_objects() {
  return {{"v1/nodes", joining("node-new")},
          {"v1/nodes", joined("node-ready", 1, "True")},
          {"v1/nodes", joined("node-off", 2, "Unknown")},
          {"v1/nodes", joined("node-gone", 3, "Unknown")},
          {"v1/services", service("web", "LoadBalancer")},
          {"v1/services", service("inner", "ClusterIP")},
          {"v1/services", leaving_service("leaving")}};
}

WorldObject object_of(const std::string& resource, const std::string& name) {
  WorldJson metadata = {{"name", name},
                        {"uid", "uid-of-" + name},
                        {"creationTimestamp", kBorn},
                        {"annotations", {{"example.com/kept", "yes"}}},
                        {"labels", {{"example.com/kept", "yes"}}}};
  if (resource == "v1/nodes") return {resource, joined(name, 4, "True")};
  if (resource == "v1/services") return {resource, service(name, "LoadBalancer")};
  if (resource != "v1/namespaces" && resource != "v1/persistentvolumes") {
    metadata["namespace"] = "default";
  }
  return {resource, {{"metadata", metadata}}};
}

void fill_cloud(testing::FakeHost& host, Machines& machines) {
  add_machine(machines, "node-new", 5, InstanceState::running);
  add_machine(machines, "node-ready", 1, InstanceState::running);
  add_machine(machines, "node-off", 2, InstanceState::shutdown);
  add_machine(machines, "node-gone", 3, InstanceState::absent);
  testing::FakeLoadBalancer balancer;
  balancer.service.uid = "uid-of-leaving";
  balancer.service.name = "leaving";
  balancer.service.namespace_name = "default";
  balancer.shown.state = LoadBalancerState::active;
  balancer.shown.id = "lb-leaving";
  host.load_balancers.balancers["uid-of-leaving"] = balancer;
}

void set_host_flags(testing::FakeHost& host) {
  for (const auto& [name, value] :
       {std::pair("cluster-name", "conformance"), std::pair("cluster-cidr", "10.244.0.0/16"),
        std::pair("allocate-node-cidrs", "true"), std::pair("configure-cloud-routes", "true"),
        std::pair("route-reconciliation-period", "10s"),
        std::pair("node-startup-grace-period", "0s")}) {
    host.config.set_flag(name, value);
  }
}

std::string form_of(const WorldJson& value, const std::string& at) {
  std::string form = at + (value.is_object() ? "{}" : value.is_array() ? "[]" : "") + "\n";
  if (value.is_object()) {
    for (const auto& [name, member] : value.items()) form += form_of(member, at + "/" + name);
  } else if (value.is_array()) {
    form += fmt::format("{} has {}\n", at, value.size());
  }
  return form;
}

}  // namespace ccm::conformance
