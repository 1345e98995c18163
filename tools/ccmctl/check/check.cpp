// ccmctl plugin check: would the host load it, and do its components keep the rules?
#include "ccmctl/commands.hpp"
#include "ccmctl/output.hpp"
#include "ccmctl/plugin/json.hpp"
#include "conformance.hpp"
#include "live_check.hpp"
#include "plugin_files/file_checks.hpp"
#include "settings.hpp"
#include "trial_load.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>

namespace ccm::ctl {
namespace {

using plugin_files::CheckState;
using plugin_files::FileCheck;

struct CheckCommand {
  std::string file;
  unsigned timeout_seconds = 10;
  Format format = Format::table;
  bool conformance = false;
  PluginSettings plugin;
  std::vector<std::string> cases;
  std::optional<uint64_t> seed;
  unsigned case_seconds = 60;
  bool live = false;
  std::string prefix = "ccm-check";
  bool yes = false;
};

// Sentences of the loader begin with the file, which the output names once.
std::string without_subject(const std::string& sentence, const std::string& path) {
  const std::string subject = "plugin " + path + ": ";
  return sentence.starts_with(subject) ? sentence.substr(subject.size()) : sentence;
}

void add_trial(plugin_files::Examination& file, unsigned timeout_seconds) {
  const TrialResult trial = trial_load(file.path, std::chrono::seconds(timeout_seconds));
  const std::string path = file.path.string();
  for (const std::string& warning : trial.warnings) {
    file.checks.push_back({"load", CheckState::warning, without_subject(warning, path), Code::ok});
  }
  if (trial.failure.empty()) {
    file.checks.push_back({"load", CheckState::ok,
                           "loaded in a child process; entry, table and manifest are sound",
                           Code::ok});
  } else {
    file.checks.push_back({"load", CheckState::failed, without_subject(trial.failure, path),
                           Code::failed_precondition});
  }
}

ConformanceOptions conformance_options(const CheckCommand& options) {
  ConformanceOptions run;
  run.file = std::filesystem::absolute(options.file);
  run.cloud_command = options.plugin.cloud;
  run.cloud_config = options.plugin.cloud_config_text();
  run.flags = options.plugin.flag_values();
  run.cases = options.cases;
  run.seed = options.seed.value_or(1);
  run.limit = std::chrono::seconds(options.case_seconds);
  if (options.live) {
    // A load balancer of a real cloud takes its time.
    run.limit *= 10;
    run.live = true;
    run.prefix = options.prefix;
    // Each run has another one: two at a time do not meet.
    run.seed = options.seed.value_or(std::random_device()() % (1U << 20U));
    run.cluster_seed = run.seed;
  }
  for (const std::string& id : options.cases) {
    if (conformance::find_case(id) == nullptr) {
      throw std::invalid_argument("there is no case " + id + "; ccmctl plugin cases lists them");
    }
  }
  return run;
}

bool has(const plugin_files::Examination& file, plugin_files::ComponentKind kind) {
  const auto& components = file.manifest->components;
  return std::any_of(components.begin(), components.end(),
                     [kind](const plugin_files::Component& each) { return each.kind == kind; });
}

nlohmann::ordered_json case_json(const std::vector<CaseResult>& results) {
  auto array = nlohmann::ordered_json::array();
  for (const CaseResult& result : results) {
    array.push_back({{"id", result.which->id},
                     {"result", to_string(result.verdict)},
                     {"title", result.which->title},
                     {"text", result.text},
                     {"header", result.which->header},
                     {"rule", result.which->rule},
                     {"milliseconds", result.took.count()}});
  }
  return array;
}

void print_checks(const plugin_files::Examination& file) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(file.checks.size());
  for (const FileCheck& check : file.checks) {
    rows.push_back({std::string(to_string(check.state)), check.name, printable(check.text)});
  }
  std::cout << align(rows) << printable(file.path.string())
            << (file.verdict().ok() ? ": the host would load it\n"
                                    : ": the host would refuse it\n");
}

void check_live(const CheckCommand& options) {
  if (!options.live) return;
  if (!options.plugin.cloud.empty()) {
    throw std::invalid_argument("--live is about a real cloud, and --cloud plays one");
  }
  if (const auto fault = fault_of_prefix(options.prefix); !fault.empty()) {
    throw std::invalid_argument(fault);
  }
}

// On standard error where standard output is for a program.
bool agreed(const CheckCommand& options, const std::string& plan) {
  std::ostream& out = options.format == Format::table ? std::cout : std::cerr;
  out << plan << std::flush;
  if (options.yes) return true;
  if (::isatty(STDIN_FILENO) == 0) {
    throw std::invalid_argument("there is no terminal on which to ask; give --yes");
  }
  out << "Go on? [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

std::vector<std::string> interfaces_of(const plugin_files::Examination& file) {
  for (const plugin_files::Component& each : file.manifest->components) {
    if (each.kind == plugin_files::ComponentKind::provider) return each.interfaces;
  }
  throw std::invalid_argument("--live is about a provider, and this plugin has none");
}

nlohmann::ordered_json live_json(const LiveResult& live) {
  return {{"loadBalancers", live.load_balancers},
          {"routes", live.routes},
          {"left", live.left},
          {"stopped", live.stopped}};
}

struct CheckOutcome {
  bool loads = false;
  std::vector<CaseResult> results;
  std::optional<LiveResult> live;
  uint64_t seed = 0;

  [[nodiscard]] bool ok() const {
    return loads && conforms(results) && (!live || (live->left.empty() && !live->stopped));
  }
};

void print(const CheckCommand& options, const plugin_files::Examination& file,
           const CheckOutcome& outcome) {
  const auto& results = outcome.results;
  if (options.format == Format::json) {
    nlohmann::ordered_json json{
        {"path", file.path.string()}, {"ok", outcome.ok()}, {"checks", to_json(file.checks)}};
    if (options.conformance) json["cases"] = case_json(results);
    if (outcome.live) json["live"] = live_json(*outcome.live);
    std::cout << json_text(json);
  } else if (options.format == Format::junit) {
    std::cout << (outcome.loads ? junit_of(results, file.path) : junit_of_checks(file));
  } else {
    print_checks(file);
    if (options.conformance && outcome.loads) {
      std::cout << "\n" << table_of(results) << "\n" << summary(results) << "\n";
    }
  }
  if (!outcome.live) return;
  (options.format == Format::table ? std::cout : std::cerr)
      << live_summary(*outcome.live, outcome.seed);
}

int check(CheckCommand options) {
  check_live(options);
  plugin_files::Examination file =
      plugin_files::examine(std::filesystem::absolute(options.file), plugin_files::CheckOptions());
  if (file.verdict().ok()) add_trial(file, options.timeout_seconds);
  CheckOutcome outcome;
  outcome.loads = file.verdict().ok();
  if (options.live || !options.plugin.cloud.empty() || !options.plugin.cloud_config.empty() ||
      !options.cases.empty() || options.format == Format::junit) {
    options.conformance = true;
  }
  if (options.conformance && outcome.loads) {
    ConformanceOptions run = conformance_options(options);
    run.has_provider = has(file, plugin_files::ComponentKind::provider);
    run.has_controller = has(file, plugin_files::ComponentKind::controller);
    if (options.live) {
      const auto cases = harmless_cases(run, interfaces_of(file));
      if (!agreed(options, live_plan(run, cases))) {
        std::cout << "Nothing was made\n";
        return kFault;
      }
      outcome.seed = run.seed;
      outcome.live = run_live(run, cases);
      outcome.results = outcome.live->cases;
    } else {
      outcome.results = run_cases(run);
    }
  }
  print(options, file, outcome);
  return outcome.ok() ? kOk : kFault;
}

void add_live_options(CLI::App& command, CheckCommand& options) {
  command.add_flag(
      "--live", options.live,
      "Run the cases that do no harm in the real cloud of --cloud-config, with secrets "
      "from the\n"
      "environment. Says first what it would make, and removes it again");
  command
      .add_option("--prefix", options.prefix,
                  "The cluster's name for --live, with which names in the cloud begin")
      ->capture_default_str()
      ->type_name("NAME");
  command.add_flag("--yes", options.yes, "Go on with --live without asking");
}

}  // namespace

void add_plugin_check(CLI::App& parent, int& exit_code) {
  CLI::App* command = parent.add_subcommand(
      "check",
      "Make the checks of `inspect`, then load the plugin in a child process as the host would "
      "and\n"
      "look at its entry. With --conformance, --cloud, --cloud-config or --case also run the "
      "cases\n"
      "that `ccmctl plugin cases` lists, each in a process of its own. Crashes and hangs are\n"
      "reported, not suffered. Runs code of the plugin: check only what you would let the host "
      "load.");
  const auto options = std::make_shared<CheckCommand>();
  command->add_option("FILE", options->file, "The plugin's .so file")->required()->type_name("");
  command->add_option("--timeout", options->timeout_seconds, "Seconds that loading may take")
      ->check(CLI::Range(1, 3600).description(""))
      ->capture_default_str()
      ->type_name("SECONDS");
  command->add_flag("--conformance", options->conformance, "Run the cases about its components");
  add_plugin_settings(*command, options->plugin);
  command
      ->add_option("--case", options->cases,
                   "Run this case; several separated by commas, or the flag repeated")
      ->type_name("ID")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--seed", options->seed,
                   "UIDs of Services are made of it; the cloud's command gets it, too [1; with\n"
                   "--live another one each time]")
      ->type_name("NUMBER");
  command
      ->add_option("--case-timeout", options->case_seconds,
                   "Seconds that one case may take; ten times as long with --live")
      ->check(CLI::Range(1, 3600).description(""))
      ->capture_default_str()
      ->type_name("SECONDS");
  add_live_options(*command, *options);
  add_format_with_junit(*command, options->format);
  command->callback([options, &exit_code] { exit_code = check(*options); });
}

}  // namespace ccm::ctl
