// elasticloadbalancing 2012-06-01.
#include "load_balancing.hpp"

#include <algorithm>
#include <array>

namespace ccm::aws_api {
namespace {

constexpr std::array<const char*, 5> kListenerFields{
    "Protocol", "LoadBalancerPort", "InstanceProtocol", "InstancePort", "SSLCertificateId"};
constexpr std::array<const char*, 5> kHealthFields{"Target", "Interval", "Timeout",
                                                   "HealthyThreshold", "UnhealthyThreshold"};

Error no_such_balancer() {
  return {400, "LoadBalancerNotFound", "There is no ACTIVE Load Balancer"};
}

std::string members(const std::string& name, const std::set<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += element("member", text);
  return tree(name, out);
}

ClassicListener read_classic_listener(const Form& form) {
  ClassicListener out;
  for (const char* field : kListenerFields) {
    if (form.has(field)) out.fields[field] = form.text(field);
  }
  return out;
}

std::string classic_xml(const std::string& name, const Classic& classic) {
  std::string listeners;
  for (const auto& [port, listener] : classic.listeners) {
    std::string fields;
    for (const auto& [key, value] : listener.fields) fields += element(key, value);
    listeners +=
        tree("member", tree("Listener", fields) + members("PolicyNames", listener.policies));
  }
  std::string instances;
  for (const std::string& id : classic.instances) {
    instances += tree("member", element("InstanceId", id));
  }
  std::string health;
  for (const auto& [key, value] : classic.health) health += element(key, value);
  std::string ports;
  for (const auto& [port, policies] : classic.port_policies) {
    ports += tree("member", element("InstancePort", port) + members("PolicyNames", policies));
  }
  return tree("member",
              element("LoadBalancerName", name) +
                  element("DNSName", name + "-1.us-east-1.elb.amazonaws.com") +
                  element("VPCId", "vpc-1") + element("Scheme", classic.scheme) +
                  tree("ListenerDescriptions", listeners) + tree("Instances", instances) +
                  members("Subnets", {classic.subnets.begin(), classic.subnets.end()}) +
                  members("SecurityGroups", {classic.groups.begin(), classic.groups.end()}) +
                  tree("HealthCheck", health) + tree("BackendServerDescriptions", ports) +
                  tree("Policies", members("OtherPolicies", classic.policies)));
}

}  // namespace

void LoadBalancing::add_classic_actions() {
  const std::string api = "elb";
  const auto on = [this](auto change) {
    return [this, change](const Form& form) -> Outcome {
      const auto found = classics.find(form.text("LoadBalancerName"));
      if (found == classics.end()) return no_such_balancer();
      return change(found->second, form);
    };
  };
  add(api, "DescribeLoadBalancers", [this](const Form&) -> Outcome {
    std::string all;
    for (const auto& [name, classic] : classics) all += classic_xml(name, classic);
    return tree("LoadBalancerDescriptions", all);
  });
  add(api, "CreateLoadBalancer", [this](const Form& form) -> Outcome {
    const std::string name = form.text("LoadBalancerName");
    if (classics.contains(name)) {
      return Error{400, "DuplicateLoadBalancerName", "it exists with other settings"};
    }
    Classic made;
    made.scheme = form.has("Scheme") ? form.text("Scheme") : "internet-facing";
    for (const Form& one : form.structures("Listeners")) {
      made.listeners[one.number("LoadBalancerPort")] = read_classic_listener(one);
    }
    made.subnets = form.list("Subnets");
    made.groups = form.list("SecurityGroups");
    for (const Form& tag : form.structures("Tags")) made.tags[tag.text("Key")] = tag.text("Value");
    made.health = {{"Target", "TCP:1"},
                   {"Interval", "30"},
                   {"Timeout", "5"},
                   {"HealthyThreshold", "10"},
                   {"UnhealthyThreshold", "2"}};
    made.attributes = {{"AccessLog.Enabled", "false"},
                       {"ConnectionDraining.Enabled", "false"},
                       {"ConnectionDraining.Timeout", "300"},
                       {"ConnectionSettings.IdleTimeout", "60"},
                       {"CrossZoneLoadBalancing.Enabled", "false"}};
    classics[name] = made;
    return element("DNSName", name + "-1.us-east-1.elb.amazonaws.com");
  });
  add(api, "DeleteLoadBalancer", [this](const Form& form) -> Outcome {
    classics.erase(form.text("LoadBalancerName"));
    return std::string();
  });
  add(api, "ConfigureHealthCheck", on([](Classic& classic, const Form& form) -> Outcome {
        for (const char* field : kHealthFields) {
          classic.health[field] = form.text(std::string("HealthCheck.") + field);
        }
        return std::string();
      }));
  add(api, "DescribeLoadBalancerAttributes", on([](Classic& classic, const Form&) -> Outcome {
        std::map<std::string, std::string> parts;
        for (const auto& [key, value] : classic.attributes) {
          const std::size_t dot = key.find('.');
          parts[key.substr(0, dot)] += element(key.substr(dot + 1), value);
        }
        std::string all;
        for (const auto& [name, inner] : parts) all += tree(name, inner);
        return tree("LoadBalancerAttributes", all);
      }));
  add(api, "ModifyLoadBalancerAttributes", on([](Classic& classic, const Form& form) -> Outcome {
        for (const char* key :
             {"AccessLog.Enabled", "AccessLog.EmitInterval", "AccessLog.S3BucketName",
              "AccessLog.S3BucketPrefix", "ConnectionDraining.Enabled",
              "ConnectionDraining.Timeout", "ConnectionSettings.IdleTimeout",
              "CrossZoneLoadBalancing.Enabled"}) {
          const std::string name = std::string("LoadBalancerAttributes.") + key;
          if (form.has(name)) classic.attributes[key] = form.text(name);
        }
        return std::string();
      }));
  add(api, "DeleteLoadBalancerListeners", on([](Classic& classic, const Form& form) -> Outcome {
        for (const std::string& port : form.list("LoadBalancerPorts")) {
          classic.listeners.erase(std::stoll(port));
        }
        return std::string();
      }));
  add(api, "CreateLoadBalancerListeners", on([](Classic& classic, const Form& form) -> Outcome {
        for (const Form& one : form.structures("Listeners")) {
          const int64_t port = one.number("LoadBalancerPort");
          if (classic.listeners.contains(port)) {
            return Error{400, "DuplicateListener", "a listener has this port"};
          }
          classic.listeners[port] = read_classic_listener(one);
        }
        return std::string();
      }));
  add(api, "RegisterInstancesWithLoadBalancer",
      on([this](Classic& classic, const Form& form) -> Outcome {
        const auto named = form.structures("Instances");
        if (auto bad = bad_targets(named, "InvalidInstance")) return *bad;
        for (const Form& one : named) classic.instances.insert(one.text("InstanceId"));
        return std::string();
      }));
  add(api, "DeregisterInstancesFromLoadBalancer",
      on([](Classic& classic, const Form& form) -> Outcome {
        for (const Form& one : form.structures("Instances")) {
          classic.instances.erase(one.text("InstanceId"));
        }
        return std::string();
      }));
  add(api, "AttachLoadBalancerToSubnets", on([this](Classic& classic, const Form& form) -> Outcome {
        for (const std::string& id : form.list("Subnets")) {
          for (const std::string& other : classic.subnets) {
            if (subnets[other].zone == subnets[id].zone) {
              return Error{409, "InvalidConfigurationRequest", "one subnet a zone"};
            }
          }
          classic.subnets.push_back(id);
        }
        return std::string();
      }));
  add(api, "DetachLoadBalancerFromSubnets", on([](Classic& classic, const Form& form) -> Outcome {
        const auto gone = form.list("Subnets");
        if (gone.size() >= classic.subnets.size()) {
          return Error{409, "InvalidConfigurationRequest", "one subnet has to stay"};
        }
        for (const std::string& id : gone) std::erase(classic.subnets, id);
        return std::string();
      }));
  add(api, "ApplySecurityGroupsToLoadBalancer",
      on([](Classic& classic, const Form& form) -> Outcome {
        classic.groups = form.list("SecurityGroups");
        return std::string();
      }));
  add(api, "CreateLoadBalancerPolicy", on([](Classic& classic, const Form& form) -> Outcome {
        if (!classic.policies.insert(form.text("PolicyName")).second) {
          return Error{400, "DuplicatePolicyName", "it exists"};
        }
        return std::string();
      }));
  add(api, "SetLoadBalancerPoliciesOfListener",
      on([](Classic& classic, const Form& form) -> Outcome {
        const auto names = form.list("PolicyNames");
        for (const std::string& name : names) {
          if (!classic.policies.contains(name)) return Error{400, "PolicyNotFound", name};
        }
        classic.listeners[form.number("LoadBalancerPort")].policies = {names.begin(), names.end()};
        return std::string();
      }));
  add(api, "SetLoadBalancerPoliciesForBackendServer",
      on([](Classic& classic, const Form& form) -> Outcome {
        const auto names = form.list("PolicyNames");
        classic.port_policies[form.number("InstancePort")] = {names.begin(), names.end()};
        return std::string();
      }));
  add(api, "DescribeTags", [this](const Form& form) -> Outcome {
    std::string all;
    for (const std::string& name : form.list("LoadBalancerNames")) {
      if (!classics.contains(name)) return no_such_balancer();
      std::string list;
      for (const auto& [key, value] : classics[name].tags) {
        list += tree("member", element("Key", key) + element("Value", value));
      }
      all += tree("member", element("LoadBalancerName", name) + tree("Tags", list));
    }
    return tree("TagDescriptions", all);
  });
  add(api, "AddTags", [this](const Form& form) -> Outcome {
    for (const std::string& name : form.list("LoadBalancerNames")) {
      if (!classics.contains(name)) return no_such_balancer();
      for (const Form& tag : form.structures("Tags")) {
        classics[name].tags[tag.text("Key")] = tag.text("Value");
      }
    }
    return std::string();
  });
}

}  // namespace ccm::aws_api
