#include "app/status/status_json.hpp"

#include "access/access_rules.hpp"
#include "app/status/status_text.hpp"
#include "base/version.hpp"
#include "kube/time_text.hpp"
#include "plugin/brake_reasons.hpp"
#include "plugin/host_services/http_budgets.hpp"
#include "serving/pages.hpp"
#include "serving/site.hpp"

#include <ccm/shown_text.hpp>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <map>
#include <set>
#include <utility>

namespace ccm::app {

namespace {

StatusQuery read_query(const serving::Request& request) {
  StatusQuery read;
  for (const auto& [name, value] : request.parameters()) {
    if (value.empty()) continue;
    if (name == "object") read.object = value;
    if (name == "route") read.route = value;
    if (name != "limit") continue;
    std::size_t limit = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), limit);
    const bool number = error == std::errc() && end == value.data() + value.size();
    if (number) read.limit = std::min(limit, kMostStatusObjects);
  }
  return read;
}

// As date(1) writes it, in UTC.
std::string date_text(std::chrono::system_clock::time_point when) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(when);
  tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  const std::size_t size = std::strftime(text, sizeof text, "%a %b %e %H:%M:%S UTC %Y", &parts);
  return {text, size};
}

StatusJson process_json(const StatusSources& from) {
  const Version& build = version();
  const auto up = std::chrono::steady_clock::now() - from.begin;
  return {{"started", kube::format_time(from.started)},
          {"startedText", date_text(from.started)},
          {"now", kube::format_time(std::chrono::system_clock::now())},
          {"upSeconds", std::chrono::duration_cast<std::chrono::seconds>(up).count()},
          {"version", std::string(build.text)},
          {"commit", std::string(build.commit)},
          {"compiler", std::string(build.compiler)},
          {"platform", std::string(build.system) + "/" + std::string(build.machine)}};
}

StatusJson lease_json(const StatusSources& from) {
  const LeaderElectionOptions& flags = from.options.leader_election;
  StatusJson json = {{"leading", from.leadership.leading()}};
  if (!flags.leader_elect) return json;
  json["lease"] = flags.resource_namespace + "/" + flags.resource_name;
  if (from.migration.active()) {
    json["migrationLease"] = flags.resource_namespace + "/" + from.migration.lease;
    json["leadingMigration"] = from.leadership.leading_migration();
  }
  json["identity"] = from.leadership.identity();
  json["transitions"] = from.leadership.transitions();
  return json;
}

StatusJson permissions_json(const std::optional<access::AccessCheck>& access) {
  StatusJson json = {{"text", access ? access->text() : "being asked"}};
  if (!access) return json;
  for (const auto& [who, what] : access->needs()) json["missing"][who] = what;
  return json;
}

// Members that the cloud did not report are left out.
StatusJson budgets_json(const std::vector<plugin::BudgetReport>& budgets) {
  StatusJson list = StatusJson::array();
  const auto now = std::chrono::system_clock::now();
  for (const plugin::BudgetReport& budget : budgets) {
    StatusJson json = {{"credential", budget.credential}};
    if (budget.limit) json["limit"] = *budget.limit;
    if (budget.remaining) json["left"] = *budget.remaining;
    if (budget.reset) json["resetsAt"] = kube::format_time(now + *budget.reset);
    json["kept"] = budget.reserved;
    json["keptForNodes"] = budget.for_nodes;
    if (budget.closed.count() > 0) {
      json["closedUntil"] = kube::format_time(now + budget.closed);
    }
    json["held"] = budget.held;
    json["spentLastHour"] = StatusJson::object();
    json["spent"] = StatusJson::object();
    for (const auto& spender : budget.spenders) {
      json["spentLastHour"][spender.controller] = spender.last_hour;
      json["spent"][spender.controller] = spender.total;
    }
    list.push_back(std::move(json));
  }
  return list;
}

StatusJson plugins_json(const LoadedSelection& selection) {
  StatusJson list = StatusJson::array();
  std::set<std::string> listed;
  const auto add = [&](const SelectedComponent& component) {
    const plugin_files::Manifest& manifest = component.plugin.manifest;
    if (!listed.insert(manifest.id).second) return;
    list.push_back(
        {{"id", manifest.id},
         {"version", manifest.version},
         {"abi", std::to_string(manifest.abi_major) + "." + std::to_string(manifest.abi_minor)},
         {"language", manifest.language},
         {"file", component.plugin.path.string()},
         {"sha256", component.plugin.sha256}});
  };
  add(selection.provider);
  for (const SelectedComponent& controller : selection.controllers) add(controller);
  return list;
}

// The waiting objects.

using std::chrono::nanoseconds;
using std::chrono::system_clock;

// Why controllers take no keys at all, by controller; absent for those that do.
struct Holdup {
  std::string text;        // "the caches"
  bool forbidden = false;  // "a permission"
};
using Holdups = std::map<std::string, Holdup, std::less<>>;

std::string moment(system_clock::time_point now, nanoseconds from_now) {
  return kube::format_time(now + std::chrono::duration_cast<system_clock::duration>(from_now));
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
  const std::string before = object.message.empty() ? "" : "; before: " + object.message;
  switch (object.state) {
    case plugin::ObjectState::queued:
      return "a free worker" + before;
    case plugin::ObjectState::running:
      return "the step to end" + before;
    case plugin::ObjectState::waiting:
    case plugin::ObjectState::held:
    case plugin::ObjectState::retrying:
    case plugin::ObjectState::refused:
      return object.message;
    default:
      return "";
  }
}

// The required rights that the subject lacks; empty when none is known to be missing.
std::string missing_text(const StatusSources& from, const std::string& subject) {
  const std::string needs = from.access ? from.access->needs(subject) : "";
  return needs.empty() ? "" : "permissions: " + subject + " lacks " + needs;
}

Holdup holdup_of(const plugin_host::ComponentReport& component, const StatusSources& from) {
  if (!component.queue || !component.skipped.empty()) return {};
  if (!from.leadership.leading()) {
    const std::string lease = missing_text(from, std::string(access::kHostSubject));
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

StatusJson record_json(const plugin::ObjectReport& object, const Holdups& held,
                       system_clock::time_point now) {
  using plugin::ObjectState;
  StatusJson json = {{"key", object.key},
                     {"controller", object.controller},
                     {"state", std::string(to_string(object.state))}};
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

StatusJson warnings_json(const plugin_host::PluginHost& plugins, const std::string& key,
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

StatusJson load_balancer_json(const cloud::LoadBalancerReport& balancer,
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

Holdups holdups(const StatusSources& from) {
  Holdups all;
  for (const plugin_host::ComponentReport& component : from.plugins.components()) {
    if (Holdup holdup = holdup_of(component, from); !holdup.text.empty()) {
      all.emplace(component.name, std::move(holdup));
    }
  }
  return all;
}

// [{"controller", "key", "state", "step", "waitsFor" or "leftAlone", "class", "reason", "since",
//   "unsettledSince", "attempts", "nextTry", "lastCloudAnswer"}]; unknown members are left out.
StatusJson objects_json(const plugin_host::PluginHost& plugins, const Holdups& held,
                        std::size_t limit) {
  StatusJson list = StatusJson::array();
  const auto now = system_clock::now();
  for (const plugin::ObjectReport& object : plugins.unsettled(limit)) {
    list.push_back(record_json(object, held, now));
  }
  return list;
}

// {"key", "controllers": [as above], "warnings": [{"kind", "reason", "message", "since"}],
//  "loadBalancer": {"id", "name", "state", "addresses", "leftAlone", "since"}}; members
// of the load balancer that are not known are left out.
StatusJson object_json(const plugin_host::PluginHost& plugins, const Holdups& held,
                       const std::string& key) {
  StatusJson json = {{"key", key}, {"controllers", StatusJson::array()}};
  const auto now = system_clock::now();
  for (const plugin::ObjectReport& object : plugins.object(key)) {
    json["controllers"].push_back(record_json(object, held, now));
  }
  json["warnings"] = warnings_json(plugins, key, now);
  if (const auto* const balancers = plugins.cloud().load_balancers()) {
    const auto balancer = balancers->balancer_of(key);
    if (balancer) json["loadBalancer"] = load_balancer_json(*balancer, now);
  }
  return json;
}

// {"node", "routes": [{"destination", "state": "present", "held" or "failed", ...}]}
StatusJson routes_json(const plugin_host::PluginHost& plugins, const std::string& node) {
  StatusJson json = {{"node", node}, {"routes", StatusJson::array()}};
  const auto* const routes = plugins.cloud().routes();
  if (routes == nullptr) return json;
  const auto now = system_clock::now();
  for (const cloud::RouteReport& route : routes->routes_of(node)) {
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

StatusJson components_json(const StatusSources& from, const Holdups& held) {
  StatusJson list = StatusJson::array();
  const bool healthy = from.plugins.cloud().health().healthy();
  for (const auto& report : from.plugins.components()) {
    StatusJson json = {{"name", report.name},
                       {"plugin", report.plugin_id},
                       {"kind", std::string(to_string(report.kind))},
                       {"degraded", report.degraded},
                       {"operations", report.operations},
                       {"stalls", report.stalls},
                       {"missedDeadlines", report.missed_deadlines}};
    if (!report.skipped.empty()) {
      json["skipped"] = true;
      json["reason"] = report.skipped;
    }
    if (report.queue) {
      json["queue"] = {{"ready", report.queue->ready},
                       {"delayed", report.queue->delayed},
                       {"running", report.queue->running},
                       {"unsettled", report.queue->unsettled}};
      json["watches"] = report.watches;
    }
    if (const auto holdup = held.find(report.name); holdup != held.end()) {
      json["waitsFor"] = holdup->second.text;
    } else if (!healthy && report.skipped.empty()) {
      json["troubledBy"] = "the cloud";
    }
    list.push_back(std::move(json));
  }
  return list;
}

StatusJson caches_json(const kube::InformerSet& informers) {
  StatusJson list = StatusJson::array();
  for (const auto& informer : informers.informers()) {
    const kube::InformerStatistics numbers = informer->statistics();
    StatusJson json = {{"resource", informer->spec().resource.id()},
                       {"synced", informer->synced()},
                       {"objects", numbers.objects},
                       {"bytes", numbers.object_bytes},
                       {"events", numbers.events},
                       {"lists", numbers.lists},
                       {"failures", numbers.failures},
                       {"resourceVersion", informer->resource_version()}};
    if (const Status failure = informer->last_failure(); !failure.ok()) {
      json["lastFailure"] = failure.message();
    }
    list.push_back(std::move(json));
  }
  return list;
}

StatusJson cloud_json(const plugin_host::CloudConnection& cloud) {
  const auto troubles = cloud.health().troubles();
  StatusJson json = {{"healthy", cloud.health().healthy()},
                     {"text", troubles.empty() ? "no failure is known" : cloud.health().text()},
                     {"troubles", StatusJson::array()}};
  const auto now = system_clock::now();
  for (const cloud::CloudTrouble& trouble : troubles) {
    StatusJson one = {{"fault", std::string(to_string(trouble.fault))},
                      {"text", trouble.text},
                      {"since", moment(now, -trouble.age)},
                      {"failures", trouble.failures}};
    if (trouble.http_status >= 400) one["httpStatus"] = trouble.http_status;
    if (!trouble.message.empty()) one["lastFailure"] = trouble.message;
    json["troubles"].push_back(std::move(one));
  }
  if (const std::string suspicion = cloud.listing_suspicion(); !suspicion.empty()) {
    json["doubtfulListing"] = suspicion;
  }
  json["replacementsHeld"] = cloud.replacements_held();
  return json;
}

StatusJson brake_json(const plugin_host::PluginHost& plugins) {
  StatusJson json = StatusJson::object();
  for (const plugin_host::BrakeStatus& brake : plugins.cloud().brakes()) {
    json[brake.kind] = {{"engaged", brake.report.engaged},
                        {"blind", brake.report.blind},
                        {"held", brake.report.held},
                        {"text", brake.text}};
  }
  return json;
}

// Changed files that plugins cannot use, so that an earlier content stays in force.
StatusJson rejections_json(const plugin_host::PluginHost& plugins) {
  StatusJson list = StatusJson::array();
  for (const plugin::ConfigRejection& rejected : plugins.config_rejections()) {
    list.push_back({{"plugin", rejected.plugin_id},
                    {"file", rejected.file.empty() ? "--cloud-config" : rejected.file},
                    {"reason", rejected.reason}});
  }
  return list;
}

}  // namespace

std::string plain(const StatusJson& value) {
  return shown_text(value.is_string()
                        ? value.get<std::string>()
                        : value.dump(-1, ' ', false, StatusJson::error_handler_t::replace));
}

StatusJson status_json(const StatusSources& sources, const StatusQuery& query) {
  StatusJson status = {{"kind", "Statusz"},
                       {"apiVersion", "config.k8s.io/v1alpha1"},
                       {"metadata", {{"name", "cloud-controller-manager"}}},
                       {"process", process_json(sources)}};
  status["paths"] = sources.endpoint.paths();
  status["endpoint"] = {{"authentication", sources.endpoint.access().authentication},
                        {"authorization", sources.endpoint.access().authorization}};
  status["leaderElection"] = lease_json(sources);
  status["provider"] = {{"name", sources.selection.provider.name},
                        {"ready", sources.plugins.provider_ready()}};
  status["cloud"] = cloud_json(sources.plugins.cloud());
  status["permissions"] = permissions_json(sources.access);
  status["brake"] = brake_json(sources.plugins);
  status["budgets"] = budgets_json(sources.plugins.cloud().budgets());
  status["plugins"] = plugins_json(sources.selection);
  status["rejectedConfigurations"] = rejections_json(sources.plugins);
  const Holdups held = holdups(sources);
  status["components"] = components_json(sources, held);
  status["caches"] = caches_json(sources.informers);
  status["objects"] = objects_json(sources.plugins, held, query.limit);
  status["groups"] = groups_json(objects_json(sources.plugins, held, kMostStatusObjects),
                                 status["process"]["now"].get<std::string>());
  status["problems"] = problems_json(status);
  if (query.object) status["object"] = object_json(sources.plugins, held, *query.object);
  if (query.route) status["routes"] = routes_json(sources.plugins, *query.route);
  return status;
}

serving::Answer status_page(const StatusSources& sources, const serving::Request& request) {
  if (const auto refusal = serving::only_reads(request)) return *refusal;
  const StatusJson status = status_json(sources, read_query(request));
  serving::Answer answer;
  if (serving::wants_json(request)) {
    answer.content_type = "application/json";
    answer.body = status.dump(2, ' ', true, StatusJson::error_handler_t::replace) + "\n";
  } else {
    answer.body = status_text(status);
  }
  return answer;
}

}  // namespace ccm::app
