// ccmctl plugin try: which instances does the provider find?
#include "ccmctl/commands.hpp"
#include "ccmctl/output.hpp"
#include "plugin_files/file_checks.hpp"
#include "provider_trial.hpp"
#include "settings.hpp"

#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>

namespace ccm::ctl {
namespace {

using nlohmann::ordered_json;

struct TryCommand {
  std::string file;
  PluginSettings plugin;
  unsigned timeout_seconds = 60;
  Format format = Format::table;
};

std::string text_of(const ordered_json& value) {
  const std::string text = value.get<std::string>();
  return text.empty() ? "-" : printable(text);
}

std::string addresses_of(const ordered_json& machine) {
  std::vector<std::string> addresses;
  for (const auto& address : machine.at("addresses")) {
    addresses.push_back(printable(address.at("address").get<std::string>()));
  }
  return join(addresses);
}

void print_machines(const ordered_json& machines) {
  std::vector<std::vector<std::string>> rows{
      {"NAME", "PROVIDER ID", "STATE", "TYPE", "ZONE", "REGION", "ADDRESSES"}};
  for (const auto& machine : machines) {
    std::vector<std::string> row;
    for (const char* member : {"name", "providerID", "state", "instanceType", "zone", "region"}) {
      row.push_back(text_of(machine.at(member)));
    }
    row.push_back(addresses_of(machine));
    rows.push_back(std::move(row));
  }
  if (rows.size() > 1) std::cout << align(rows);
}

int try_plugin(const TryCommand& options) {
  const auto path = std::filesystem::absolute(options.file);
  const plugin_files::Examination file = plugin_files::examine(path, plugin_files::CheckOptions());
  if (!file.verdict().ok()) throw std::runtime_error(file.verdict().message());
  ProviderTrialOptions trial;
  trial.file = path;
  trial.cloud_command = options.plugin.cloud;
  trial.cloud_config = options.plugin.cloud_config_text();
  trial.flags = options.plugin.flag_values();
  trial.limit = std::chrono::seconds(options.timeout_seconds);
  const ordered_json outcome = try_provider(trial);
  const std::string failure = outcome.at("failure");
  if (options.format == Format::json) {
    std::cout << json_text(outcome);
  } else {
    print_machines(outcome.at("machines"));
    for (const auto& line : outcome.at("log")) {
      std::cerr << "ccmctl: the plugin's log: " << printable(line.get<std::string>()) << '\n';
    }
    if (failure.empty()) {
      std::cout << outcome.at("machines").size() << " instances\n";
    } else {
      std::cerr << "ccmctl: " << printable(failure) << '\n';
    }
  }
  return failure.empty() ? kOk : kFault;
}

}  // namespace

void add_plugin_try(CLI::App& parent, int& exit_code) {
  CLI::App* command = parent.add_subcommand(
      "try",
      "Run initialize and list of a provider and print its instances, without a cluster. Flags\n"
      "and --cloud-config are the plugin's; secrets come from the environment, as for the manager. "
      "Its\n"
      "HTTP requests go to the cloud, or to --cloud. Runs code of the plugin, in a child process.");
  const auto options = std::make_shared<TryCommand>();
  command->add_option("FILE", options->file, "The plugin's .so file")->required()->type_name("");
  add_plugin_settings(*command, options->plugin);
  command->add_option("--timeout", options->timeout_seconds, "Seconds that it may take")
      ->check(CLI::Range(1, 3600).description(""))
      ->capture_default_str()
      ->type_name("SECONDS");
  add_format(*command, options->format);
  command->callback([options, &exit_code] { exit_code = try_plugin(*options); });
}

}  // namespace ccm::ctl
