// Values of kinds that only one flag has.
#include "app/flags/go_values.hpp"
#include "app/flags/options_flags.hpp"
#include "base/version.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ccm::app {
namespace {

Status value_must_be(std::string what) {
  return {Code::invalid_argument, "must be " + std::move(what)};
}

class FeatureGatesValue final : public FlagValue {
 public:
  explicit FeatureGatesValue(FeatureGates* gates) : gates_(gates) {}
  Status set(std::string_view text, bool) override { return gates_->set(text); }
  [[nodiscard]] std::string text() const override { return gates_->text(); }
  [[nodiscard]] std::string_view type() const override { return "mapStringBool"; }

 private:
  FeatureGates* gates_;
};

// One of two words.
class ChoiceValue final : public FlagValue {
 public:
  ChoiceValue(bool* second, std::string_view first_word, std::string_view second_word,
              std::string_view implied)
      : second_(second), words_{first_word, second_word}, implied_(implied) {}
  Status set(std::string_view text, bool) override {
    if (text != words_[0] && text != words_[1]) {
      return value_must_be(std::string(words_[0]) + " or " + std::string(words_[1]));
    }
    *second_ = text == words_[1];
    return {};
  }
  [[nodiscard]] std::string text() const override { return std::string(words_[*second_ ? 1 : 0]); }
  [[nodiscard]] std::string_view type() const override { return "string"; }
  [[nodiscard]] std::string_view implied() const override { return implied_; }

 private:
  bool* second_;
  std::array<std::string_view, 2> words_;
  std::string_view implied_;
};

// vMAJOR.MINOR.PATCH, anything after "-" or "+".
bool is_version(std::string_view text) {
  if (!text.starts_with('v')) return false;
  text.remove_prefix(1);
  text = text.substr(0, text.find_first_of("-+"));
  int numbers = 0;
  while (true) {
    const std::size_t point = std::min(text.find('.'), text.size());
    const std::string_view number = text.substr(0, point);
    const bool digits =
        std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (number.empty() || number.size() > 9 || !digits) return false;
    ++numbers;
    if (point == text.size()) return numbers == 3;
    text.remove_prefix(point + 1);
  }
}

std::string_view release_of(std::string_view version) {
  return version.substr(0, version.find_first_of("-+"));
}

// A version that may be reported instead of this program's: of the same release, as upstream
// demands.
bool is_same_release(std::string_view text) {
  return is_version(text) && release_of(text) == release_of(version().text);
}

class VersionValue final : public FlagValue {
 public:
  explicit VersionValue(std::string* variable) : variable_(variable) {}
  Status set(std::string_view text, bool) override {
    const auto wanted = parse_bool(text);
    if (wanted) {
      *variable_ = *wanted ? "true" : "false";
    } else if (text == "raw" || is_same_release(text)) {
      *variable_ = text;
    } else {
      const std::string release(release_of(version().text));
      return value_must_be("true, false, raw or " + release + " with an addition, such as " +
                           release + "-custom.1");
    }
    return {};
  }
  [[nodiscard]] std::string text() const override { return *variable_; }
  [[nodiscard]] std::string_view type() const override { return "version"; }
  [[nodiscard]] std::string_view implied() const override { return "true"; }

 private:
  std::string* variable_;
};

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    std::string_view part = text.substr(0, at);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    parts.emplace_back(part);
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// "cert,key" or "cert,key:pattern,pattern"; several with semicolons.
class SniValue final : public FlagValue {
 public:
  explicit SniValue(std::vector<SniFlag>* certificates) : certificates_(certificates) {}

  Status set(std::string_view text, bool first) override {
    std::vector<SniFlag> parsed;
    for (const std::string& item : split(text, ';')) {
      if (item.empty()) continue;
      SniFlag certificate;
      const std::size_t colon = item.find(':');
      const std::vector<std::string> files = split(item.substr(0, colon), ',');
      if (colon != std::string::npos) certificate.patterns = split(item.substr(colon + 1), ',');
      const auto& patterns = certificate.patterns;
      const bool blank = std::find(patterns.begin(), patterns.end(), "") != patterns.end();
      if (files.size() != 2 || files[0].empty() || files[1].empty() || blank) {
        return value_must_be("CERTIFICATE,KEY or CERTIFICATE,KEY:DOMAIN,...");
      }
      certificate.certificate_file = files[0];
      certificate.key_file = files[1];
      parsed.push_back(std::move(certificate));
    }
    if (first) certificates_->clear();
    certificates_->insert(certificates_->end(), parsed.begin(), parsed.end());
    return {};
  }

  [[nodiscard]] std::string text() const override {
    std::string text;
    for (const SniFlag& certificate : *certificates_) {
      if (!text.empty()) text += ';';
      text += certificate.certificate_file + "," + certificate.key_file;
      if (!certificate.patterns.empty()) text += ":" + format_csv(certificate.patterns);
    }
    return text;
  }
  [[nodiscard]] std::string_view type() const override { return "namedCertKey"; }

 private:
  std::vector<SniFlag>* certificates_;
};

}  // namespace

std::unique_ptr<FlagValue> feature_gates_value(FeatureGates* gates) {
  return std::make_unique<FeatureGatesValue>(gates);
}
std::unique_ptr<FlagValue> dry_run_value(bool* enabled) {
  return std::make_unique<ChoiceValue>(enabled, "none", "client", "client");
}
std::unique_ptr<FlagValue> dry_run_output_value(bool* json) {
  return std::make_unique<ChoiceValue>(json, "table", "json", "");
}
std::unique_ptr<FlagValue> version_value(std::string* variable) {
  return std::make_unique<VersionValue>(variable);
}
std::unique_ptr<FlagValue> sni_value(std::vector<SniFlag>* certificates) {
  return std::make_unique<SniValue>(certificates);
}

}  // namespace ccm::app
