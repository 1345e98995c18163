#include "app/flags/controller_selection.hpp"

#include <ccm/nearest.hpp>

#include <algorithm>

namespace ccm::app {
namespace {

bool answers_to(const KnownController& controller, std::string_view name) {
  const auto& aliases = controller.aliases;
  return controller.name == name || std::ranges::find(aliases, name) != aliases.end();
}

bool is_enabled(const KnownController& controller, std::span<const std::string> items) {
  bool star = false;
  for (const std::string_view item : items) {
    if (answers_to(controller, item)) return true;
    if (item.starts_with('-') && answers_to(controller, item.substr(1))) return false;
    star = star || item == "*";
  }
  return star && controller.enabled_by_default;
}

std::string unknown_name(std::string_view name, std::span<const KnownController> known) {
  std::vector<std::string> names;
  std::string list;
  for (const KnownController& controller : known) {
    list += (list.empty() ? "" : ", ") + controller.name;
    names.push_back(controller.name);
    names.insert(names.end(), controller.aliases.begin(), controller.aliases.end());
  }
  std::string message =
      "\"" + std::string(name) + "\" is not a known controller" + did_you_mean(name, names);
  message += list.empty() ? "; there are none" : "; known are: " + list;
  return message;
}

}  // namespace

ControllerSelection select_controllers(std::span<const std::string> items,
                                       std::span<const KnownController> known) {
  ControllerSelection selection;
  for (const KnownController& controller : known) {
    if (is_enabled(controller, items)) selection.enabled.push_back(controller.name);
  }
  for (std::string_view item : items) {
    if (item == "*") continue;
    if (item.starts_with('-')) item.remove_prefix(1);
    const bool found = std::ranges::any_of(
        known, [item](const auto& controller) { return answers_to(controller, item); });
    if (!found) selection.errors.push_back(unknown_name(item, known));
  }
  return selection;
}

}  // namespace ccm::app
