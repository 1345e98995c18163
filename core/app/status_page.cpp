#include "app/status_page.hpp"

#include "base/version.hpp"
#include "serving/pages/flags_page.hpp"
#include "serving/site.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <ctime>
#include <set>
#include <utility>

namespace ccm::app {

namespace {

using Json = nlohmann::ordered_json;

std::string utc(std::chrono::system_clock::time_point when, const char* format) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(when);
  tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  const std::size_t size = std::strftime(text, sizeof text, format, &parts);
  return {text, size};
}

Json process_json(const StatusSources& from) {
  const Version& build = version();
  const auto up = std::chrono::steady_clock::now() - from.begin;
  return {{"started", utc(from.started, "%Y-%m-%dT%H:%M:%SZ")},
          {"upSeconds", std::chrono::duration_cast<std::chrono::seconds>(up).count()},
          {"version", std::string(build.text)},
          {"commit", std::string(build.commit)},
          {"compiler", std::string(build.compiler)},
          {"platform", std::string(build.system) + "/" + std::string(build.machine)}};
}

Json lease_json(const StatusSources& from) {
  const LeaderElectionOptions& flags = from.options.leader_election;
  Json json = {{"leading", from.leadership.leading()}};
  if (!flags.leader_elect) return json;
  json["lease"] = flags.resource_namespace + "/" + flags.resource_name;
  json["identity"] = from.leadership.identity();
  json["transitions"] = from.leadership.transitions();
  return json;
}

Json plugins_json(const LoadedSelection& selection) {
  Json list = Json::array();
  std::set<std::string> told;
  const auto add = [&](const SelectedComponent& component) {
    const plugin::Manifest& manifest = component.plugin.manifest;
    if (!told.insert(manifest.id).second) return;
    list.push_back(
        {{"id", manifest.id},
         {"version", manifest.version},
         {"abi", std::to_string(manifest.abi_major) + "." + std::to_string(manifest.abi_minor)},
         {"language", manifest.language},
         {"file", component.plugin.path.string()}});
  };
  add(selection.provider);
  for (const SelectedComponent& controller : selection.controllers) add(controller);
  return list;
}

Json components_json(const plugin::PluginHost& plugins) {
  Json list = Json::array();
  for (const auto& report : plugins.components()) {
    Json json = {{"name", report.name},
                 {"plugin", report.plugin_id},
                 {"kind", std::string(plugin::to_string(report.kind))},
                 {"degraded", report.degraded},
                 {"operations", report.operations},
                 {"stalls", report.stalls},
                 {"missedDeadlines", report.missed_deadlines}};
    if (report.skipped) json["skipped"] = true;
    if (report.queue) {
      json["queue"] = {{"ready", report.queue->ready},
                       {"delayed", report.queue->delayed},
                       {"running", report.queue->running}};
    }
    list.push_back(std::move(json));
  }
  return list;
}

Json caches_json(const kube::InformerSet& informers) {
  Json list = Json::array();
  for (const auto& informer : informers.informers()) {
    const kube::InformerStatistics numbers = informer->statistics();
    Json json = {{"resource", informer->spec().resource.id()},
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

Json brake_json(const plugin::PluginHost& plugins) {
  Json json = Json::object();
  for (const plugin::BrakeStatus& brake : plugins.brakes()) {
    json[brake.kind] = {{"engaged", brake.report.engaged},
                        {"blind", brake.report.blind},
                        {"held", brake.report.held},
                        {"text", brake.text}};
  }
  return json;
}

std::string up_text(int64_t seconds) {
  char text[64];
  std::snprintf(text, sizeof text, "%lld hr %02lld min %02lld sec",
                static_cast<long long>(seconds / 3600), static_cast<long long>(seconds / 60 % 60),
                static_cast<long long>(seconds % 60));
  return text;
}

std::string plain(const Json& value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// "name: a=1 b=2", the first member being the name.
void add_lines(const char* title, const Json& list, std::string* text) {
  *text += std::string("\n") + title + ":\n";
  for (const Json& item : list) {
    std::string line;
    for (const auto& [key, value] : item.items()) {
      if (line.empty()) {
        line = "  " + plain(value) + ":";
      } else if (value.is_object()) {
        for (const auto& [inner, number] : value.items()) {
          line += " " + key + "." + inner + "=" + plain(number);
        }
      } else {
        line += " " + key + "=" + plain(value);
      }
    }
    *text += line + "\n";
  }
}

std::string text_of(const Json& status, const StatusSources& from) {
  const Json& process = status["process"];
  std::string text = serving::page_header("statusz");
  text += "Started: " + utc(from.started, "%a %b %e %H:%M:%S UTC %Y") + "\n";
  text += "Up: " + up_text(process["upSeconds"].get<int64_t>()) + "\n";
  text += "Binary version: " + plain(process["version"]) + " (" + plain(process["commit"]) + ", " +
          plain(process["compiler"]) + ", " + plain(process["platform"]) + ")\n";
  text += "Paths:";
  for (const Json& path : status["paths"]) text += " " + plain(path);
  text += "\n\nLeader election:";
  for (const auto& [key, value] : status["leaderElection"].items()) {
    text += " " + key + "=" + plain(value);
  }
  text += "\nProvider: " + plain(status["provider"]["name"]) +
          (status["provider"]["ready"].get<bool>() ? " (ready)" : " (not ready)") + "\n";
  for (const auto& [kind, brake] : status["brake"].items()) {
    text += "Deletion brake, " + kind + ": " + plain(brake["text"]) + "\n";
  }
  add_lines("Plugins", status["plugins"], &text);
  add_lines("Components", status["components"], &text);
  add_lines("Caches", status["caches"], &text);
  return text;
}

}  // namespace

serving::Answer status_page(const StatusSources& sources, const serving::Request& request) {
  if (const auto refusal = serving::only_reads(request)) return *refusal;
  Json status = {{"kind", "Statusz"},
                 {"apiVersion", "config.k8s.io/v1alpha1"},
                 {"metadata", {{"name", "cloud-controller-manager"}}},
                 {"process", process_json(sources)}};
  status["paths"] = sources.paths();
  status["leaderElection"] = lease_json(sources);
  status["provider"] = {{"name", sources.selection.provider.name},
                        {"ready", sources.plugins.provider_ready()}};
  status["brake"] = brake_json(sources.plugins);
  status["plugins"] = plugins_json(sources.selection);
  status["components"] = components_json(sources.plugins);
  status["caches"] = caches_json(sources.informers);
  serving::Answer answer;
  if (serving::wants_json(request)) {
    answer.content_type = "application/json";
    answer.body = status.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  } else {
    answer.body = text_of(status, sources);
  }
  return answer;
}

}  // namespace ccm::app
