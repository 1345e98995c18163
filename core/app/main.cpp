#include "app/ending.hpp"
#include "app/flags/options_command_line.hpp"
#include "app/manager.hpp"
#include "app/migration_plan.hpp"
#include "app/plugin_selection.hpp"
#include "app/process_limits.hpp"
#include "app/stop_signals.hpp"
#include "base/log.hpp"
#include "base/version.hpp"
#include "kube/config.hpp"
#include "plugin/recording/http_recording.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ccm::app {
namespace {

void print_errors(const std::vector<std::string>& errors) {
  for (const auto& error : errors) std::fprintf(stderr, "Error: %s\n", error.c_str());
}

int fail(const Status& status) {
  print_errors({status.message()});
  return kExitBadOptions;
}

Status configure_log(const Options& options) {
  const LoggingOptions& logging = options.logging;
  log::Config config;
  config.format = logging.format == "json" ? log::Format::json : log::Format::text;
  config.verbosity = logging.verbosity;
  config.vmodule = logging.vmodule;
  config.split_stream = log_splits_streams(logging);
  if (options.dry_run.enabled) config.suffix = " (dry run)";  // whatever a controller says it did
  return log::configure(config);
}

void log_migration(const MigrationPlan& plan, bool dry_run) {
  if (!plan.active()) return;
  for (const std::string& name : plan.migrated) {
    if (dry_run) break;  // it takes no Lease
    log::info("Controller waits for the Lease of the leader migration",
              {{"controller", name}, {"lease", plan.lease}});
  }
  for (const std::string& name : plan.elsewhere) {
    log::info("Controller does not run here: the leader migration gives it to another component",
              {{"controller", name}});
  }
  for (const std::string& name : plan.unknown) {
    log::info("The leader migration names a controller that this program does not know",
              {{"controller", name}});
  }
}

// Reads the command line, finds and checks the plugins, reads the credentials, then runs the
// manager until a signal ends it. A flag that cannot be read ends the start; else all errors that
// can be found without contacting a server are reported at once. Nothing has been written by then.
// Exit codes: ending.hpp.
int run_program(const std::string& program, std::span<const std::string> arguments) {
  end_when_memory_is_out();
  ignore_file_size_signal();
  raise_descriptor_limit();
  const EarlyOptions early = read_early(arguments);
  const PluginSelection plugins(early);
  CommandLine command_line;
  if (Status status = plugins.add_flags(command_line); !status.ok()) return fail(status);
  if (Status status = command_line.parse(arguments); !status.ok()) return fail(status);
  const Options& options = command_line.options();
  if (options.help) {
    std::fputs(command_line.help(program).c_str(), stdout);
    return kExitOk;
  }
  if (const auto text = version_text(program, options.version)) {
    std::fputs(text->c_str(), stdout);
    return kExitOk;
  }

  if (options.version.starts_with('v')) report_version(options.version);

  const std::vector<KnownController> known = plugins.known_controllers();
  Validation validation = command_line.validate(known);
  for (auto& problem : plugins.problems(validation.enabled)) {
    validation.errors.push_back(std::move(problem));
  }
  const auto migration =
      plan_migration(options.leader_migration, options.leader_election, known, validation.enabled);
  if (!migration.ok()) {
    validation.errors.push_back(
        migration.status().with_context("--leader-migration-config").message());
  }
  plugin_files::Pins pins = read_pins(options.generic, validation.errors);
  auto config =
      kube::load_config({options.client_connection.kubeconfig, options.client_connection.master});
  if (!config.ok()) validation.errors.push_back(config.status().message());
  if (!validation.errors.empty()) {
    print_errors(validation.errors);
    return kExitBadOptions;
  }
  if (Status status = configure_log(options); !status.ok()) return fail(status);

  SignalGuard signals(StopSignals::install());
  auto selection = plugins.load(
      validation.enabled, std::move(pins),
      [&signals](const plugin_files::LoadedPlugin& plugin) { signals.loaded(plugin); });
  if (!selection.ok()) return fail(selection.status());

  log::info("Starting cloud-controller-manager",
            {{"version", version().text}, {"commit", version().commit}});
  for (const auto& warning : plugins.warnings())
    log::warning("Skipped a plugin", {{"reason", warning}});
  for (const auto& [flag, why] : validation.idle) {
    log::warning("Flag has no effect", {{"flag", flag}, {"reason", why}});
  }
  command_line.log_flags();
  log_migration(*migration, options.dry_run.enabled);

  std::shared_ptr<plugin::HttpRecording> recording;
  if (!options.record_file.empty()) {
    auto opened = plugin::HttpRecording::open(options.record_file);
    if (!opened.ok()) return fail(opened.status());
    recording = std::move(*opened);
    log::warning(
        "HTTP exchanges of the provider are recorded: names and addresses of the cloud's "
        "resources are in the file, credentials are not",
        {{"file", options.record_file}});
  }
  return run_manager(command_line, std::move(*config), std::move(*selection), *migration, signals,
                     std::move(recording));
}

}  // namespace
}  // namespace ccm::app

int main(int argc, char** argv) {
  try {
    const std::string program =
        std::filesystem::path(argc > 0 ? argv[0] : "cloud-controller-manager").filename();
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return ccm::app::run_program(program, arguments);
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "Error: %s\n", fault.what());
    return ccm::app::kExitFatal;
  }
}
