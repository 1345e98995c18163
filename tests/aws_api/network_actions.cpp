// elasticloadbalancing 2015-12-01.
#include "load_balancing.hpp"

#include <algorithm>
#include <utility>

namespace ccm::aws_api {
namespace {

Tags read_tag_list(const Form& form) {
  Tags tags;
  for (const Form& tag : form.structures("Tags")) tags[tag.text("Key")] = tag.text("Value");
  return tags;
}

Tags read_attributes(const Form& form) {
  Tags out;
  for (const Form& one : form.structures("Attributes")) out[one.text("Key")] = one.text("Value");
  return out;
}

std::string attributes_xml(const Tags& attributes) {
  std::string out;
  for (const auto& [key, value] : attributes) {
    out += tree("member", element("Key", key) + element("Value", value));
  }
  return tree("Attributes", out);
}

std::string texts_xml(const std::string& name, const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += element("member", text);
  return tree(name, out);
}

std::string network_xml(const std::string& arn, const Network& network) {
  std::string zones;
  for (std::size_t i = 0; i < network.subnets.size(); ++i) {
    std::string addresses;
    if (i < network.private_addresses.size()) {
      addresses = tree("LoadBalancerAddresses",
                       tree("member", element("PrivateIPv4Address", network.private_addresses[i])));
    }
    if (i < network.allocations.size()) {
      addresses = tree("LoadBalancerAddresses",
                       tree("member", element("AllocationId", network.allocations[i])));
    }
    zones += tree("member", element("SubnetId", network.subnets[i]) + addresses);
  }
  return tree(
      "member",
      element("LoadBalancerArn", arn) + element("LoadBalancerName", network.name) +
          element("DNSName", network.name + "-1.elb.us-east-1.amazonaws.com") +
          element("Type", network.type) + element("Scheme", network.scheme) +
          element("IpAddressType", network.address_type) + element("VpcId", "vpc-1") +
          element("EnablePrefixForIpv6SourceNat", network.prefix_for_source_nat ? "on" : "off") +
          tree("State", element("Code", network.state)) + tree("AvailabilityZones", zones) +
          texts_xml("SecurityGroups", network.groups));
}

std::string listener_xml(const std::string& arn, const Listener& listener) {
  std::string certificate;
  if (!listener.certificates.empty()) {
    certificate = tree("Certificates",
                       tree("member", element("CertificateArn", listener.certificates.front())));
  }
  std::string alpn;
  if (!listener.alpn.empty()) alpn = texts_xml("AlpnPolicy", {listener.alpn});
  return tree("member", element("ListenerArn", arn) + element("Port", listener.port) +
                            element("Protocol", listener.protocol) +
                            element("SslPolicy", listener.policy) + certificate + alpn +
                            tree("DefaultActions",
                                 tree("member", element("Type", "forward") +
                                                    element("TargetGroupArn", listener.group))));
}

Error no_balancer() {
  return {400, "LoadBalancerNotFound", "One or more load balancers not found"};
}
Error no_group() { return {400, "TargetGroupNotFound", "One or more target groups not found"}; }
Error no_listener() { return {400, "ListenerNotFound", "One or more listeners not found"}; }

void set_listener(Listener& listener, const Form& form) {
  listener.port = form.number("Port");
  listener.protocol = form.text("Protocol");
  listener.group = form.structures("DefaultActions").at(0).text("TargetGroupArn");
  listener.policy = form.text("SslPolicy");
  if (listener.protocol == "TLS" && listener.policy.empty()) {
    listener.policy = "ELBSecurityPolicy-2016-08";
  }
  const auto alpn = form.list("AlpnPolicy");
  listener.alpn = alpn.empty() ? "" : alpn.front();
  const auto certificates = form.structures("Certificates");
  if (listener.protocol != "TLS") {
    listener.certificates.clear();
  } else if (listener.certificates.empty()) {
    listener.certificates = {certificates.at(0).text("CertificateArn")};
  } else {
    listener.certificates.front() = certificates.at(0).text("CertificateArn");
  }
}

}  // namespace

void LoadBalancing::add_network_actions() {
  const std::string api = "elbv2";
  add(api, "DescribeLoadBalancers", [this](const Form&) -> Outcome {
    std::string all;
    for (const auto& [arn, network] : networks) all += network_xml(arn, network);
    return tree("LoadBalancers", all);
  });
  add(api, "CreateLoadBalancer", [this](const Form& form) -> Outcome {
    Network made;
    made.name = form.text("Name");
    made.scheme = form.has("Scheme") ? form.text("Scheme") : "internet-facing";
    made.address_type = form.has("IpAddressType") ? form.text("IpAddressType") : "ipv4";
    made.prefix_for_source_nat = form.text("EnablePrefixForIpv6SourceNat") == "on";
    made.state = state_of_new;
    std::set<std::string> zones;
    for (const Form& mapping : form.structures("SubnetMappings")) {
      const std::string id = mapping.text("SubnetId");
      if (!subnets.contains(id)) return Error{400, "SubnetNotFound", id};
      if (!zones.insert(subnets[id].zone).second) {
        return Error{400, "InvalidConfigurationRequest", "one subnet a zone"};
      }
      made.subnets.push_back(id);
      if (mapping.has("AllocationId")) made.allocations.push_back(mapping.text("AllocationId"));
      if (mapping.has("PrivateIPv4Address")) {
        made.private_addresses.push_back(mapping.text("PrivateIPv4Address"));
      }
    }
    made.groups = form.list("SecurityGroups");
    for (const auto& [arn, other] : networks) {
      if (other.name != made.name) continue;
      const bool same = other.scheme == made.scheme && other.address_type == made.address_type &&
                        other.subnets == made.subnets && other.groups == made.groups;
      if (same) return tree("LoadBalancers", network_xml(arn, other));
      return Error{400, "DuplicateLoadBalancerName", "it exists with other settings"};
    }
    made.tags = read_tag_list(form);
    made.attributes = {{"load_balancing.cross_zone.enabled", "false"},
                       {"access_logs.s3.enabled", "false"},
                       {"access_logs.s3.bucket", ""},
                       {"access_logs.s3.prefix", ""},
                       {"deletion_protection.enabled", "false"}};
    const std::string arn = new_arn("loadbalancer/net", made.name);
    networks[arn] = made;
    return tree("LoadBalancers", network_xml(arn, made));
  });
  add(api, "DeleteLoadBalancer", [this](const Form& form) -> Outcome {
    const std::string arn = form.text("LoadBalancerArn");
    const auto found = networks.find(arn);
    if (found == networks.end()) return std::string();
    if (found->second.attributes["deletion_protection.enabled"] == "true") {
      return Error{400, "OperationNotPermitted", "deletion protection is on"};
    }
    networks.erase(found);
    std::erase_if(listeners, [&](const auto& one) { return one.second.balancer == arn; });
    return std::string();
  });
  add(api, "DescribeLoadBalancerAttributes", [this](const Form& form) -> Outcome {
    const auto found = networks.find(form.text("LoadBalancerArn"));
    if (found == networks.end()) return no_balancer();
    return attributes_xml(found->second.attributes);
  });
  add(api, "ModifyLoadBalancerAttributes", [this](const Form& form) -> Outcome {
    const auto found = networks.find(form.text("LoadBalancerArn"));
    if (found == networks.end()) return no_balancer();
    for (const auto& [key, value] : read_attributes(form)) found->second.attributes[key] = value;
    return attributes_xml(found->second.attributes);
  });
  add(api, "SetSubnets", [this](const Form& form) -> Outcome {
    const auto found = networks.find(form.text("LoadBalancerArn"));
    if (found == networks.end()) return no_balancer();
    found->second.subnets.clear();
    found->second.prefix_for_source_nat = form.text("EnablePrefixForIpv6SourceNat") == "on";
    for (const Form& one : form.structures("SubnetMappings")) {
      found->second.subnets.push_back(one.text("SubnetId"));
    }
    return std::string();
  });
  add(api, "SetIpAddressType", [this](const Form& form) -> Outcome {
    const auto found = networks.find(form.text("LoadBalancerArn"));
    if (found == networks.end()) return no_balancer();
    found->second.address_type = form.text("IpAddressType");
    return std::string();
  });
  add(api, "SetSecurityGroups", [this](const Form& form) -> Outcome {
    const auto found = networks.find(form.text("LoadBalancerArn"));
    if (found == networks.end()) return no_balancer();
    if (found->second.groups.empty()) {
      return Error{400, "InvalidConfigurationRequest", "made without security groups"};
    }
    found->second.groups = form.list("SecurityGroups");
    return std::string();
  });
  add(api, "DescribeTargetGroups", [this](const Form&) -> Outcome {
    std::string all;
    for (const auto& [arn, group] : targets) {
      std::string fields;
      for (const auto& [key, value] : group.fields) fields += element(key, value);
      std::set<std::string> used;
      for (const auto& [id, listener] : listeners) {
        if (listener.group == arn) used.insert(listener.balancer);
      }
      all += tree("member", element("TargetGroupArn", arn) + fields +
                                texts_xml("LoadBalancerArns", {used.begin(), used.end()}));
    }
    return tree("TargetGroups", all);
  });
  add(api, "CreateTargetGroup", [this](const Form& form) -> Outcome {
    TargetGroup made;
    made.name = form.text("Name");
    made.fields = {{"TargetGroupName", made.name},
                   {"HealthCheckTimeoutSeconds", "10"},
                   {"HealthCheckPath", ""}};
    for (const char* field :
         {"VpcId", "Protocol", "Port", "HealthCheckProtocol", "HealthCheckPort", "HealthCheckPath",
          "HealthCheckIntervalSeconds", "HealthCheckTimeoutSeconds", "HealthyThresholdCount",
          "UnhealthyThresholdCount"}) {
      if (form.has(field)) made.fields[field] = form.text(field);
    }
    made.tags = read_tag_list(form);
    made.attributes = {{"preserve_client_ip.enabled", "true"},
                       {"proxy_protocol_v2.enabled", "false"},
                       {"deregistration_delay.timeout_seconds", "300"}};
    std::string arn;
    for (const auto& [other_arn, other] : targets) {
      if (other.name != made.name) continue;
      if (other.fields != made.fields) {
        return Error{400, "DuplicateTargetGroupName", "it exists with other settings"};
      }
      arn = other_arn;
    }
    if (arn.empty()) {
      arn = new_arn("targetgroup", made.name);
      targets[arn] = made;
    }
    std::string fields;
    for (const auto& [key, value] : made.fields) fields += element(key, value);
    return tree("TargetGroups", tree("member", element("TargetGroupArn", arn) + fields));
  });
  add(api, "ModifyTargetGroup", [this](const Form& form) -> Outcome {
    const auto found = targets.find(form.text("TargetGroupArn"));
    if (found == targets.end()) return no_group();
    for (const char* field :
         {"HealthCheckPort", "HealthCheckPath", "HealthCheckIntervalSeconds",
          "HealthCheckTimeoutSeconds", "HealthyThresholdCount", "UnhealthyThresholdCount"}) {
      if (form.has(field)) found->second.fields[field] = form.text(field);
    }
    return std::string();
  });
  add(api, "DeleteTargetGroup", [this](const Form& form) -> Outcome {
    const std::string arn = form.text("TargetGroupArn");
    for (const auto& [id, listener] : listeners) {
      if (listener.group == arn) return Error{400, "ResourceInUse", "a listener uses it"};
    }
    if (targets.erase(arn) == 0) return no_group();
    return std::string();
  });
  add(api, "DescribeTargetGroupAttributes", [this](const Form& form) -> Outcome {
    const auto found = targets.find(form.text("TargetGroupArn"));
    if (found == targets.end()) return no_group();
    return attributes_xml(found->second.attributes);
  });
  add(api, "ModifyTargetGroupAttributes", [this](const Form& form) -> Outcome {
    const auto found = targets.find(form.text("TargetGroupArn"));
    if (found == targets.end()) return no_group();
    for (const auto& [key, value] : read_attributes(form)) found->second.attributes[key] = value;
    return attributes_xml(found->second.attributes);
  });
  add(api, "DescribeTargetHealth", [this](const Form& form) -> Outcome {
    const auto found = targets.find(form.text("TargetGroupArn"));
    if (found == targets.end()) return no_group();
    std::string all;
    for (const std::string& id : found->second.targets) {
      all += tree("member", tree("Target", element("Id", id)) +
                                tree("TargetHealth", element("State", "healthy")));
    }
    return tree("TargetHealthDescriptions", all);
  });
  add(api, "RegisterTargets", [this](const Form& form) -> Outcome {
    const auto found = targets.find(form.text("TargetGroupArn"));
    if (found == targets.end()) return no_group();
    const auto named = form.structures("Targets");
    if (auto bad = bad_targets(named, "InvalidTarget")) return *bad;
    for (const Form& one : named) found->second.targets.insert(one.text("Id"));
    return std::string();
  });
  add(api, "DeregisterTargets", [this](const Form& form) -> Outcome {
    const auto found = targets.find(form.text("TargetGroupArn"));
    if (found == targets.end()) return no_group();
    for (const Form& one : form.structures("Targets")) found->second.targets.erase(one.text("Id"));
    return std::string();
  });
  add(api, "DescribeListeners", [this](const Form& form) -> Outcome {
    const std::string balancer = form.text("LoadBalancerArn");
    if (!networks.contains(balancer)) return no_balancer();
    std::string all;
    for (const auto& [arn, listener] : listeners) {
      if (listener.balancer == balancer) all += listener_xml(arn, listener);
    }
    return tree("Listeners", all);
  });
  add(api, "CreateListener", [this](const Form& form) -> Outcome {
    Listener made;
    made.balancer = form.text("LoadBalancerArn");
    if (!networks.contains(made.balancer)) return no_balancer();
    if (form.text("Protocol") == "TLS" && form.structures("Certificates").empty()) {
      return Error{400, "CertificateNotFound", "a TLS listener needs a certificate"};
    }
    set_listener(made, form);
    const Network& balancer = networks[made.balancer];
    if (made.protocol.ends_with("UDP") && balancer.address_type == "dualstack" &&
        !balancer.prefix_for_source_nat) {
      return Error{400, "InvalidConfigurationRequest", "UDP needs a prefix for IPv6 source NAT"};
    }
    if (!targets.contains(made.group)) return no_group();
    for (const auto& [arn, other] : listeners) {
      if (other.balancer == made.balancer && other.port == made.port) {
        return Error{400, "DuplicateListener", "a listener has this port"};
      }
    }
    made.tags = read_tag_list(form);
    const std::string arn = new_arn("listener/net", networks[made.balancer].name);
    listeners[arn] = made;
    return tree("Listeners", listener_xml(arn, made));
  });
  add(api, "ModifyListener", [this](const Form& form) -> Outcome {
    const auto found = listeners.find(form.text("ListenerArn"));
    if (found == listeners.end()) return no_listener();
    set_listener(found->second, form);
    return std::string();
  });
  add(api, "DeleteListener", [this](const Form& form) -> Outcome {
    if (listeners.erase(form.text("ListenerArn")) == 0) return no_listener();
    return std::string();
  });
  add(api, "DescribeListenerCertificates", [this](const Form& form) -> Outcome {
    const auto found = listeners.find(form.text("ListenerArn"));
    if (found == listeners.end()) return no_listener();
    std::string all;
    bool first = true;
    for (const std::string& arn : found->second.certificates) {
      all +=
          tree("member", element("CertificateArn", arn) +
                             element("IsDefault", std::exchange(first, false) ? "true" : "false"));
    }
    return tree("Certificates", all);
  });
  add(api, "AddListenerCertificates", [this](const Form& form) -> Outcome {
    const auto found = listeners.find(form.text("ListenerArn"));
    if (found == listeners.end()) return no_listener();
    for (const Form& one : form.structures("Certificates")) {
      found->second.certificates.push_back(one.text("CertificateArn"));
    }
    return std::string();
  });
  add(api, "RemoveListenerCertificates", [this](const Form& form) -> Outcome {
    const auto found = listeners.find(form.text("ListenerArn"));
    if (found == listeners.end()) return no_listener();
    for (const Form& one : form.structures("Certificates")) {
      std::erase(found->second.certificates, one.text("CertificateArn"));
    }
    return std::string();
  });
  const auto tags_of = [this](const std::string& arn) -> Tags* {
    if (networks.contains(arn)) return &networks[arn].tags;
    if (targets.contains(arn)) return &targets[arn].tags;
    return listeners.contains(arn) ? &listeners[arn].tags : nullptr;
  };
  add(api, "DescribeTags", [tags_of](const Form& form) -> Outcome {
    std::string all;
    for (const std::string& arn : form.list("ResourceArns")) {
      const Tags* tags = tags_of(arn);
      if (tags == nullptr) return no_balancer();
      std::string list;
      for (const auto& [key, value] : *tags) {
        list += tree("member", element("Key", key) + element("Value", value));
      }
      all += tree("member", element("ResourceArn", arn) + tree("Tags", list));
    }
    return tree("TagDescriptions", all);
  });
  add(api, "AddTags", [tags_of](const Form& form) -> Outcome {
    for (const std::string& arn : form.list("ResourceArns")) {
      Tags* tags = tags_of(arn);
      if (tags == nullptr) return no_balancer();
      for (const auto& [key, value] : read_tag_list(form)) (*tags)[key] = value;
    }
    return std::string();
  });
  add(api, "RemoveTags", [tags_of](const Form& form) -> Outcome {
    for (const std::string& arn : form.list("ResourceArns")) {
      Tags* tags = tags_of(arn);
      if (tags == nullptr) return no_balancer();
      for (const std::string& key : form.list("TagKeys")) tags->erase(key);
    }
    return std::string();
  });
}

}  // namespace ccm::aws_api
