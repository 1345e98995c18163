#include "cloud.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace ccm::aws_api {
namespace {

constexpr size_t kMostValues = 200;

std::string decoded(std::string_view text) {
  std::string plain;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%' || at + 2 >= text.size()) {
      plain += text[at] == '+' ? ' ' : text[at];
      continue;
    }
    plain += static_cast<char>(std::stoi(std::string(text.substr(at + 1, 2)), nullptr, 16));
    at += 2;
  }
  return plain;
}

Parameters parse(std::string_view body) {
  Parameters form;
  while (!body.empty()) {
    const size_t end = std::min(body.find('&'), body.size());
    const std::string_view pair = body.substr(0, end);
    const size_t equals = std::min(pair.find('='), pair.size());
    form[decoded(pair.substr(0, equals))] = decoded(pair.substr(std::min(equals + 1, pair.size())));
    body.remove_prefix(std::min(end + 1, body.size()));
  }
  return form;
}

std::string value_of(const Parameters& form, const std::string& name) {
  const auto found = form.find(name);
  return found == form.end() ? std::string() : found->second;
}

// InstanceId.1, InstanceId.2, ...
std::vector<std::string> list_of(const Parameters& form, const std::string& name) {
  std::vector<std::string> values;
  for (int i = 1; form.contains(name + "." + std::to_string(i)); ++i) {
    values.push_back(value_of(form, name + "." + std::to_string(i)));
  }
  return values;
}

using Filters = std::vector<std::pair<std::string, std::vector<std::string>>>;

Filters filters_of(const Parameters& form) {
  Filters filters;
  for (int i = 1; form.contains("Filter." + std::to_string(i) + ".Name"); ++i) {
    const std::string prefix = "Filter." + std::to_string(i);
    filters.emplace_back(value_of(form, prefix + ".Name"), list_of(form, prefix + ".Value"));
  }
  return filters;
}

bool matches(const std::string& pattern, const std::string& text) {
  if (!pattern.ends_with('*')) return pattern == text;
  return text.starts_with(pattern.substr(0, pattern.size() - 1));
}

bool one_matches(const std::vector<std::string>& patterns, const std::vector<std::string>& texts) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return std::any_of(texts.begin(), texts.end(),
                       [&](const std::string& text) { return matches(pattern, text); });
  });
}

std::vector<std::string> keys_of(const Tags& tags) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : tags) keys.push_back(key);
  return keys;
}

// What a filter of that name looks at.
std::vector<std::string> looked_at(const Machine& machine, const std::string& filter) {
  if (filter == "instance-id") return {machine.id};
  if (filter == "vpc-id") return {machine.vpc};
  if (filter == "private-dns-name") return {machine.private_dns};
  if (filter == "instance-state-name") return {machine.state};
  if (filter == "tag-key") return keys_of(machine.tags);
  if (filter.starts_with("tag:")) {
    const auto tag = machine.tags.find(filter.substr(4));
    return tag == machine.tags.end() ? std::vector<std::string>()
                                     : std::vector<std::string>{tag->second};
  }
  std::vector<std::string> addresses;
  for (const Card& card : machine.cards) {
    addresses.insert(addresses.end(), card.private_addresses.begin(), card.private_addresses.end());
  }
  return addresses;
}

std::string element(const std::string& name, const std::string& value) {
  return value.empty() ? "" : "<" + name + ">" + value + "</" + name + ">";
}

std::string tag_set(const Tags& tags) {
  std::string xml = "<tagSet>";
  for (const auto& [key, value] : tags) {
    xml += "<item>" + element("key", key) + element("value", value) + "</item>";
  }
  return xml + "</tagSet>";
}

std::string card_xml(const Card& card) {
  std::string xml = "<item>" + element("networkInterfaceId", card.id) +
                    element("status", card.status) +
                    element("sourceDestCheck", card.source_dest_check ? "true" : "false") +
                    "<attachment>" + element("deviceIndex", std::to_string(card.device_index)) +
                    "</attachment><privateIpAddressesSet>";
  for (const std::string& address : card.private_addresses) {
    xml += "<item>" + element("privateIpAddress", address) + "</item>";
  }
  xml += "</privateIpAddressesSet><ipv6AddressesSet>";
  for (const std::string& address : card.ipv6_addresses) {
    xml += "<item>" + element("ipv6Address", address) + "</item>";
  }
  return xml + "</ipv6AddressesSet></item>";
}

std::string machine_xml(const Machine& machine, const std::string& more) {
  std::string xml =
      "<item>" + element("instanceId", machine.id) + element("instanceType", machine.type) +
      "<instanceState>" + element("name", machine.state) + "</instanceState><placement>" +
      element("availabilityZone", machine.zone) + "</placement>" + element("vpcId", machine.vpc) +
      element("subnetId", machine.subnet) + element("privateDnsName", machine.private_dns) +
      element("dnsName", machine.public_dns) + element("ipAddress", machine.public_address) +
      "<networkInterfaceSet>";
  for (const Card& card : machine.cards) xml += card_xml(card);
  xml += "</networkInterfaceSet><groupSet>";
  for (const std::string& group : machine.groups) {
    xml += "<item>" + element("groupId", group) + "</item>";
  }
  return xml + "</groupSet><blockDeviceMapping><item><ebs/></item></blockDeviceMapping>" + more +
         tag_set(machine.tags) + "</item>";
}

Answer answer(const std::string& action, const std::string& inside) {
  return {200, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<" + action + "Response xmlns=\"x\">" +
                   inside + "</" + action + "Response>"};
}

Answer refusal(int status, const std::string& code, const std::string& message) {
  return {status, "<?xml version=\"1.0\"?><Response><Errors><Error><Code>" + code +
                      "</Code><Message>" + message +
                      "</Message></Error></Errors><RequestID>r-1</RequestID></Response>"};
}

}  // namespace

size_t Cloud::calls(std::string_view action) const {
  return static_cast<size_t>(
      std::count_if(journal_.begin(), journal_.end(), [&](const Parameters& form) {
        return action.empty() || value_of(form, "Action") == action;
      }));
}

Machine* Cloud::machine(std::string_view id) {
  const auto found = std::find_if(machines.begin(), machines.end(),
                                  [&](const Machine& machine) { return machine.id == id; });
  return found == machines.end() ? nullptr : &*found;
}

Table* Cloud::table(std::string_view id) {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const Table& table) { return table.id == id; });
  return found == tables.end() ? nullptr : &*found;
}

Machine& Cloud::add_machine(int number) {
  Machine& machine = machines.emplace_back();
  std::string digits = std::to_string(number);
  digits.insert(0, 17 - digits.size(), '0');
  machine.id = "i-" + digits;
  const std::string address =
      "10.0." + std::to_string(number / 256) + "." + std::to_string(number % 256);
  machine.private_dns = "ip-10-0-" + std::to_string(number / 256) + "-" +
                        std::to_string(number % 256) + ".ec2.internal";
  machine.cards.push_back({"eni-" + digits, 0, true, {address}, {}});
  machine.tags["kubernetes.io/cluster/c1"] = "owned";
  return machine;
}

Answer Cloud::handle(std::string_view body) {
  const Parameters form = parse(body);
  const std::string action = value_of(form, "Action");
  journal_.push_back(form);
  if (denied.contains(action)) {
    const bool ec2 = value_of(form, "Version") == "2016-11-15";
    return refusal(403, ec2 ? "UnauthorizedOperation" : "AccessDenied", "You are not authorized.");
  }
  if (minds_dry_run && value_of(form, "DryRun") == "true") {
    return refusal(412, "DryRunOperation", "Request would have succeeded.");
  }
  for (CallFault& fault : faults) {
    if (fault.count == 0 || (!fault.action.empty() && fault.action != action)) continue;
    --fault.count;
    if (!fault.cut) return refusal(fault.status, fault.code, fault.message);
    Answer lost = act(action, form);
    lost.cut = true;
    return lost;
  }
  return act(action, form);
}

Answer Cloud::act(const std::string& action, const Parameters& form) {
  if (action == "DescribeInstances") return describe_instances(form);
  if (action == "DescribeInstanceTopology") return describe_topology(form);
  if (action == "DescribeRouteTables") return describe_tables(form);
  if (action == "DescribeNetworkInterfaces") return describe_cards(form);
  if (action == "CreateRoute" || action == "ReplaceRoute" || action == "DeleteRoute") {
    return change_route(action, form);
  }
  if (action.starts_with("Modify")) return modify_check(action, form);
  if (action == "CreateTags" || action == "DeleteTags") return change_tags(action, form);
  if (action == "DescribeAvailabilityZones") {
    std::string xml = "<availabilityZoneInfo>";
    for (const auto& [name, id] : zones) {
      xml += "<item>" + element("zoneName", name) + element("zoneId", id) +
             element("zoneType", "availability-zone") + "</item>";
    }
    return answer(action, xml + "</availabilityZoneInfo>");
  }
  return refusal(400, "InvalidAction", "The action " + action + " is not valid");
}

Answer Cloud::describe_instances(const Parameters& form) {
  const Filters filters = filters_of(form);
  for (const auto& [name, values] : filters) {
    if (values.size() > kMostValues) return refusal(400, "FilterLimitExceeded", "too many values");
  }
  std::vector<const Machine*> fitting;
  for (const Machine& machine : machines) {
    const bool fits = std::all_of(filters.begin(), filters.end(), [&](const auto& filter) {
      return one_matches(filter.second, looked_at(machine, filter.first));
    });
    if (fits && now_() >= machine.seen_from) fitting.push_back(&machine);
  }
  const std::string most = value_of(form, "MaxResults");
  const size_t page = most.empty() ? fitting.size() : std::stoul(most);
  if (!most.empty() && (page < 5 || page > 1000)) {
    return refusal(400, "InvalidParameterValue", "MaxResults");
  }
  const std::string token = value_of(form, "NextToken");
  const size_t begin = token.empty() ? 0 : std::stoul(token);
  const size_t end = std::min(begin + page, fitting.size());
  std::string xml = "<reservationSet>";
  for (size_t i = begin; i < end; ++i) {
    xml +=
        "<item><instancesSet>" + machine_xml(*fitting[i], more_of_each) + "</instancesSet></item>";
  }
  xml += "</reservationSet>";
  if (end < fitting.size()) xml += element("nextToken", std::to_string(end));
  return answer("DescribeInstances", xml);
}

Answer Cloud::describe_topology(const Parameters& form) {
  const auto ids = list_of(form, "InstanceId");
  if (ids.size() > 100) return refusal(400, "InvalidParameterValue", "too many ids");
  std::string xml = "<instanceSet>";
  for (const std::string& id : ids) {
    const Machine* machine = this->machine(id);
    if (machine == nullptr) return refusal(400, "InvalidInstanceID.NotFound", id);
    if (machine->layers.empty()) continue;
    xml += "<item>" + element("instanceId", id) + "<networkNodeSet>";
    for (const std::string& layer : machine->layers) xml += element("item", layer);
    xml += "</networkNodeSet></item>";
  }
  return answer("DescribeInstanceTopology", xml + "</instanceSet>");
}

Answer Cloud::describe_tables(const Parameters& form) {
  const Filters filters = filters_of(form);
  const auto ids = list_of(form, "RouteTableId");
  std::string xml = "<routeTableSet>";
  for (const Table& table : tables) {
    const bool fits = std::all_of(filters.begin(), filters.end(), [&](const auto& filter) {
      return one_matches(filter.second, filter.first == "vpc-id"
                                            ? std::vector<std::string>{table.vpc}
                                            : keys_of(table.tags));
    });
    if (!fits || (!ids.empty() && ids.front() != table.id)) continue;
    xml += "<item>" + element("routeTableId", table.id) + "<associationSet>";
    if (table.main) xml += "<item>" + element("main", "true") + "</item>";
    for (const std::string& subnet : table.subnets) {
      xml += "<item>" + element("subnetId", subnet) + "</item>";
    }
    xml += "</associationSet><tagSet>";
    for (const auto& [key, value] : table.tags) {
      xml += "<item>" + element("key", key) + element("value", value) + "</item>";
    }
    xml += "</tagSet><routeSet>";
    for (const Route& route : table.routes) {
      const bool v6 = route.destination.find(':') != std::string::npos;
      xml += "<item>" +
             element(v6 ? "destinationIpv6CidrBlock" : "destinationCidrBlock", route.destination) +
             element("instanceId", route.instance) + element("networkInterfaceId", route.card) +
             element("gatewayId", route.gateway) +
             element("state", route.blackhole ? "blackhole" : "active") + "</item>";
    }
    xml += "</routeSet></item>";
  }
  if (!ids.empty() && xml == "<routeTableSet>") {
    return refusal(400, "InvalidRouteTableID.NotFound", ids.front());
  }
  return answer("DescribeRouteTables", xml + "</routeTableSet>");
}

Answer Cloud::describe_cards(const Parameters& form) {
  const Filters filters = filters_of(form);
  std::string xml = "<networkInterfaceSet>";
  for (const std::string& address : fargate) {
    const bool fits = std::all_of(filters.begin(), filters.end(), [&](const auto& filter) {
      return filter.first != "private-ip-address" || one_matches(filter.second, {address});
    });
    if (!fits) continue;
    xml += "<item>" + element("privateIpAddress", address) +
           element("availabilityZone", "us-east-1a") +
           element("privateDnsName", "ip-fargate.ec2.internal") + "</item>";
  }
  return answer("DescribeNetworkInterfaces", xml + "</networkInterfaceSet>");
}

Answer Cloud::change_route(const std::string& action, const Parameters& form) {
  Table* table = this->table(value_of(form, "RouteTableId"));
  if (table == nullptr) return refusal(400, "InvalidRouteTableID.NotFound", "no such table");
  std::string destination = value_of(form, "DestinationCidrBlock");
  if (destination.find(':') != std::string::npos) {
    return refusal(400, "InvalidParameterValue", "no IPv4 range: " + destination);
  }
  if (destination.empty()) destination = value_of(form, "DestinationIpv6CidrBlock");
  auto& routes = table->routes;
  const auto present = std::find_if(routes.begin(), routes.end(), [&](const Route& route) {
    return route.destination == destination;
  });
  if (action == "CreateRoute" && present != routes.end()) {
    return refusal(400, "RouteAlreadyExists", "The route identified by it already exists");
  }
  if (action != "CreateRoute" && present == routes.end()) {
    return refusal(400, "InvalidRoute.NotFound", "no route " + destination);
  }
  if (action == "DeleteRoute") {
    routes.erase(present);
    return answer(action, "<return>true</return>");
  }
  Route route{destination, value_of(form, "InstanceId"), value_of(form, "NetworkInterfaceId"), {}};
  for (const Machine& machine : machines) {
    const bool by_card = !route.card.empty() && !machine.cards.empty() &&
                         std::any_of(machine.cards.begin(), machine.cards.end(),
                                     [&](const Card& card) { return card.id == route.card; });
    if (by_card) route.instance = machine.id;
    if (machine.id != route.instance || by_card) continue;
    if (machine.cards.size() > 1) {
      return refusal(400, "InvalidInstanceID", "There are multiple interfaces attached");
    }
    route.card = machine.cards.front().id;
  }
  if (action == "CreateRoute" && routes.size() >= most_routes) {
    return refusal(400, "RouteLimitExceeded", "The maximum number of routes has been reached.");
  }
  if (action == "CreateRoute") {
    routes.push_back(route);
  } else {
    *present = route;
  }
  return answer(action, "<return>true</return>");
}

Answer Cloud::modify_check(const std::string& action, const Parameters& form) {
  const bool on = value_of(form, "SourceDestCheck.Value") == "true";
  for (Machine& machine : machines) {
    if (action == "ModifyInstanceAttribute" && machine.id == value_of(form, "InstanceId")) {
      if (machine.cards.size() > 1) {
        return refusal(400, "InvalidInstanceID", "There are multiple interfaces attached");
      }
      machine.cards.front().source_dest_check = on;
      return answer(action, "<return>true</return>");
    }
    for (Card& card : machine.cards) {
      if (card.id != value_of(form, "NetworkInterfaceId")) continue;
      card.source_dest_check = on;
      return answer(action, "<return>true</return>");
    }
  }
  return refusal(400, "InvalidInstanceID.NotFound", "no such instance");
}

Answer Cloud::change_tags(const std::string& action, const Parameters& form) {
  const auto ids = list_of(form, "ResourceId");
  for (const std::string& id : ids) {
    if (machine(id) == nullptr) {
      return refusal(400, "InvalidInstanceID.NotFound",
                     "The instance ID '" + id + "' does not exist");
    }
  }
  for (const std::string& id : ids) {
    for (int i = 1; form.contains("Tag." + std::to_string(i) + ".Key"); ++i) {
      const std::string prefix = "Tag." + std::to_string(i);
      Tags& tags = machine(id)->tags;
      const std::string key = value_of(form, prefix + ".Key");
      const std::string value = value_of(form, prefix + ".Value");
      if (action == "CreateTags") {
        tags[key] = value;
      } else if (tags.contains(key) && tags[key] == value) {
        tags.erase(key);
      }
    }
  }
  return answer(action, "<return>true</return>");
}

}  // namespace ccm::aws_api
