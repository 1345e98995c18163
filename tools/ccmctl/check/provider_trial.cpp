#include "provider_trial.hpp"

#include "child.hpp"
#include "conformance/trial.hpp"
#include "live_cloud.hpp"
#include "plugin_files/loader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <clocale>
#include <exception>
#include <optional>
#include <string_view>

namespace ccm::ctl {
namespace {

using conformance::Outcome;
using conformance::Trial;
using nlohmann::ordered_json;

std::string_view name_of_state(InstanceState state) {
  switch (state) {
    case InstanceState::running:
      return "running";
    case InstanceState::shutdown:
      return "shutdown";
    case InstanceState::terminated:
      return "terminated";
    case InstanceState::absent:
      return "absent";
    case InstanceState::starting:
      return "starting";
    case InstanceState::unknown:
      break;
  }
  return "unknown";
}

ordered_json json_of(const Instance& machine) {
  ordered_json addresses = ordered_json::array();
  for (const NodeAddress& address : machine.addresses) {
    addresses.push_back({{"type", address.type}, {"address", address.address}});
  }
  ordered_json labels = ordered_json::object();
  for (const Label& label : machine.labels) labels[label.key] = label.value;
  return {{"name", machine.name},
          {"providerID", machine.provider_id},
          {"state", name_of_state(machine.state)},
          {"instanceType", machine.instance_type},
          {"zone", machine.zone},
          {"region", machine.region},
          {"addresses", std::move(addresses)},
          {"labels", std::move(labels)}};
}

// Why the operation did not succeed; empty when it did.
std::string fault_of(const char* operation, const Outcome& outcome) {
  if (!outcome.ok())
    return fmt::format("{} ended with {}", operation, conformance::describe(outcome.status));
  if (outcome.problems.empty()) return {};
  return fmt::format("the result of {} is wrong: {}", operation, outcome.problems.front());
}

std::string run_operations(Trial& trial, ordered_json& machines) {
  if (!trial.created().created().ok()) return "the component cannot be made";
  if (trial.offers(conformance::kInitialize)) {
    std::string fault = fault_of("initialize", trial.run(conformance::kInitialize));
    if (!fault.empty()) return fault;
  }
  if (!trial.offers(conformance::kList)) {
    return "the provider has no list: it is asked for single instances only";
  }
  const Outcome listed = trial.run(conformance::kList);
  for (const Instance& machine : listed.machines.instances) machines.push_back(json_of(machine));
  return fault_of("list", listed);
}

ordered_json outcome_of(const std::string& failure) {
  return {
      {"failure", failure}, {"machines", ordered_json::array()}, {"log", ordered_json::array()}};
}

ordered_json try_here(const ProviderTrialOptions& options, const ccm_plugin* plugin) {
  conformance::Settings settings;
  settings.subject = conformance::Subject::of(plugin);
  settings.cloud_command = options.cloud_command;
  settings.cloud_config = options.cloud_config;
  settings.flags = options.flags;
  Trial trial(settings);
  take_secrets(trial.host.config);
  if (options.cloud_command.empty()) trial.network.go_live(&send_to_cloud);
  ordered_json outcome = outcome_of("");
  outcome["failure"] = run_operations(trial, outcome["machines"]);
  if (!trial.network.fault().empty()) outcome["failure"] = trial.network.fault();
  for (const auto& line : trial.host.log.lines()) {
    if (line.level <= CCM_LOG_WARNING) outcome["log"].push_back(line.text());
  }
  trial.destroy();
  trial.cloud.end();
  return outcome;
}

void be_the_trial(const ProviderTrialOptions& options, int report) {
  std::setlocale(LC_ALL, "C");
  const auto tell = [report](const ordered_json& outcome) {
    write_report(report, outcome.dump(-1, ' ', true, ordered_json::error_handler_t::replace));
  };
  plugin_files::Loader loader;
  const auto loaded = loader.load(options.file);
  if (!loaded) return tell(outcome_of(loaded.status().message()));
  try {
    tell(try_here(options, loaded->plugin));
  } catch (const std::exception& fault) {
    tell(outcome_of(fault.what()));
  }
  ::_exit(0);
}

}  // namespace

ordered_json try_provider(const ProviderTrialOptions& options) {
  const ChildEnd end =
      run_in_child([&](int report) { be_the_trial(options, report); }, options.limit);
  ordered_json report = ordered_json::parse(end.report, nullptr, false);
  if (!end.failure.empty()) return outcome_of(end.failure);
  if (report.is_object()) return report;
  if (!end.in_time) {
    return outcome_of(fmt::format("did not end within {} s", options.limit.count() / 1000.0));
  }
  if (WIFSIGNALED(end.status)) {
    return outcome_of(fmt::format("crashed with {}", signal_name(WTERMSIG(end.status))));
  }
  return outcome_of(fmt::format("ended the process with exit code {}", WEXITSTATUS(end.status)));
}

}  // namespace ccm::ctl
