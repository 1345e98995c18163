// Manifests (plugin_files/manifest.hpp), the flags that they bring
// (app/flags/options_command_line.hpp) and the pins of plugins (plugin_files/plugin_file.hpp).
// Input: the manifest, or a pin; after a NUL, lines of arguments.
// Properties: nothing is thrown; a manifest or faults, never both; names are unique; every default
// is a value that its flag takes; what is taken for a pin has an id and a whole sum.
#include "app/flags/options_command_line.hpp"
#include "fuzz.hpp"
#include "plugin_files/manifest.hpp"
#include "plugin_files/plugin_file.hpp"

#include <algorithm>

namespace ccm::fuzz {
namespace {

void check_option(const plugin_files::Option& option) {
  const std::unique_ptr<app::FlagValue> value = app::plugin_value(option);
  const std::string shown = value->text();
  if (option.type == plugin_files::OptionType::string_array) return;  // an empty list is no element
  // Without a default the flag begins with nothing or zero, which its limits may exclude.
  const bool nothing = shown.empty() || shown == "0" || shown == "0s";
  const Status status = value->set(shown, true);
  require(status.ok() || nothing, "a default is a value that the flag takes");
  require_equal(value->text(), shown, "and stays what it is");
  if (option.minimum && option.maximum) {
    require(*option.minimum <= *option.maximum, "limits are in order");
  }
}

void check_manifest(const plugin_files::Manifest& manifest) {
  require(!manifest.id.empty() && !manifest.version.empty(), "a plugin has id and version");
  require(!manifest.components.empty(), "and a component");
  for (const plugin_files::Component& component : manifest.components) {
    require(!component.name.empty() && !component.client_name.empty(), "a component has names");
    require(manifest.find(component.kind, component.name) == &component, "names are unique");
  }
  for (const plugin_files::Option& option : manifest.options) check_option(option);
}

void check_pin(std::string_view text) {
  plugin_files::Pins pins;
  const Status status = pins.add(text);
  require(status.ok() != pins.empty(), "a pin or a fault");
  require(status.ok() || !status.message().empty(), "a failure says what is wrong");
  if (!status.ok()) return;
  std::string_view id = text.substr(0, text.find('='));
  id.remove_prefix(id.find_first_not_of(" \t\r"));
  id = id.substr(0, id.find_last_not_of(" \t\r") + 1);
  const auto* sums = pins.find(id);
  require(sums != nullptr && sums->size() == 1, "the pin is that of its id");
  require(sums->front().size() == 64, "a sum is whole");
  require(pins.add(std::string(id) + "=" + sums->front()).ok(), "what is pinned can be written");
  require(sums->size() == 1, "and is the same");
}

}  // namespace

void manifest_target(std::string_view bytes) {
  const std::size_t end = std::min(bytes.find('\0'), bytes.size());
  const Exact text(bytes.substr(0, end));
  check_pin(text.view());
  const plugin_files::ManifestReport report = plugin_files::parse_manifest(text.view());
  require(report.manifest.has_value() == report.faults.empty(), "a manifest or faults");
  if (!report.manifest) return;
  check_manifest(*report.manifest);

  app::CommandLine line([](const char*) -> const char* { return nullptr; });
  if (!line.add_plugin(report.manifest->id, report.manifest->options).ok()) return;
  Input input(bytes.substr(std::min(end + 1, bytes.size())));
  std::vector<std::string> arguments;
  while (!input.empty()) arguments.emplace_back(input.line());
  const Status status = line.parse(arguments);
  require(status.ok() || !status.message().empty(), "a failure says what is wrong");
  for (const plugin_files::Option& option : report.manifest->options) {
    require(line.flag_text(option.name).has_value(), "a plugin's flag can be asked for");
  }
}

}  // namespace ccm::fuzz
