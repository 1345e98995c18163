// ccmctl plugin check: would the host load it?
#include "commands.hpp"
#include "output.hpp"
#include "plugin_files/file_checks.hpp"
#include "plugin_json.hpp"
#include "trial_load.hpp"

#include <filesystem>
#include <iostream>
#include <memory>

namespace ccm::ctl {
namespace {

using plugin::CheckState;
using plugin::FileCheck;

struct CheckCommand {
  std::string file;
  unsigned timeout_seconds = 10;
  Format format = Format::table;
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

int check(const CheckCommand& options) {
  plugin::Examination file =
      plugin::examine(std::filesystem::absolute(options.file), plugin::CheckOptions());
  if (file.verdict().ok()) add_trial(file, options.timeout_seconds);
  const bool ok = file.verdict().ok();
  if (options.format == Format::json) {
    const nlohmann::ordered_json json{
        {"path", file.path.string()}, {"ok", ok}, {"checks", to_json(file.checks)}};
    std::cout << json_text(json);
  } else {
    std::vector<std::vector<std::string>> rows;
    for (const FileCheck& check : file.checks) {
      rows.push_back({std::string(to_string(check.state)), check.name, printable(check.text)});
    }
    std::cout << align(rows) << printable(file.path.string())
              << (ok ? ": the host would load it\n" : ": the host would refuse it\n");
  }
  return ok ? kOk : kFault;
}

}  // namespace

void add_plugin_check(CLI::App& parent, int& exit_code) {
  CLI::App* command = parent.add_subcommand(
      "check",
      "Make the checks of `inspect`, then load the plugin in a child process as the host would "
      "and\n"
      "look at its entry. Makes no component. Crashes and hangs are reported, not suffered.\n"
      "Runs code of the plugin: check only what you would let the host load.");
  const auto options = std::make_shared<CheckCommand>();
  command->add_option("FILE", options->file, "The plugin's .so file")->required()->type_name("");
  command->add_option("--timeout", options->timeout_seconds, "Seconds that loading may take")
      ->check(CLI::Range(1, 3600).description(""))
      ->capture_default_str()
      ->type_name("SECONDS");
  add_format(*command, options->format);
  command->callback([options, &exit_code] { exit_code = check(*options); });
}

}  // namespace ccm::ctl
