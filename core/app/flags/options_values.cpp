// Values of kinds that only one flag has.
#include "app/flags/go_values.hpp"
#include "app/flags/options_flags.hpp"
#include "base/version.hpp"

#include <ccm/trim.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace ccm::app {
namespace {

class FeatureGatesValue final : public FlagValue {
 public:
  explicit FeatureGatesValue(FeatureGates* gates) : gates_(gates) {}
  Status set(std::string_view text, bool) override { return gates_->set(text); }
  [[nodiscard]] std::string text() const override { return gates_->text(); }
  [[nodiscard]] std::string_view type() const override { return "mapStringBool"; }

 private:
  FeatureGates* gates_;
};

std::unique_ptr<FlagValue> choice_value(bool* second_chosen, const std::string& first,
                                        const std::string& second, std::string_view implied) {
  const auto read = [first, second](std::string_view text) -> std::optional<bool> {
    if (text != first && text != second) return std::nullopt;
    return text == second;
  };
  const auto write = [first, second](bool chosen) { return chosen ? second : first; };
  return bound_value(second_chosen, {"string", read, write, first + " or " + second, implied});
}

std::optional<std::string> read_quantity(std::string_view text) {
  if (!is_quantity(text)) return std::nullopt;
  return std::string(text);
}

std::string_view release_of(std::string_view version) {
  return version.substr(0, version.find_first_of("-+"));
}

// A version that may be reported instead of this program's is of the same release, as upstream
// demands.
std::optional<std::string> read_version(std::string_view text) {
  if (const auto wanted = parse_bool(text)) return *wanted ? "true" : "false";
  if (text == "raw" || release_of(text) == release_of(version().text)) return std::string(text);
  return std::nullopt;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(trim(text.substr(0, at), " "));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// "cert,key" or "cert,key:pattern,pattern"; several with semicolons.
std::optional<std::vector<SniFlag>> read_sni(std::string_view text) {
  std::vector<SniFlag> parsed;
  for (const std::string& item : split(text, ';')) {
    if (item.empty()) continue;
    SniFlag certificate;
    const std::size_t colon = item.find(':');
    const std::vector<std::string> files = split(item.substr(0, colon), ',');
    if (colon != std::string::npos) certificate.patterns = split(item.substr(colon + 1), ',');
    const auto& patterns = certificate.patterns;
    const bool blank = std::find(patterns.begin(), patterns.end(), "") != patterns.end();
    if (files.size() != 2 || files[0].empty() || files[1].empty() || blank) return std::nullopt;
    certificate.certificate_file = files[0];
    certificate.key_file = files[1];
    parsed.push_back(std::move(certificate));
  }
  return parsed;
}

std::string write_sni(const std::vector<SniFlag>& certificates) {
  std::string text;
  for (const SniFlag& certificate : certificates) {
    if (!text.empty()) text += ';';
    text += certificate.certificate_file + "," + certificate.key_file;
    if (!certificate.patterns.empty()) text += ":" + format_csv(certificate.patterns);
  }
  return text;
}

}  // namespace

std::unique_ptr<FlagValue> feature_gates_value(FeatureGates* gates) {
  return std::make_unique<FeatureGatesValue>(gates);
}
std::unique_ptr<FlagValue> dry_run_value(bool* enabled) {
  return choice_value(enabled, "none", "client", "client");
}
std::unique_ptr<FlagValue> dry_run_output_value(bool* json) {
  return choice_value(json, "table", "json", "");
}
std::unique_ptr<FlagValue> version_value(std::string* variable) {
  const std::string release(release_of(version().text));
  return bound_value(variable, {"version", read_version, std::identity(),
                                "true, false, raw or " + release + " with an addition, such as " +
                                    release + "-custom.1",
                                "true"});
}
std::unique_ptr<FlagValue> quantity_value(std::string* variable) {
  return bound_value(variable,
                     {"quantity", read_quantity, std::identity(), "a quantity, such as 64Ki"});
}
std::unique_ptr<FlagValue> sni_value(std::vector<SniFlag>* certificates) {
  return bound_value(certificates, {"namedCertKey", read_sni, write_sni,
                                    "CERTIFICATE,KEY or CERTIFICATE,KEY:DOMAIN,..."});
}

}  // namespace ccm::app
