#include "call.hpp"

#include <ccm/utf8.hpp>

namespace ccm::conformance {
namespace {

// More than any cloud has; an array of that length is a mistake.
constexpr size_t kMost = 10'000'000;

void complain(Outcome& outcome, const std::string& what) { outcome.problems.push_back(what); }

bool sound_array(Outcome& outcome, const void* first, size_t count, const std::string& what) {
  if (count > kMost) {
    complain(outcome, what + ": an impossible count, " + std::to_string(count));
    return false;
  }
  if (count > 0 && first == nullptr) {
    complain(outcome, what + ": NULL with a count of " + std::to_string(count));
    return false;
  }
  return true;
}

void check_text(Outcome& outcome, ccm_str text, const std::string& what) {
  if (!is_utf8(view(text))) complain(outcome, what + " is no UTF-8");
}

// Whether all of it can be read.
template <typename T>
bool sound_pointers(Outcome& outcome, const T* const* items, size_t count,
                    const std::string& what) {
  if (!sound_array(outcome, items, count, what)) return false;
  for (size_t i = 0; i < count; ++i) {
    if (items[i] != nullptr) continue;
    complain(outcome, what + " " + std::to_string(i) + " is NULL");
    return false;
  }
  return true;
}

bool sound_machine(Outcome& outcome, const ccm_instance* given, const std::string& what) {
  if (!CCM_HAS(given, name)) {
    complain(outcome, what + " ends before its name");
    return false;
  }
  const ccm_instance raw = known(given);
  if (raw.state < CCM_INSTANCE_UNKNOWN || raw.state > CCM_INSTANCE_STARTING) {
    complain(outcome, what + " has the unknown state " + std::to_string(raw.state));
  }
  check_text(outcome, raw.name, what + ": name");
  check_text(outcome, raw.provider_id, what + ": provider_id");
  check_text(outcome, raw.instance_type, what + ": instance_type");
  check_text(outcome, raw.zone, what + ": zone");
  check_text(outcome, raw.region, what + ": region");
  bool sound = sound_array(outcome, raw.addresses, raw.address_count, what + ": addresses");
  for (size_t i = 0; sound && i < raw.address_count; ++i) {
    check_text(outcome, raw.addresses[i].type, what + ": an address' type");
    check_text(outcome, raw.addresses[i].address, what + ": an address");
  }
  if (!sound_array(outcome, raw.labels, raw.label_count, what + ": labels")) return false;
  if (!sound_array(outcome, raw.other_ids, raw.other_id_count, what + ": other_ids")) return false;
  for (size_t i = 0; i < raw.label_count; ++i) {
    check_text(outcome, raw.labels[i].key, what + ": a label's key");
    check_text(outcome, raw.labels[i].value, what + ": a label's value");
  }
  for (size_t i = 0; i < raw.other_id_count; ++i) {
    check_text(outcome, raw.other_ids[i], what + ": another provider ID");
  }
  return sound;
}

}  // namespace

void read_machines(const void* result, Outcome& outcome) {
  const auto* given = static_cast<const ccm_instance_list*>(result);
  if (!CCM_HAS(given, count)) return complain(outcome, "the list ends before its count");
  const ccm_instance_list raw = known(given);
  bool sound = sound_pointers(outcome, raw.instances, raw.count, "instance");
  for (size_t i = 0; sound && i < raw.count; ++i) {
    sound = sound_machine(outcome, raw.instances[i], "instance " + std::to_string(i));
  }
  sound =
      sound_array(outcome, raw.unknown_prefixes, raw.unknown_prefix_count, "unknown_prefixes") &&
      sound;
  if (!sound) return;
  for (size_t i = 0; i < raw.unknown_prefix_count; ++i) {
    check_text(outcome, raw.unknown_prefixes[i], "an unknown prefix");
  }
  auto list = detail::decode_instances({}, result);
  if (list.ok()) outcome.machines = *std::move(list);
}

void read_machine(const void* result, Outcome& outcome) {
  const auto* given = static_cast<const ccm_instance*>(result);
  if (!sound_machine(outcome, given, "the instance")) return;
  outcome.machines.instances.push_back(Instance::from_c(*given));
}

void read_balancer(const void* result, Outcome& outcome) {
  const auto* given = static_cast<const ccm_load_balancer*>(result);
  const ccm_load_balancer raw = known(given);
  if (raw.state < CCM_LOAD_BALANCER_UNKNOWN || raw.state > CCM_LOAD_BALANCER_FOREIGN) {
    complain(outcome, "unknown state " + std::to_string(raw.state));
  }
  if (raw.id.len > 4096) complain(outcome, "the id has more than 4 KiB");
  check_text(outcome, raw.id, "the id");
  check_text(outcome, raw.name, "the name");
  check_text(outcome, raw.difference, "the difference");
  bool sound = sound_pointers(outcome, raw.ingress, raw.ingress_count, "ingress");
  for (size_t i = 0; sound && i < raw.ingress_count; ++i) {
    const ccm_ingress ingress = known(raw.ingress[i]);
    if (view(ingress.ip).empty() && view(ingress.hostname).empty()) {
      complain(outcome, "ingress " + std::to_string(i) + " has neither ip nor hostname");
    }
    if (ingress.ip.len > 4096 || ingress.hostname.len > 4096) {
      complain(outcome, "ingress " + std::to_string(i) + " has more than 4 KiB");
    }
    sound = sound_pointers(outcome, ingress.ports, ingress.port_count, "ingress port");
    for (size_t j = 0; sound && j < ingress.port_count; ++j) {
      const int32_t port = known(ingress.ports[j]).port;
      if (port < 1 || port > 65535) complain(outcome, "ingress port " + std::to_string(port));
    }
  }
  sound = sound_array(outcome, raw.annotations, raw.annotation_count, "annotations") && sound;
  size_t annotations = 0;
  for (size_t i = 0; sound && i < raw.annotation_count; ++i) {
    annotations += raw.annotations[i].key.len + raw.annotations[i].value.len;
  }
  if (annotations > 262'144) complain(outcome, "the annotations have more than 256 KiB");
  if (sound) outcome.balancer = detail::load_balancer_from_c(*given);
}

void read_routes(const void* result, Outcome& outcome) {
  const auto* given = static_cast<const ccm_route_list*>(result);
  if (!CCM_HAS(given, count)) return complain(outcome, "the list ends before its count");
  const ccm_route_list raw = known(given);
  if (!sound_pointers(outcome, raw.routes, raw.count, "route")) return;
  bool sound = true;
  for (size_t i = 0; i < raw.count; ++i) {
    const ccm_route route = known(raw.routes[i]);
    check_text(outcome, route.id, "a route's id");
    if (view(route.destination_cidr).empty()) {
      complain(outcome, "route " + std::to_string(i) + " has no destination");
    }
    sound = sound_array(outcome, route.target_addresses, route.target_address_count,
                        "target_addresses") &&
            sound;
  }
  if (sound) outcome.routes = detail::routes_from_c({}, raw.routes, raw.count);
}

void read_changes(const void* result, Outcome& outcome) {
  const ccm_route_results raw = known(static_cast<const ccm_route_results*>(result));
  if (!sound_pointers(outcome, raw.statuses, raw.count, "status")) return;
  outcome.changes = detail::route_results_from_c(raw);
}

void read_owned(const void* result, Outcome& outcome) {
  const auto* given = static_cast<const ccm_owned_list*>(result);
  if (!CCM_HAS(given, count)) return complain(outcome, "the list ends before its count");
  const ccm_owned_list raw = known(given);
  if (!sound_pointers(outcome, raw.objects, raw.count, "object")) return;
  for (size_t i = 0; i < raw.count; ++i) {
    const ccm_owned_object object = known(raw.objects[i]);
    if (!sound_array(outcome, object.services, object.service_count, "services")) return;
    const std::string which = "object " + std::to_string(i);
    if (view(object.kind).empty() || view(object.id).empty()) {
      complain(outcome, which + " has no kind or no id");
    }
    const bool none = (object.flags & CCM_OWNED_NO_CLUSTER) != 0;
    if (view(object.cluster).empty() != none) {
      complain(outcome, which + " does not say of which cluster it is, or says both");
    }
    outcome.owned.push_back(detail::owned_object_from_c(*raw.objects[i]));
  }
}

void read_name(const void* result, Outcome& outcome) {
  outcome.text = view(known(static_cast<const ccm_load_balancer_name*>(result)).name);
}

void read_lane(const void* result, Outcome& outcome) {
  outcome.text = view(known(static_cast<const ccm_load_balancer_lane*>(result)).lane);
  if (outcome.text.size() > 4096) complain(outcome, "the lane has more than 4 KiB");
}

}  // namespace ccm::conformance
