// ccmctl plugin check: would the host load it, and do its components keep the rules?
#include "commands.hpp"
#include "conformance.hpp"
#include "output.hpp"
#include "plugin_files/file_checks.hpp"
#include "plugin_json.hpp"
#include "plugin_settings.hpp"
#include "trial_load.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>

namespace ccm::ctl {
namespace {

using plugin::CheckState;
using plugin::FileCheck;

struct CheckCommand {
  std::string file;
  unsigned timeout_seconds = 10;
  Format format = Format::table;
  bool conformance = false;
  PluginSettings plugin;
  std::vector<std::string> cases;
  uint64_t seed = 1;
  unsigned case_seconds = 60;
};

// Sentences of the loader begin with the file, which the output names once.
std::string without_subject(const std::string& sentence, const std::string& path) {
  const std::string subject = "plugin " + path + ": ";
  return sentence.starts_with(subject) ? sentence.substr(subject.size()) : sentence;
}

void add_trial(plugin::Examination& file, unsigned timeout_seconds) {
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
  run.seed = options.seed;
  run.limit = std::chrono::seconds(options.case_seconds);
  for (const std::string& id : options.cases) {
    if (conformance::find_case(id) == nullptr) {
      throw std::invalid_argument("there is no case " + id + "; ccmctl plugin cases lists them");
    }
  }
  return run;
}

bool has(const plugin::Examination& file, plugin::ComponentKind kind) {
  const auto& components = file.manifest->components;
  return std::any_of(components.begin(), components.end(),
                     [kind](const plugin::Component& each) { return each.kind == kind; });
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

void print_checks(const plugin::Examination& file) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(file.checks.size());
  for (const FileCheck& check : file.checks) {
    rows.push_back({std::string(to_string(check.state)), check.name, printable(check.text)});
  }
  std::cout << align(rows) << printable(file.path.string())
            << (file.verdict().ok() ? ": the host would load it\n"
                                    : ": the host would refuse it\n");
}

int check(CheckCommand options) {
  plugin::Examination file =
      plugin::examine(std::filesystem::absolute(options.file), plugin::CheckOptions());
  if (file.verdict().ok()) add_trial(file, options.timeout_seconds);
  const bool loads = file.verdict().ok();
  if (!options.plugin.cloud.empty() || !options.plugin.cloud_config.empty() ||
      !options.cases.empty() || options.format == Format::junit) {
    options.conformance = true;
  }
  std::vector<CaseResult> results;
  if (options.conformance && loads) {
    ConformanceOptions run = conformance_options(options);
    run.has_provider = has(file, plugin::ComponentKind::provider);
    run.has_controller = has(file, plugin::ComponentKind::controller);
    results = run_cases(run);
  }
  if (options.format == Format::json) {
    nlohmann::ordered_json json{{"path", file.path.string()},
                                {"ok", loads && conforms(results)},
                                {"checks", to_json(file.checks)}};
    if (options.conformance) json["cases"] = case_json(results);
    std::cout << json_text(json);
  } else if (options.format == Format::junit) {
    std::cout << (loads ? junit_of(results, file.path) : junit_of_checks(file));
  } else {
    print_checks(file);
    if (options.conformance && loads) {
      std::cout << "\n" << table_of(results) << "\n" << summary(results) << "\n";
    }
  }
  return loads && conforms(results) ? kOk : kFault;
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
                   "UIDs of Services are made of it; the cloud's command gets it, too")
      ->capture_default_str()
      ->type_name("NUMBER");
  command->add_option("--case-timeout", options->case_seconds, "Seconds that one case may take")
      ->check(CLI::Range(1, 3600).description(""))
      ->capture_default_str()
      ->type_name("SECONDS");
  add_format_with_junit(*command, options->format);
  command->callback([options, &exit_code] { exit_code = check(*options); });
}

}  // namespace ccm::ctl
