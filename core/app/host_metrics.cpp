#include "app/host_metrics.hpp"

#include "kube/credential_expiry.hpp"
#include "kube/exec_plugin_counts.hpp"
#include "kube/transport_counts.hpp"

#include <prometheus/client_metric.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::app {

namespace {

using serving::Sample;
using Samples = std::vector<Sample>;

constexpr const char* kManager = "cloud-controller-manager";

void add_leadership(serving::SampledMetrics* metrics, const HostMetricSources& from) {
  if (!from.election.leader_elect) return;
  using Report = Leadership::LeaseReport;
  const auto labelled = [&leadership = from.leadership](auto number) {
    return [&leadership, number] {
      Samples samples;
      for (const Report& lease : leadership.leases()) {
        samples.push_back({{{"name", lease.name}}, number(lease)});
      }
      return samples;
    };
  };
  metrics->gauge("leader_election_master_status", "1 while this process holds the Lease, else 0.",
                 labelled([](const Report& lease) { return lease.held ? 1.0 : 0.0; }));
  metrics->counter(
      "leader_election_slowpath_total", "Renewals of the Lease that had to read it first.",
      labelled([](const Report& lease) { return static_cast<double>(lease.slow_paths); }));
}

using ManagedNames = std::map<std::string, std::string, std::less<>>;

ManagedNames managed_names(const LoadedSelection& selection) {
  ManagedNames names;
  for (const SelectedComponent& chosen : selection.controllers) {
    const auto* component =
        chosen.plugin.manifest.find(plugin::ComponentKind::controller, chosen.name);
    if (component != nullptr) names.emplace(chosen.name, managed_name(*component));
  }
  return names;
}

Samples running_controllers(const plugin::PluginHost& plugins, const ManagedNames& names,
                            bool leading) {
  Samples samples;
  for (const auto& report : plugins.components()) {
    if (report.kind != plugin::ComponentKind::controller) continue;
    const double runs = leading && report.queue && report.queue->started ? 1 : 0;
    const auto known = names.find(report.name);
    const std::string& name = known != names.end() ? known->second : report.name;
    samples.push_back({{{"manager", kManager}, {"name", name}}, runs});
  }
  return samples;
}

// One series for each plugin component, of a number in its report.
template <typename Number>
void add_component(serving::SampledMetrics* metrics, bool counter, const char* name,
                   const char* help, const plugin::PluginHost& plugins, Number number) {
  auto samples = [&plugins, number] {
    Samples result;
    for (const auto& report : plugins.components()) {
      result.push_back({{{"component", report.name}, {"plugin", report.plugin_id}},
                        static_cast<double>(report.*number)});
    }
    return result;
  };
  if (counter) {
    metrics->counter(name, help, samples);
  } else {
    metrics->gauge(name, help, samples);
  }
}

Samples unsettled_objects(const plugin::PluginHost& plugins) {
  Samples samples;
  for (const auto& [controller, outcomes] : plugins.outcomes()) {
    for (const auto& [state, count] : outcomes) {
      samples.push_back({{{"controller", controller}, {"state", std::string(to_string(state))}},
                         static_cast<double>(count)});
    }
  }
  return samples;
}

void add_components(serving::SampledMetrics* metrics, const plugin::PluginHost& plugins) {
  using Report = plugin::ComponentReport;
  add_component(metrics, false, "ccm_plugin_degraded",
                "1 while a plugin's component stalls the event loop or misses its deadlines.",
                plugins, &Report::degraded);
  metrics->gauge("ccm_unsettled_objects",
                 "Objects whose last reconcile did not succeed, by how it ended.",
                 [&plugins] { return unsettled_objects(plugins); });
  add_component(metrics, false, "ccm_plugin_operations_in_flight",
                "Operations of a plugin's component that run now.", plugins, &Report::operations);
  add_component(metrics, true, "ccm_plugin_missed_deadlines_total",
                "Operations of a plugin's component that did not end in time.", plugins,
                &Report::missed_deadlines);
  add_component(metrics, true, "ccm_plugin_wrong_thread_calls_total",
                "Calls of the host's functions by a plugin from a thread that they do not allow.",
                plugins, &Report::wrong_thread_calls);
}

void add_caches(serving::SampledMetrics* metrics, const kube::InformerSet& informers) {
  const auto add = [&](bool counter, const char* name, const char* help, auto number) {
    auto samples = [&informers, number] {
      Samples result;
      for (const auto& informer : informers.informers()) {
        result.push_back({{{"resource", informer->spec().resource.id()}}, number(*informer)});
      }
      return result;
    };
    counter ? metrics->counter(name, help, samples) : metrics->gauge(name, help, samples);
  };
  add(false, "ccm_cache_objects", "Kubernetes objects in the cache.",
      [](const kube::Informer& of) { return static_cast<double>(of.statistics().objects); });
  add(false, "ccm_cache_bytes", "Memory of the cached objects.",
      [](const kube::Informer& of) { return static_cast<double>(of.statistics().object_bytes); });
  add(false, "ccm_cache_synced", "1 when the cache had its first complete list.",
      [](const kube::Informer& of) { return of.synced() ? 1.0 : 0.0; });
  add(true, "ccm_cache_events_total", "Changes that watches brought.",
      [](const kube::Informer& of) { return static_cast<double>(of.statistics().events); });
  add(true, "ccm_cache_lists_total", "Complete lists that were read.",
      [](const kube::Informer& of) { return static_cast<double>(of.statistics().lists); });
  add(true, "ccm_cache_failures_total", "Lists and watches that failed.",
      [](const kube::Informer& of) { return static_cast<double>(of.statistics().failures); });
}

std::optional<double> number_of(const std::optional<int64_t>& told) {
  return told ? std::optional<double>(static_cast<double>(*told)) : std::nullopt;
}

// Leaves out what the cloud did not say.
void add_budgets(serving::SampledMetrics* metrics, const plugin::PluginHost& plugins) {
  using Report = plugin::BudgetReport;
  const auto add = [&](bool counter, const char* name, const char* help,
                       std::optional<double> (*number)(const Report&)) {
    auto samples = [&plugins, number] {
      Samples result;
      for (const Report& budget : plugins.cloud().budgets()) {
        const auto value = number(budget);
        if (value) result.push_back({{{"credential", budget.credential}}, *value});
      }
      return result;
    };
    counter ? metrics->counter(name, help, samples) : metrics->gauge(name, help, samples);
  };
  add(false, "ccm_cloud_call_budget_limit", "Calls that the cloud allows in a window.",
      [](const Report& of) { return number_of(of.limit); });
  add(false, "ccm_cloud_call_budget_left", "Calls that the cloud still allows in this window.",
      [](const Report& of) { return number_of(of.remaining); });
  add(false, "ccm_cloud_call_budget_reset_seconds", "Time until the cloud's window ends.",
      [](const Report& of) {
        if (!of.reset) return std::optional<double>();
        return std::optional<double>(std::chrono::duration<double>(*of.reset).count());
      });
  add(false, "ccm_cloud_call_budget_kept",
      "1 while the remaining calls are reserved for new Nodes and for Services.",
      [](const Report& of) { return std::optional<double>(of.reserved ? 1 : 0); });
  add(true, "ccm_cloud_calls_held_total", "Calls that had to wait for the cloud's window.",
      [](const Report& of) { return std::optional<double>(static_cast<double>(of.held)); });
}

// With --use-service-account-credentials.
void add_tokens(serving::SampledMetrics* metrics, const ClientFactory& clients) {
  metrics->gauge("ccm_service_account_token_remaining_seconds",
                 "Time until the token of a controller's service account expires; 0 without one.",
                 [&clients] {
                   Samples samples;
                   for (const auto& [account, token] : clients.tokens()) {
                     const auto left = token->time_left().value_or(std::chrono::nanoseconds(0));
                     samples.push_back({{{"service_account", account}},
                                        std::chrono::duration<double>(left).count()});
                   }
                   return samples;
                 });
}

void add_expiries(serving::SampledMetrics* metrics) {
  metrics->gauge("ccm_credential_expiration_timestamp_seconds",
                 "When a certificate or token in use expires, in Unix time.", [] {
                   Samples samples;
                   for (const auto& entry : kube::CredentialExpiry::of_process().all()) {
                     const auto since = entry.expires.time_since_epoch();
                     samples.push_back({{{"credential", entry.credential}, {"kind", entry.kind}},
                                        std::chrono::duration<double>(since).count()});
                   }
                   return samples;
                 });
}

// A transport here is a pool of connections with its credentials.
void add_transports(serving::SampledMetrics* metrics) {
  const kube::TransportCounts& counts = kube::TransportCounts::of_process();
  metrics->gauge_of("rest_client_transport_cache_entries", "Transports to API servers.",
                    [&counts] { return static_cast<double>(counts.present); });
  metrics->counter("rest_client_transport_create_calls_total",
                   "Clients of API servers by whether they share a transport (hit) or have one "
                   "made (miss).",
                   [&counts] {
                     return Samples{{{{"result", "hit"}}, static_cast<double>(counts.shared)},
                                    {{{"result", "miss"}}, static_cast<double>(counts.made)}};
                   });
}

prometheus::ClientMetric::Histogram rotation_ages(const kube::ExecPluginCounts::Report& report) {
  constexpr auto& limits = kube::ExecPluginCounts::kRotationAges;
  prometheus::ClientMetric::Histogram histogram;
  for (std::size_t i = 0; i < report.ages.size(); ++i) {
    histogram.sample_count += report.ages[i];
    const double limit = i < limits.size() ? limits[i] : std::numeric_limits<double>::infinity();
    histogram.bucket.push_back({histogram.sample_count, limit});
  }
  histogram.sample_sum = report.age_sum;
  return histogram;
}

void add_exec_plugins(serving::SampledMetrics* metrics) {
  const kube::ExecPluginCounts& counts = kube::ExecPluginCounts::of_process();
  metrics->gauge_of(
      "rest_client_exec_plugin_ttl_seconds",
      "Time until the first client certificate of an exec plugin expires; negative "
      "when it has, +Inf when there is none.",
      [&counts] {
        const auto expiry = counts.report().first_expiry;
        if (!expiry) return std::numeric_limits<double>::infinity();
        return std::chrono::duration<double>(*expiry - std::chrono::system_clock::now()).count();
      });
  metrics->histogram("rest_client_exec_plugin_certificate_rotation_age",
                     "Age of client certificates of exec plugins when they were replaced.",
                     [&counts] { return rotation_ages(counts.report()); });
  metrics->counter(
      "rest_client_exec_plugin_call_total",
      "Calls of exec plugins by exit code and by how they ended.", [&counts] {
        Samples samples;
        for (const auto& [call, count] : counts.report().calls) {
          samples.push_back({{{"call_status", call.second}, {"code", std::to_string(call.first)}},
                             static_cast<double>(count)});
        }
        return samples;
      });
}

// No metric of this program is hidden before it is removed, and no flag disables one.
void add_absent_metrics(serving::SampledMetrics* metrics) {
  const auto none = [] { return Samples{Sample{{}, 0}}; };
  metrics->counter("hidden_metrics_total", "Metrics that are hidden: none.", none);
  metrics->counter("disabled_metrics_total", "Metrics that are disabled: none.", none);
}

}  // namespace

std::string managed_name(const plugin::Component& controller) {
  constexpr std::string_view kSuffix = "-controller";
  if (!controller.aliases.empty()) return controller.aliases.front();
  std::string_view name = controller.name;
  if (name.ends_with(kSuffix)) name.remove_suffix(kSuffix.size());
  return std::string(name);
}

void add_host_metrics(serving::SampledMetrics* metrics, HostMetricSources sources) {
  serving::add_process_metrics(metrics);
  serving::add_build_info(metrics);
  add_leadership(metrics, sources);
  metrics->gauge("running_managed_controllers",
                 "1 for a controller that runs, 0 for one that does not.",
                 [&plugins = sources.plugins, &leadership = sources.leadership,
                  names = managed_names(sources.selection)] {
                   return running_controllers(plugins, names, leadership.leading());
                 });
  add_transports(metrics);
  add_exec_plugins(metrics);
  add_absent_metrics(metrics);
  add_components(metrics, sources.plugins);
  add_caches(metrics, sources.informers);
  add_budgets(metrics, sources.plugins);
  add_tokens(metrics, sources.clients);
  add_expiries(metrics);
}

}  // namespace ccm::app
