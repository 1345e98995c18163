#include "app/host_metrics.hpp"

#include "base/metric_families.hpp"
#include "kube/client_metrics.hpp"

#include <prometheus/client_metric.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::app {

namespace {

using serving::Sample;
using Samples = std::vector<Sample>;
using Labels = decltype(Sample::labels);

constexpr const char* kManager = "cloud-controller-manager";

// One series for each object of a list, of a number that the object tells (a function of it, or a
// member); none for those that tell nothing.
template <typename List, typename LabelsOf>
auto series_of(List list, LabelsOf labels_of) {
  return [=](auto number) {
    return [=] {
      Samples samples;
      for (const auto& object : list()) {
        const std::optional<double> value = std::invoke(number, object);
        if (value) samples.push_back({labels_of(object), *value});
      }
      return samples;
    };
  };
}

void add_leadership(serving::SampledMetrics* sampled, const HostMetricSources& from) {
  if (!from.election.leader_elect) return;
  using Report = Leadership::LeaseReport;
  const auto leases = series_of([&leadership = from.leadership] { return leadership.leases(); },
                                [](const Report& lease) {
                                  return Labels({{"name", lease.name}});
                                });
  sampled->gauge("leader_election_master_status", "1 while this process holds the Lease, else 0.",
                 leases(&Report::held));
  sampled->counter("leader_election_slowpath_total",
                   "Renewals of the Lease that had to read it first.", leases(&Report::slow_paths));
}

using ManagedNames = std::map<std::string, std::string, std::less<>>;

ManagedNames managed_names(const LoadedSelection& selection) {
  ManagedNames names;
  for (const SelectedComponent& chosen : selection.controllers) {
    const auto* component =
        chosen.plugin.manifest.find(plugin_files::ComponentKind::controller, chosen.name);
    if (component != nullptr) names.emplace(chosen.name, managed_name(*component));
  }
  return names;
}

Samples unsettled_objects(const plugin_host::PluginHost& plugins) {
  Samples samples;
  for (const auto& [controller, outcomes] : plugins.outcomes()) {
    for (const auto& [how, outcome] : outcomes) {
      samples.push_back({{{"controller", controller},
                          {"state", std::string(to_string(how.state))},
                          {"class", std::string(name_of(how.error_class))}},
                         static_cast<double>(outcome.count)});
    }
  }
  return samples;
}

// By state; 0 where there is none.
Samples oldest_unsettled(const plugin_host::PluginHost& plugins) {
  Samples samples;
  for (const auto& [controller, outcomes] : plugins.outcomes()) {
    std::map<plugin::ObjectState, std::chrono::nanoseconds> oldest;
    for (const auto& [how, outcome] : outcomes) {
      oldest[how.state] = std::max(oldest[how.state], outcome.oldest);
    }
    for (const auto& [state, age] : oldest) {
      samples.push_back({{{"controller", controller}, {"state", std::string(to_string(state))}},
                         metrics::seconds(age)});
    }
  }
  return samples;
}

void add_components(serving::SampledMetrics* sampled, const HostMetricSources& from) {
  using Report = plugin_host::ComponentReport;
  const auto list = [&plugins = from.plugins] { return plugins.components(); };
  const auto components = series_of(list, [](const Report& of) {
    return Labels({{"component", of.name}, {"plugin", of.plugin_id}});
  });
  sampled->gauge("ccm_plugin_degraded",
                 "1 while a plugin's component stalls the event loop or misses its deadlines.",
                 components(&Report::degraded));
  sampled->gauge("ccm_plugin_operations_in_flight",
                 "Operations of a plugin's component that run now.",
                 components(&Report::operations));
  sampled->counter("ccm_plugin_missed_deadlines_total",
                   "Operations of a plugin's component that did not end in time.",
                   components(&Report::missed_deadlines));
  sampled->counter(
      "ccm_plugin_wrong_thread_calls_total",
      "Calls of the host's functions by a plugin from a thread that they do not allow.",
      components(&Report::wrong_thread_calls));
  const auto controllers =
      series_of(list, [names = managed_names(from.selection)](const Report& of) {
        const auto known = names.find(of.name);
        return Labels(
            {{"manager", kManager}, {"name", known != names.end() ? known->second : of.name}});
      });
  sampled->gauge(
      "running_managed_controllers", "1 for a controller that runs, 0 for one that does not.",
      controllers([&leadership = from.leadership](const Report& of) -> std::optional<double> {
        if (of.kind != plugin_files::ComponentKind::controller) return std::nullopt;
        return leadership.leading() && of.queue && of.queue->started ? 1 : 0;
      }));
  sampled->gauge("ccm_unsettled_objects",
                 "Objects whose last reconcile did not succeed, by how it ended and by its class.",
                 [&plugins = from.plugins] { return unsettled_objects(plugins); });
  sampled->gauge("ccm_unsettled_oldest_seconds",
                 "Time for which the oldest of these objects has been unsettled.",
                 [&plugins = from.plugins] { return oldest_unsettled(plugins); });
}

void add_caches(serving::SampledMetrics* sampled, const kube::InformerSet& informers) {
  const auto caches = series_of([&informers] { return informers.informers(); },
                                [](const auto& of) {
                                  return Labels({{"resource", of->spec().resource.id()}});
                                });
  sampled->gauge("ccm_cache_objects", "Kubernetes objects in the cache.",
                 caches([](const auto& of) { return of->statistics().objects; }));
  sampled->gauge("ccm_cache_bytes", "Memory of the cached objects.",
                 caches([](const auto& of) { return of->statistics().object_bytes; }));
  sampled->gauge("ccm_cache_synced", "1 when the cache had its first complete list.",
                 caches(&kube::Informer::synced));
  sampled->counter("ccm_cache_events_total", "Changes that watches brought.",
                   caches([](const auto& of) { return of->statistics().events; }));
  sampled->counter("ccm_cache_lists_total", "Complete lists that were read.",
                   caches([](const auto& of) { return of->statistics().lists; }));
  sampled->counter("ccm_cache_failures_total", "Lists and watches that failed.",
                   caches([](const auto& of) { return of->statistics().failures; }));
}

// Leaves out what the cloud did not say.
void add_budgets(serving::SampledMetrics* sampled, const plugin_host::PluginHost& plugins) {
  using Report = plugin::BudgetReport;
  const auto budgets = series_of([&plugins] { return plugins.cloud().budgets(); },
                                 [](const Report& of) {
                                   return Labels({{"credential", of.credential}});
                                 });
  sampled->gauge("ccm_cloud_call_budget_limit", "Calls that the cloud allows in a window.",
                 budgets(&Report::limit));
  sampled->gauge("ccm_cloud_call_budget_left", "Calls that the cloud still allows in this window.",
                 budgets(&Report::remaining));
  sampled->gauge("ccm_cloud_call_budget_reset_seconds", "Time until the cloud's window ends.",
                 budgets([](const Report& of) -> std::optional<double> {
                   if (!of.reset) return std::nullopt;
                   return metrics::seconds(*of.reset);
                 }));
  sampled->gauge("ccm_cloud_call_budget_kept",
                 "1 while the remaining calls are reserved for new Nodes and for Services.",
                 budgets(&Report::reserved));
  sampled->gauge("ccm_cloud_call_budget_kept_for_nodes",
                 "1 while the remaining calls are reserved for new Nodes alone.",
                 budgets(&Report::for_nodes));
  sampled->counter("ccm_cloud_calls_held_total", "Calls that had to wait for the cloud's window.",
                   budgets(&Report::held));
}

// All classes are always there, so that an alert needs no absent().
void add_cloud_health(serving::SampledMetrics* sampled, const plugin_host::PluginHost& plugins) {
  sampled->gauge("ccm_cloud_unhealthy_since_seconds",
                 "Time since when the cloud fails, or is slow, in this way; 0: it does not.",
                 [&plugins] {
                   const auto troubles = plugins.cloud().health().troubles();
                   Samples samples;
                   for (const cloud::CloudFault fault : cloud::kCloudFaults) {
                     double age = 0;
                     for (const cloud::CloudTrouble& trouble : troubles) {
                       if (trouble.fault != fault) continue;
                       age = metrics::seconds(trouble.age);
                     }
                     samples.push_back({{{"class", std::string(to_string(fault))}}, age});
                   }
                   return samples;
                 });
  sampled->gauge_of("ccm_cloud_listing_doubted_seconds",
                    "Time since when nothing is concluded from what the cloud's list of instances "
                    "lacks; 0: the list is trusted.",
                    [&plugins] {
                      const auto age = plugins.cloud().listing_suspect_for();
                      return age ? metrics::seconds(*age) : 0.0;
                    });
}

void add_change_limits(serving::SampledMetrics* sampled, const plugin_host::PluginHost& plugins) {
  sampled->gauge(
      "ccm_load_balancer_changes_waiting",
      "Changes of Services that wait for their turn, by the limit that holds them back.",
      [&plugins] {
        const auto* const balancers = plugins.cloud().load_balancers();
        const auto report = balancers ? balancers->change_limits() : cloud::ChangeLimitReport();
        return Samples{
            {{{"limit", "service"}}, static_cast<double>(report.waiting_for_service)},
            {{{"limit", "namespace"}}, static_cast<double>(report.waiting_for_namespace)}};
      });
  sampled->counter("ccm_load_balancer_changes_held_total",
                   "Changes of Services that had to wait for their turn.", [&plugins] {
                     const auto* const balancers = plugins.cloud().load_balancers();
                     const uint64_t held = balancers ? balancers->changes_held() : 0;
                     return Samples{{{}, static_cast<double>(held)}};
                   });
}

// With --use-service-account-credentials.
void add_tokens(serving::SampledMetrics* sampled, const ClientFactory& clients) {
  const auto tokens = series_of([&clients] { return clients.tokens(); },
                                [](const auto& of) {
                                  return Labels({{"service_account", of.first}});
                                });
  sampled->gauge("ccm_service_account_token_remaining_seconds",
                 "Time until the token of a controller's service account expires; 0 without one.",
                 tokens([](const auto& of) {
                   const auto left = of.second->time_left().value_or(std::chrono::nanoseconds(0));
                   return metrics::seconds(left);
                 }));
}

void add_expiries(serving::SampledMetrics* sampled) {
  using Entry = kube::CredentialExpiry::Entry;
  const auto credentials =
      series_of([] { return kube::CredentialExpiry::of_process().all(); },
                [](const Entry& of) {
                  return Labels({{"credential", of.credential}, {"kind", of.kind}});
                });
  sampled->gauge(
      "ccm_credential_expiration_timestamp_seconds",
      "When a certificate or token in use expires, in Unix time.",
      credentials([](const Entry& of) { return metrics::seconds(of.expires.time_since_epoch()); }));
}

// A transport here is a pool of connections with its credentials.
void add_transports(serving::SampledMetrics* sampled) {
  const kube::TransportCounts& counts = kube::TransportCounts::of_process();
  sampled->gauge_of("rest_client_transport_cache_entries", "Transports to API servers.",
                    [&counts] { return static_cast<double>(counts.present); });
  sampled->counter("rest_client_transport_create_calls_total",
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

void add_exec_plugins(serving::SampledMetrics* sampled) {
  const kube::ExecPluginCounts& counts = kube::ExecPluginCounts::of_process();
  sampled->gauge_of("rest_client_exec_plugin_ttl_seconds",
                    "Time until the first client certificate of an exec plugin expires; negative "
                    "when it has, +Inf when there is none.",
                    [&counts] {
                      const auto expiry = counts.report().first_expiry;
                      if (!expiry) return std::numeric_limits<double>::infinity();
                      return metrics::seconds(*expiry - std::chrono::system_clock::now());
                    });
  sampled->histogram("rest_client_exec_plugin_certificate_rotation_age",
                     "Age of client certificates of exec plugins when they were replaced.",
                     [&counts] { return rotation_ages(counts.report()); });
  const auto calls =
      series_of([&counts] { return counts.report().calls; },
                [](const auto& of) {
                  const auto& [code, status] = of.first;
                  return Labels({{"call_status", status}, {"code", std::to_string(code)}});
                });
  sampled->counter("rest_client_exec_plugin_call_total",
                   "Calls of exec plugins by exit code and by how they ended.",
                   calls([](const auto& of) { return of.second; }));
}

// No metric of this program is hidden before it is removed, and no flag disables one.
void add_absent_metrics(serving::SampledMetrics* sampled) {
  const auto none = [] { return Samples{Sample{{}, 0}}; };
  sampled->counter("hidden_metrics_total", "Metrics that are hidden: none.", none);
  sampled->counter("disabled_metrics_total", "Metrics that are disabled: none.", none);
}

}  // namespace

std::string managed_name(const plugin_files::Component& controller) {
  constexpr std::string_view kSuffix = "-controller";
  if (!controller.aliases.empty()) return controller.aliases.front();
  std::string_view name = controller.name;
  if (name.ends_with(kSuffix)) name.remove_suffix(kSuffix.size());
  return std::string(name);
}

void add_host_metrics(serving::SampledMetrics* sampled, HostMetricSources sources) {
  serving::add_process_metrics(sampled);
  serving::add_build_info(sampled);
  add_leadership(sampled, sources);
  add_transports(sampled);
  add_exec_plugins(sampled);
  add_absent_metrics(sampled);
  add_components(sampled, sources);
  add_caches(sampled, sources.informers);
  add_budgets(sampled, sources.plugins);
  add_cloud_health(sampled, sources.plugins);
  add_change_limits(sampled, sources.plugins);
  add_tokens(sampled, sources.clients);
  add_expiries(sampled);
}

}  // namespace ccm::app
