#include "app/status/status_objects.hpp"

#include "kube/time_text.hpp"
#include "plugin/brake_status.hpp"
#include "plugin_files/access_rules.hpp"

#include <utility>

namespace ccm::app {

namespace {

using std::chrono::nanoseconds;
using std::chrono::system_clock;

std::string moment(system_clock::time_point now, nanoseconds from_now) {
  const auto when = now + std::chrono::duration_cast<system_clock::duration>(from_now);
  return kube::format_time(when);
}

StatusJson answer_json(const plugin::ObjectReport& object, system_clock::time_point now) {
  StatusJson json = {{"operation", object.answer->operation}};
  if (object.answer->http_status != 0) {
    json["httpStatus"] = object.answer->http_status;
  } else {
    json["error"] = "no answer";
  }
  if (!object.answer->request_id.empty()) json["requestId"] = object.answer->request_id;
  json["time"] = moment(now, -object.answer_age);
  return json;
}

std::string waits_for(const plugin::ObjectReport& object) {
  switch (object.state) {
    case plugin::ObjectState::unknown:
    case plugin::ObjectState::settled:
    case plugin::ObjectState::left_alone:
      return "";
    case plugin::ObjectState::queued:
      return object.message.empty() ? "a free worker" : "a free worker; before: " + object.message;
    case plugin::ObjectState::running:
      return object.message.empty() ? "the step to end"
                                    : "the step to end; before: " + object.message;
    case plugin::ObjectState::waiting:
    case plugin::ObjectState::held:
    case plugin::ObjectState::retrying:
    case plugin::ObjectState::refused:
      return object.message;
  }
  return "";
}

// The required rights that the subject lacks; empty when none is known to be missing.
std::string missing_text(const StatusSources& from, const std::string& subject) {
  const std::string needs = from.access ? from.access->needs(subject) : "";
  return needs.empty() ? "" : "permissions: " + subject + " lacks " + needs;
}

Holdup holdup_of(const plugin::ComponentReport& component, const StatusSources& from) {
  if (!component.queue || !component.skipped.empty()) return {};
  if (!from.leadership.leading()) {
    const std::string lease = missing_text(from, std::string(plugin::kHostSubject));
    return {lease.empty() ? "the leadership" : "the leadership; " + lease, !lease.empty()};
  }
  std::string lacks = missing_text(from, component.plugin_id);
  if (!lacks.empty()) return {std::move(lacks), true};
  const bool migrated = from.migration.migrated.contains(component.name);
  if (migrated && !from.leadership.leading_migration()) {
    return {"the Lease " + from.migration.lease + " of the leader migration"};
  }
  if (!from.plugins.provider_ready()) {
    lacks = missing_text(from, from.selection.provider.plugin.manifest.id);
    if (!lacks.empty()) return {lacks, true};
    const std::string why = from.plugins.cloud().health().text();
    return {why.empty() ? "the cloud provider's log-in" : "the cloud provider's log-in: " + why};
  }
  if (!component.queue->synced) return {"the caches"};
  return {component.queue->started ? "" : "the API server to say what its plugin may do"};
}

StatusJson one_json(const plugin::ObjectReport& object, const Holdups& held,
                    system_clock::time_point now) {
  using plugin::ObjectState;
  StatusJson json = {{"key", object.key},
                     {"controller", object.controller},
                     {"state", std::string(plugin::to_string(object.state))}};
  if (object.state == ObjectState::unknown) return json;
  if (!object.step.empty()) json["step"] = object.step;
  const auto holdup = held.find(object.controller);
  if (object.state == ObjectState::queued && holdup != held.end()) {
    json["waitsFor"] = holdup->second.text;
    if (holdup->second.forbidden) json["class"] = name_of(ErrorClass::auth);
  } else {
    if (std::string text = waits_for(object); !text.empty()) json["waitsFor"] = std::move(text);
    if (object.state == ObjectState::left_alone) json["leftAlone"] = object.message;
    if (object.error_class != ErrorClass::none) json["class"] = name_of(object.error_class);
  }
  if (!object.reason.empty()) json["reason"] = object.reason;
  json["since"] = moment(now, -object.since);
  if (object.unsettled > nanoseconds(0)) json["unsettledSince"] = moment(now, -object.unsettled);
  if (object.attempts > 0) json["attempts"] = object.attempts;
  if (object.next_try) json["nextTry"] = moment(now, *object.next_try);
  if (!object.answer) return json;
  json["lastCloudAnswer"] = answer_json(object, now);
  if (object.cloud_class != ErrorClass::none) {
    json["lastCloudAnswer"]["class"] = name_of(object.cloud_class);
  }
  if (!object.cloud_reason.empty()) json["lastCloudAnswer"]["reason"] = object.cloud_reason;
  return json;
}

StatusJson warnings_json(const plugin::PluginHost& plugins, const std::string& key,
                         system_clock::time_point now) {
  StatusJson list = StatusJson::array();
  for (const plugin::WarningReport& warning : plugins.warnings_of(key)) {
    list.push_back({{"kind", warning.kind},
                    {"reason", warning.reason},
                    {"message", warning.message},
                    {"since", moment(now, -warning.since)}});
  }
  return list;
}

std::string_view state_name(LoadBalancerState state) {
  switch (state) {
    case LoadBalancerState::unknown:
    case LoadBalancerState::absent:
      break;
    case LoadBalancerState::pending:
      return "pending";
    case LoadBalancerState::active:
      return "active";
    case LoadBalancerState::shared:
      return "shared";
    case LoadBalancerState::foreign:
      return "not this Service's";
  }
  return "";
}

StatusJson load_balancer_json(const plugin::LoadBalancerReport& balancer,
                              system_clock::time_point now) {
  StatusJson json = StatusJson::object();
  const auto add = [&json](const char* name, std::string_view text) {
    if (!text.empty()) json[name] = text;
  };
  add("id", balancer.id);
  add("name", balancer.name);
  add("state", state_name(balancer.state));
  if (!balancer.addresses.empty()) json["addresses"] = balancer.addresses;
  add("leftAlone", balancer.left_alone);
  json["since"] = moment(now, -balancer.since);
  return json;
}

}  // namespace

Holdups holdups(const StatusSources& from) {
  Holdups all;
  for (const plugin::ComponentReport& component : from.plugins.components()) {
    if (Holdup holdup = holdup_of(component, from); !holdup.text.empty()) {
      all.emplace(component.name, std::move(holdup));
    }
  }
  return all;
}

StatusJson objects_json(const plugin::PluginHost& plugins, const Holdups& held, std::size_t limit) {
  StatusJson list = StatusJson::array();
  const auto now = system_clock::now();
  for (const plugin::ObjectReport& object : plugins.unsettled(limit)) {
    list.push_back(one_json(object, held, now));
  }
  return list;
}

StatusJson object_json(const plugin::PluginHost& plugins, const Holdups& held,
                       const std::string& key) {
  StatusJson json = {{"key", key}, {"controllers", StatusJson::array()}};
  const auto now = system_clock::now();
  for (const plugin::ObjectReport& object : plugins.object(key)) {
    json["controllers"].push_back(one_json(object, held, now));
  }
  json["warnings"] = warnings_json(plugins, key, now);
  if (const auto balancer = plugins.cloud().load_balancer_of(key)) {
    json["loadBalancer"] = load_balancer_json(*balancer, now);
  }
  return json;
}

StatusJson routes_json(const plugin::PluginHost& plugins, const std::string& node) {
  StatusJson json = {{"node", node}, {"routes", StatusJson::array()}};
  const auto now = system_clock::now();
  for (const plugin::RouteReport& route : plugins.cloud().routes_of(node)) {
    const bool failed = !route.failure.ok();
    const char* state = !failed ? "present" : plugin::is_held(route.failure) ? "held" : "failed";
    StatusJson one = {{"destination", route.destination}, {"state", state}};
    if (failed) {
      one["waitsFor"] = route.failure.message();
      const std::string_view kind = name_of(route.failure.error_class());
      if (!kind.empty()) one["class"] = kind;
      if (!route.failure.reason().empty()) one["reason"] = route.failure.reason();
      one["attempts"] = route.attempts;
    }
    one["since"] = moment(now, -route.since);
    json["routes"].push_back(std::move(one));
  }
  return json;
}

}  // namespace ccm::app
