#include "cloud/broker/load_balancer_values.hpp"

#include "cloud/broker/abi_structs.hpp"
#include "plugin/context.hpp"

#include <ccm/host_name.hpp>
#include <ccm/shown_text.hpp>

#include <algorithm>

namespace ccm::cloud {

namespace {

Status malformed(const char* what) {
  return Status(Code::internal, std::string("the provider completed with a malformed ") + what);
}

// A port and a protocol: no Service has more of them.
constexpr std::size_t kServicePortsLimit = 3 * std::size_t{65'535};

bool sound_ports(const ccm_service& service) {
  if (!sound_list(service.ports, service.port_count, kServicePortsLimit)) return false;
  const auto* end = service.ports + service.port_count;
  return std::none_of(service.ports, end, [](const auto* port) { return port == nullptr; });
}

bool sound_service(const ccm_service& service) {
  return sound_ports(service) && sound_list(service.source_ranges, service.source_range_count) &&
         sound_list(service.ip_families, service.ip_family_count) &&
         sound_list(service.parameters, service.parameter_count);
}

// Its tenant wrote them, and can shorten them.
Status too_many_ranges(std::size_t count) {
  return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                "spec.loadBalancerSourceRanges, or the annotation "
                "service.beta.kubernetes.io/load-balancer-source-ranges, has " +
                    std::to_string(count) + " ranges, and " + std::to_string(kListLimit) +
                    " is the most: put neighbouring ones together, or filter in front of the load "
                    "balancer")
      .with_reason("TooManySourceRanges");
}

constexpr std::size_t kWordsLimit = 1'024;              // for people
constexpr std::size_t kAnnotationsLimit = 256 * 1'024;  // all of an object, Kubernetes says
constexpr std::size_t kNodeLabelsLimit = 64;            // keys by which one Service chooses

// Values that the API server would refuse for ever.
bool sound_ingress(const ccm_ingress& one) {
  if (!sound_list(one.ports, one.port_count)) return false;
  for (std::size_t index = 0; index < one.port_count; ++index) {
    if (one.ports[index] == nullptr) return false;
    const ccm_ingress_port port = known(one.ports[index]);
    if (port.port < 1 || port.port > 65'535) return false;
    if (!sound_name(port.protocol) || !sound_name(port.error)) return false;
  }
  const bool reachable = !view(one.ip).empty() || !view(one.hostname).empty();
  return reachable && sound_name(one.ip) && sound_name(one.hostname) && sound_name(one.ip_mode);
}

// Mostly the name is from a tenant's annotation: another one helps.
Status unfit_host_name(std::string_view name) {
  constexpr std::size_t kShown = 80;
  std::string shown = shown_text(utf8_front(name, kShown));
  std::replace(shown.begin(), shown.end(), '\n', '?');
  std::replace(shown.begin(), shown.end(), '\t', '?');
  return Status(
             Code::invalid_argument, ErrorClass::invalid_spec,
             "the load balancer's host name \"" + shown +
                 "\" is none that Kubernetes takes: lower-case letters, digits, '-' and '.', 253 "
                 "characters at most, and no address")
      .with_reason("InvalidHostName");
}

// The API server would refuse the whole status for it, for ever.
Status unfit_for_status(const LoadBalancer& balancer) {
  for (const Ingress& ingress : balancer.ingress) {
    if (!ingress.hostname.empty() && !is_host_name(ingress.hostname)) {
      return unfit_host_name(ingress.hostname);
    }
    if (!ingress.ip.empty() && !is_ip_address(ingress.ip))
      return malformed("load balancer: its address is none");
  }
  return {};
}

bool sound_annotations(const ccm_load_balancer& balancer) {
  if (!sound_list(balancer.annotations, balancer.annotation_count)) return false;
  std::size_t size = 0;
  for (std::size_t index = 0; index < balancer.annotation_count; ++index) {
    const ccm_key_value& annotation = balancer.annotations[index];
    size += view(annotation.key).size() + view(annotation.value).size();
  }
  return size <= kAnnotationsLimit;
}

// Keys of labels: short texts, and a few of them.
bool sound_node_labels(const ccm_load_balancer& balancer) {
  if (!sound_list(balancer.node_labels, balancer.node_label_count, kNodeLabelsLimit)) return false;
  const ccm_str* end = balancer.node_labels + balancer.node_label_count;
  return std::all_of(balancer.node_labels, end, [](ccm_str key) { return sound_name(key); });
}

void cut_words(ccm_str& words) { words.len = std::min(view(words).size(), kWordsLimit); }

void repair_texts(LoadBalancer& balancer) {
  repair(balancer.name);
  repair(balancer.difference);
  for (Ingress& ingress : balancer.ingress) {
    repair(ingress.ip);
    repair(ingress.hostname);
    repair(ingress.ip_mode);
    for (IngressPort& port : ingress.ports) {
      repair(port.protocol);
      repair(port.error);
    }
  }
  for (Label& annotation : balancer.annotations) {
    repair(annotation.key);
    repair(annotation.value);
  }
  for (std::string& key : balancer.node_labels) repair(key);
  repair(balancer.no_members);
}

}  // namespace

Result<LoadBalancerRequest> read_request(const ccm_load_balancer_request* wanted,
                                         detail::BackendLists& lists) {
  const ccm_load_balancer_request raw = known(wanted);
  if (raw.service == nullptr) return Status(Code::invalid_argument, "no Service was given");
  const ccm_service service = known(raw.service);
  if (service.source_range_count > kListLimit) return too_many_ranges(service.source_range_count);
  if (!sound_service(service)) {
    return Status(Code::invalid_argument, "a Service with malformed lists was given");
  }
  const WholeList<ccm_backend> given(raw.backends, raw.backend_count, kThingLimit);
  if (!given.sound() || !std::ranges::all_of(given.items(), [](const ccm_backend& backend) {
        return sound_list(backend.addresses, backend.address_count);
      })) {
    return Status(Code::invalid_argument, "a malformed list of backends was given");
  }
  if (!detail::understood(*wanted)) {
    return Status(Code::unimplemented, ErrorClass::unsupported,
                  "the request has a part that this host does not know")
        .with_reason(CCM_REASON_UNKNOWN_REQUEST);
  }
  LoadBalancerRequest request;
  request.service = detail::service_from_c(kept_objects(), service);
  request.backends = lists.read(kept_objects(), given.data(), given.size());
  if (request.service.uid.empty()) {
    return Status(Code::invalid_argument, "a Service without a UID was given");
  }
  return request;
}

Result<LoadBalancer> copy_load_balancer(const void* result) {
  if (result == nullptr) return malformed("load balancer");
  const ccm_load_balancer raw = known(static_cast<const ccm_load_balancer*>(result));
  const WholeList<ccm_ingress> ingress(raw.ingress, raw.ingress_count, kListLimit);
  // A struct that ends before the id does not mean that there is no id.
  const bool sound = raw.size >= offsetof(ccm_load_balancer, name) && ingress.sound() &&
                     std::all_of(ingress.items().begin(), ingress.items().end(), sound_ingress) &&
                     sound_annotations(raw) && sound_node_labels(raw) && sound_name(raw.id) &&
                     is_utf8(view(raw.id));
  if (!sound) return malformed("load balancer");
  ccm_load_balancer checked = raw;
  checked.size = sizeof(checked);
  checked.ingress = ingress.data();
  cut_words(checked.name);
  cut_words(checked.difference);
  cut_words(checked.no_members);
  checked.retry_after_ms = plugin::bounded(raw.retry_after_ms).count();
  if (raw.state < CCM_LOAD_BALANCER_UNKNOWN || raw.state > CCM_LOAD_BALANCER_FOREIGN) {
    checked.state = CCM_LOAD_BALANCER_UNKNOWN;
  }
  LoadBalancer balancer = detail::load_balancer_from_c(checked);
  repair_texts(balancer);
  if (Status unfit = unfit_for_status(balancer); !unfit.ok()) return unfit;
  return balancer;
}

Result<std::string> copy_name(const void* result) {
  if (result == nullptr) return malformed("name");
  return utf8_text(view(known(static_cast<const ccm_load_balancer_name*>(result)).name));
}

Result<std::string> copy_lane(const void* result) {
  if (result == nullptr) return malformed("lane");
  const ccm_load_balancer_lane raw = known(static_cast<const ccm_load_balancer_lane*>(result));
  if (!sound_name(raw.lane)) return malformed("lane");
  return std::string(view(raw.lane));
}

Result<LoadBalancerLimits> copy_load_balancer_limits(const void* result) {
  if (result == nullptr) return malformed("answer on limits");
  LoadBalancerLimits limits =
      detail::load_balancer_limits_from_c(*static_cast<const ccm_load_balancer_limits*>(result));
  repair(limits.id_annotation);
  return limits;
}

}  // namespace ccm::cloud
