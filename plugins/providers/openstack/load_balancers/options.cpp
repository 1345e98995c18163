#include "options.hpp"

#include "annotations.hpp"

#include <ccm/host_name.hpp>
#include <ccm/trim.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <string_view>

namespace ccm::openstack {
namespace {

constexpr int64_t kMostConnections = std::numeric_limits<int32_t>::max();
constexpr int64_t kLongestTimeout = 31'536'000'000;  // Octavia's: a year
constexpr int64_t kMostRetries = 10;
constexpr std::array<std::string_view, 4> kAlgorithms = {"ROUND_ROBIN", "LEAST_CONNECTIONS",
                                                         "SOURCE_IP", "SOURCE_IP_PORT"};

Status impossible(std::string why) {
  return Status(Code::invalid_argument, ErrorClass::invalid_spec, std::move(why))
      .with_reason("InvalidAnnotation");
}

int64_t whole_seconds(milliseconds time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time).count();
}

// The first of them that is not empty.
std::string first_given(std::initializer_list<std::string> texts) {
  for (const std::string& text : texts) {
    if (!text.empty()) return text;
  }
  return {};
}

class OptionReader {
 public:
  OptionReader(const LoadBalancerService& service, const LoadBalancerSettings& settings,
               const LoadBalancerClass& its_class)
      : settings_(settings),
        class_(its_class),
        local_(service.health_check_node_port != 0),
        given_(service.object) {}

  void network() {
    out_.internal =
        given_.boolean(annotation::kOpenstackInternalLoadBalancer, settings_.internal_lb) ||
        settings_.internal_lb;
    out_.network_id = place(annotation::kNetworkId, class_.network_id, settings_.network_id);
    out_.subnet_id = place(annotation::kSubnetId, class_.subnet_id, settings_.subnet_id);
    out_.port_id = given_.text(annotation::kPortId).value_or("");
    // OS-238: the subnet of the VIP comes after these.
    out_.member_subnet_id = first_given({given_.text(annotation::kMemberSubnetId).value_or(""),
                                         class_.member_subnet_id, settings_.member_subnet_id});
    out_.member_subnet_said = !out_.member_subnet_id.empty();
    if (!out_.member_subnet_said) {
      out_.member_subnet_id = first_given({settings_.subnet_id, out_.subnet_id});
    }
  }

  // OS-240, OS-242: from one place alone, by ID or else by name and tags.
  void floating() {
    FloatingSource& floating = out_.floating;
    floating.network_id = first_given({class_.floating_network_id,
                                       given_.text(annotation::kFloatingNetworkId).value_or(""),
                                       settings_.floating_network_id});
    const FloatingSource places[] = {
        {"", class_.floating_subnet_id, class_.floating_subnet, class_.floating_subnet_tags},
        {"", given_.text(annotation::kFloatingSubnetId).value_or(""),
         given_.text(annotation::kFloatingSubnet).value_or(""),
         given_.text(annotation::kFloatingSubnetTags).value_or("")},
        {"", settings_.floating_subnet_id, settings_.floating_subnet,
         settings_.floating_subnet_tags}};
    for (const FloatingSource& place : places) {
      if (place.subnet_id.empty() && place.subnet_pattern.empty() && place.subnet_tags.empty()) {
        continue;
      }
      floating.subnet_id = place.subnet_id;
      if (place.subnet_id.empty()) {
        floating.subnet_pattern = place.subnet_pattern;
        floating.subnet_tags = place.subnet_tags;
      }
      break;
    }
    out_.keep_floating_ip = given_.boolean(annotation::kKeepFloatingip, false);
    tell_unused_floating();
  }

  Status listeners() {
    out_.connection_limit = given_.integer(annotation::kConnectionLimit, -1, -1, kMostConnections);
    out_.x_forwarded_for = given_.boolean(annotation::kXForwardedFor, false);
    out_.tls_container_ref =
        text(annotation::kDefaultTlsContainerRef, settings_.default_tls_container_ref);
    const auto timeout = [&](std::string_view name, int64_t& value) {
      value = given_.integer(name, value, 0, kLongestTimeout);
    };
    timeout(annotation::kTimeoutClientData, out_.timeouts.client_data);
    timeout(annotation::kTimeoutMemberConnect, out_.timeouts.member_connect);
    timeout(annotation::kTimeoutMemberData, out_.timeouts.member_data);
    timeout(annotation::kTimeoutTcpInspect, out_.timeouts.tcp_inspect);
    const std::string proxy = given_.text(annotation::kProxyProtocol).value_or("false");
    if (proxy == "true" || proxy == "v1") {
      out_.proxy_protocol = "PROXY";
    } else if (proxy == "v2") {
      out_.proxy_protocol = "PROXYV2";
    } else if (proxy != "false" && !proxy.empty()) {
      given_.not_followed(annotation::kProxyProtocol, "known are true, v1, v2 and false");
    }
    if (out_.x_forwarded_for && !out_.proxy_protocol.empty()) {
      return impossible(
          "the annotations loadbalancer.openstack.org/proxy-protocol and "
          "loadbalancer.openstack.org/x-forwarded-for exclude each other: remove one of them");
    }
    return {};
  }

  void pools() {
    out_.method = settings_.lb_method;
    if (const std::string method = given_.text(annotation::kLbMethod).value_or("");
        !method.empty()) {
      if (std::find(kAlgorithms.begin(), kAlgorithms.end(), method) != kAlgorithms.end()) {
        out_.method = method;
        out_.method_asked = true;
      } else {
        given_.not_followed(annotation::kLbMethod,
                            "known are ROUND_ROBIN, LEAST_CONNECTIONS, SOURCE_IP and "
                            "SOURCE_IP_PORT");
      }
    }
    MonitorOptions& monitor = out_.monitor;
    monitor.enabled = given_.boolean(annotation::kEnableHealthMonitor, settings_.create_monitor);
    monitor.refused = given_.text(annotation::kEnableHealthMonitor) == "false";
    monitor.delay = given_.integer(annotation::kHealthMonitorDelay,
                                   whole_seconds(settings_.monitor_delay), 1, kMostConnections);
    monitor.timeout = given_.integer(annotation::kHealthMonitorTimeout,
                                     whole_seconds(settings_.monitor_timeout), 1, kMostConnections);
    monitor.max_retries = given_.integer(annotation::kHealthMonitorMaxRetries,
                                         settings_.monitor_max_retries, 1, kMostRetries);
    monitor.max_retries_down = given_.integer(annotation::kHealthMonitorMaxRetriesDown,
                                              settings_.monitor_max_retries_down, 1, kMostRetries);
    tell_unused_monitor();
    out_.node_selector =
        parse_node_selector(text(annotation::kNodeSelector, settings_.node_selector));
  }

  void others() {
    out_.flavor_id = text(annotation::kFlavorId, settings_.flavor_id);
    out_.availability_zone = text(annotation::kAvailabilityZone, settings_.availability_zone);
    out_.hostname = given_.text(annotation::kHostname).value_or("");
    // It becomes the Service's status, which Kubernetes refuses as a whole for a wrong one.
    if (!out_.hostname.empty() && !is_host_name(out_.hostname)) {
      given_.not_followed(annotation::kHostname, "is no RFC 1123 name");
      out_.hostname.clear();
    }
    if (settings_.enable_ingress_hostname) out_.ingress_suffix = settings_.ingress_hostname_suffix;
  }

  ServiceOptions result() && {
    for (std::string& text : std::move(given_).problems()) {
      out_.problems.push_back({"InvalidAnnotation", std::move(text)});
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string text(std::string_view name, const std::string& fallback) const {
    return given_.text(name).value_or(fallback);
  }
  // OS-233..OS-235: the class goes before the annotation when the load balancer is external.
  [[nodiscard]] std::string place(std::string_view name, const std::string& of_class,
                                  const std::string& fallback) {
    const auto annotated = given_.text(name);
    if (out_.internal && annotated && !annotated->empty()) return *annotated;
    tell_overruled(name, of_class);
    return first_given({of_class, annotated.value_or(fallback)});
  }

  // Annotations that lose to others are told of by the manifest, and here those that lose to
  // cloud.conf.
  void ignored(std::string_view name, const std::string& why) {
    if (given_.text(name).value_or("").empty()) return;
    out_.problems.push_back({"LoadBalancerOptionIgnored", std::string(name) + ": " + why});
  }
  void tell_overruled(std::string_view name, const std::string& of_class) {
    if (of_class.empty() || given_.text(name) == of_class) return;
    ignored(name, "the Service's [LoadBalancerClass] in cloud.conf goes first");
  }
  void tell_unused_floating() {
    constexpr std::string_view kFloating[] = {
        annotation::kFloatingNetworkId, annotation::kFloatingSubnetId, annotation::kFloatingSubnet,
        annotation::kFloatingSubnetTags};
    if (settings_.internal_lb &&
        given_.text(annotation::kOpenstackInternalLoadBalancer) != "true") {
      for (const std::string_view name : kFloating) {
        ignored(name, "internal-lb in cloud.conf makes all load balancers internal");
      }
    }
    if (out_.internal) return;
    tell_overruled(annotation::kFloatingNetworkId, class_.floating_network_id);
    const bool by_class = !class_.floating_subnet_id.empty() || !class_.floating_subnet.empty() ||
                          !class_.floating_subnet_tags.empty();
    if (!by_class) return;
    for (const std::string_view name : {annotation::kFloatingSubnetId, annotation::kFloatingSubnet,
                                        annotation::kFloatingSubnetTags}) {
      ignored(name, "the Service's [LoadBalancerClass] in cloud.conf goes first");
    }
  }
  void tell_unused_monitor() {
    const bool made = out_.monitor.enabled || local_;
    if (made || given_.text(annotation::kEnableHealthMonitor)) return;
    for (const std::string_view name :
         {annotation::kHealthMonitorDelay, annotation::kHealthMonitorTimeout,
          annotation::kHealthMonitorMaxRetries, annotation::kHealthMonitorMaxRetriesDown}) {
      ignored(name, "there is no health monitor without " +
                        std::string(annotation::kEnableHealthMonitor) +
                        ": \"true\" or create-monitor in cloud.conf");
    }
  }

  const LoadBalancerSettings& settings_;
  const LoadBalancerClass& class_;
  const bool local_;  // externalTrafficPolicy: Local
  Annotations given_;
  ServiceOptions out_;
};

}  // namespace

NodeSelector parse_node_selector(const std::string& text) {
  NodeSelector selector;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view item = trim(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (item.empty()) continue;
    const std::size_t equals = std::min(item.find('='), item.size());
    std::optional<std::string> value;
    if (equals < item.size()) value = std::string(trim(item.substr(equals + 1)));
    if (value && value->empty()) value.reset();
    selector.emplace_back(trim(item.substr(0, equals)), std::move(value));
  }
  // Each once: every Node is looked at for each of them.
  std::sort(selector.begin(), selector.end());
  selector.erase(std::unique(selector.begin(), selector.end()), selector.end());
  return selector;
}

Result<ServiceOptions> read_service_options(const LoadBalancerService& service,
                                            const LoadBalancerSettings& settings,
                                            const LoadBalancerClasses& classes) {
  static const LoadBalancerClass kNoClass;
  const std::string name = Annotations(service.object).text(annotation::kClass).value_or("");
  const auto its_class = classes.find(name);
  if (!name.empty() && its_class == classes.end()) {
    return impossible("cloud.conf has no [LoadBalancerClass \"" + name +
                      "\"], which the annotation loadbalancer.openstack.org/class names");
  }
  OptionReader reader(service, settings, name.empty() ? kNoClass : its_class->second);
  reader.network();
  reader.floating();
  if (Status status = reader.listeners(); !status.ok()) return status;
  reader.pools();
  reader.others();
  return std::move(reader).result();
}

}  // namespace ccm::openstack
