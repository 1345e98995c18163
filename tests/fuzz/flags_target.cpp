// The command line (app/flags/options_command_line.hpp), feature gates, and the values that flags
// hold (app/flags/flag_value.hpp, base/duration.hpp, ccm/cidr.hpp, ccm/config.hpp). Input: a byte
// of choices; then arguments line by line, or one value. Properties: what is written can be read,
// and is written the same again; a failure is one line.
#include "app/flags/controller_selection.hpp"
#include "app/flags/feature_gates.hpp"
#include "app/flags/flag_value.hpp"
#include "app/flags/options_command_line.hpp"
#include "app/flags/options_tls.hpp"
#include "base/duration.hpp"
#include "fuzz.hpp"

#include <ccm/cidr.hpp>
#include <ccm/config.hpp>

#include <cmath>

namespace ccm::fuzz {
namespace {

void check_duration(std::string_view text) {
  const auto duration = parse_duration(text);
  if (duration) {
    const std::string shown = format_duration(*duration);
    const auto again = parse_duration(shown);
    require(again == duration, "what is written can be read");
  }
  const auto milliseconds = Config::parse_duration(text);
  if (!milliseconds) return;
  require(milliseconds->count() >= 0, "a plugin's duration is not negative");
  if (!duration) return;
  const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(*duration);
  const auto apart = (whole - *milliseconds).count();
  require(apart >= -2048 && apart <= 2048, "plugins and the host read the same duration");
}

void check_number(std::string_view text) {
  if (const auto number = app::parse_integer(text)) {
    require(app::parse_integer(std::to_string(*number)) == number, "integer and back");
  }
  if (const auto number = app::parse_float(text)) {
    require(std::isfinite(*number), "a number is one");
  }
  if (const auto cidr = parse_cidr(text)) {
    require(cidr->prefix <= cidr->width(), "a prefix fits its family");
    require(text.find('\0') == std::string_view::npos, "a CIDR has no NUL");
  }
  if (app::is_ip_address(text)) {
    require(text.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos,
            "an address is made of digits");
  }
  (void)app::parse_bool(text);
}

void check_list(std::string_view text) {
  const auto fields = app::parse_csv(text);
  if (!fields) return;
  const std::string shown = app::format_csv(*fields);
  const auto again = app::parse_csv(shown);
  require(again.has_value(), "what is written can be read");
  // One empty field and none look alike.
  if (!(fields->size() == 1 && fields->front().empty())) require(*again == *fields, "a list");
}

void check_gates(std::string_view text) {
  app::FeatureGates gates;
  const Status status = gates.set(text);
  if (!status.ok()) {
    require(gates.overrides().empty(), "a failure changes nothing");
    return;
  }
  const std::string shown = gates.text();
  app::FeatureGates again;
  require(again.set(shown).ok(), "what is written can be read");
  require_equal(again.text(), shown, "gates");
  for (const app::KnownGate& gate : app::known_gates()) {
    require(!gate.locked || gates.enabled(gate.name) == gate.default_value, "locked is locked");
    require(gates.enabled(gate.name) == again.enabled(gate.name), "the same gates");
  }
}

void check_line(Input input) {
  std::vector<std::string> arguments;
  while (!input.empty()) arguments.emplace_back(input.line());
  (void)app::read_early(arguments);
  app::CommandLine line([](const char*) -> const char* { return nullptr; });
  const Status status = line.parse(arguments);
  if (!status.ok()) {
    require(!status.message().empty(), "a failure says what is wrong");
    require(status.message().find('\n') == std::string::npos, "in one line");
    return;
  }
  std::vector<std::string> errors;
  (void)app::tls_parameters(line.options().secure_serving.tls, "", errors);
  const std::vector<app::KnownController> known{{"node", {"cloud-node"}, true},
                                                {"route", {}, false}};
  const auto chosen = app::select_controllers(line.options().generic.controllers, known);
  require(chosen.enabled.size() <= known.size(), "no controller twice");
}

}  // namespace

void flags_target(std::string_view bytes) {
  Input input(bytes);
  if ((input.byte() & 1U) != 0) return check_line(input);
  const Exact text(input.rest());
  check_duration(text.view());
  check_number(text.view());
  check_list(text.view());
  check_gates(text.view());
}

}  // namespace ccm::fuzz
