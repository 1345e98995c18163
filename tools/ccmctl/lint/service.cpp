#include "service.hpp"

#include <ccm/nearest.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace ccm::ctl {
namespace {

using plugin_files::AnnotationType;
using plugin_files::KnownAnnotation;

bool is_in(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return text;
}

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc() || stop != end) return std::nullopt;
  return number;
}

// The spellings that Go takes.
bool is_boolean(std::string_view text) {
  constexpr std::array<std::string_view, 12> kBooleans = {"1", "t", "T", "true",  "TRUE",  "True",
                                                          "0", "f", "F", "false", "FALSE", "False"};
  return std::find(kBooleans.begin(), kBooleans.end(), text) != kBooleans.end();
}

std::string range_of(const KnownAnnotation& known) {
  if (known.minimum && known.maximum) {
    return " of " + std::to_string(*known.minimum) + " to " + std::to_string(*known.maximum);
  }
  if (known.minimum) return " from " + std::to_string(*known.minimum);
  return known.maximum ? " up to " + std::to_string(*known.maximum) : "";
}

class ServiceLint {
 public:
  ServiceLint(const ManifestService& service, const std::vector<ProviderAnnotations>& tables)
      : service_(service), tables_(tables) {}

  std::vector<LintFinding> run() {
    for (const auto& [name, value] : service_.annotations) {
      name_ = &name;
      look(value);
    }
    return std::move(findings_);
  }

 private:
  void note(std::string text) { findings_.push_back({*name_, std::move(text)}); }

  void look(const ManifestValue& value) {
    for (const ProviderAnnotations& each : tables_) {
      if (const KnownAnnotation* known = each.table.find(*name_)) return check(*known, value);
    }
    for (const ProviderAnnotations& each : tables_) {
      if (each.table.owns(*name_)) return unknown(each);
    }
  }

  void unknown(const ProviderAnnotations& owner) {
    std::string text = "is not known to " + owner.provider;
    if (helped_++ < SpellingHelp::kMostNamed) {
      std::vector<std::string_view> names;
      for (const KnownAnnotation& known : owner.table.known) names.push_back(known.name);
      text += did_you_mean(*name_, names);
    }
    note(std::move(text));
  }

  void check(const KnownAnnotation& known, const ManifestValue& value) {
    if (!value.is_string) {
      note("has a value that YAML does not read as text: write it in quotes");
    }
    if (!is_in(known.service_types, service_.type)) {
      note("has no effect on a Service of type " + service_.type);
      return;
    }
    check_value(known, value.text);
    check_others(known, value.text);
  }

  void check_value(const KnownAnnotation& known, const std::string& text) {
    switch (known.type) {
      case AnnotationType::text:
        return;
      case AnnotationType::boolean:
        if (!is_boolean(text)) note("is \"" + text + "\", which is no boolean");
        return;
      case AnnotationType::integer:
        return check_integer(known, text);
      case AnnotationType::choice:
        if (!text.empty() && !is_in(known.allowed, text)) {
          note("is \"" + text + "\", which is none of " + listed(known.allowed) +
               did_you_mean(text, known.allowed));
        }
        return;
      case AnnotationType::port:
        return check_port(text);
      case AnnotationType::ports:
        return check_ports(text);
      case AnnotationType::items:
        return check_items(known, text);
    }
  }

  void check_integer(const KnownAnnotation& known, const std::string& text) {
    const auto number = whole_number(text);
    if (!number || (known.minimum && *number < *known.minimum) ||
        (known.maximum && *number > *known.maximum)) {
      note("is \"" + text + "\", which is no number" + range_of(known));
    }
  }

  void check_port(const std::string& text) {
    const auto number = whole_number(text);
    if (!number) {
      note("holds \"" + text + "\", which is no port number; blanks are not allowed");
    } else if (std::find(service_.ports.begin(), service_.ports.end(), *number) ==
               service_.ports.end()) {
      note("names port " + text + ", which the Service does not have");
    }
  }

  void check_ports(std::string_view text) {
    for (;;) {
      const size_t comma = text.find(',');
      check_port(std::string(text.substr(0, comma)));
      if (comma == std::string_view::npos) return;
      text.remove_prefix(comma + 1);
    }
  }

  void check_items(const KnownAnnotation& known, std::string_view text) {
    while (!text.empty()) {
      const size_t comma = std::min(text.find(','), text.size());
      std::string_view item = text.substr(0, comma);
      text.remove_prefix(std::min(comma + 1, text.size()));
      item.remove_prefix(std::min(item.find_first_not_of(' '), item.size()));
      const bool fits =
          known.item_prefixes.empty() ||
          std::any_of(known.item_prefixes.begin(), known.item_prefixes.end(),
                      [item](const auto& prefix) { return item.starts_with(prefix); });
      if (!item.empty() && !fits) {
        note("holds \"" + std::string(item) + "\", which begins with none of " +
             listed(known.item_prefixes));
      }
    }
  }

  void check_others(const KnownAnnotation& known, const std::string& text) {
    const auto others = [this](std::string_view name) -> const std::string* {
      const auto place = service_.annotations.find(std::string(name));
      return place == service_.annotations.end() ? nullptr : &place->second.text;
    };
    const auto environment = [](const std::string& name) {
      const char* given = std::getenv(name.c_str());
      return given == nullptr ? std::string() : std::string(given);
    };
    for (std::string& why : plugin_files::why_without_effect(known, text, others, environment)) {
      note(std::move(why));
    }
    for (const std::string& name : known.excludes) {
      if (service_.annotations.contains(name)) note("may not stand beside " + name);
    }
  }

  const ManifestService& service_;
  const std::vector<ProviderAnnotations>& tables_;
  const std::string* name_ = nullptr;
  std::vector<LintFinding> findings_;
  std::size_t helped_ = 0;  // names that are not known
};

}  // namespace

std::vector<LintFinding> lint_service(const ManifestService& service,
                                      const std::vector<ProviderAnnotations>& tables) {
  return ServiceLint(service, tables).run();
}

}  // namespace ccm::ctl
