#include "cloud_conf.hpp"

#include "check_settings.hpp"
#include "findings.hpp"
#include "gcfg/gcfg.hpp"
#include "invalid_configuration.hpp"
#include "options.hpp"
#include "values.hpp"

#include <ccm/nearest.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace ccm::openstack {
namespace {

class Reader {
 public:
  void read(const GcfgSection& section) {
    const auto is = [&](std::string_view name) { return equal_ignoring_case(section.name, name); };
    if (is(kLoadBalancerClass)) return read_class(section);
    for (const std::string_view name : kSectionsOfOthers) {
      if (is(name)) return;
    }
    if (std::none_of(kSections.begin(), kSections.end(), is)) {
      return warn(section.line,
                  "unknown section [" + section.name + "]" + did_you_mean(section.name, kSections));
    }
    if (!section.subsection.empty()) {
      return warn(section.line, "[" + section.name + " " + in_quotes(section.subsection) +
                                    "] has no effect: only LoadBalancerClass has names");
    }
    if (is(kGlobal)) return set(section, kGlobal, global_options(), settings_.global);
    if (is(kNetworking))
      return set(section, kNetworking, networking_options(), settings_.networking);
    if (is(kMetadata)) return set(section, kMetadata, metadata_options(), settings_.metadata);
    if (is(kRoute)) return set(section, kRoute, route_options(), settings_.route);
    set(section, kLoadBalancer, load_balancer_options(), settings_.load_balancer);
  }

  Result<CloudConf> finish() {
    const MetadataSettings defaults;
    MetadataSettings& metadata = settings_.metadata;
    if (metadata.search_order.empty()) metadata.search_order = defaults.search_order;
    if (metadata.request_timeout == milliseconds(0))
      metadata.request_timeout = defaults.request_timeout;
    check_settings(settings_, lines_, findings_);
    if (findings_.faults.empty())
      return CloudConf{std::move(settings_), in_order(std::move(findings_.warnings))};
    // What is missing is often there under a misspelt name.
    std::vector<std::string> all = in_order(std::move(findings_.faults));
    for (std::string& warning : in_order(std::move(findings_.warnings))) {
      all.push_back(std::move(warning));
    }
    std::string message;
    for (const std::string& one : all) message += (message.empty() ? "" : "; ") + one;
    return invalid_configuration(std::move(message));
  }

 private:
  void read_class(const GcfgSection& section) {
    if (section.subsection.empty()) {
      warn(section.line,
           "[LoadBalancerClass] without a name in quotes cannot be chosen by a Service");
    }
    set(section, kLoadBalancerClass, load_balancer_class_options(),
        settings_.load_balancer_classes[section.subsection]);
  }

  // `name`: the section's in the table.
  template <typename T>
  void set(const GcfgSection& section, std::string_view name, std::span<const Option<T>> options,
           T& into) {
    for (const GcfgVariable& variable : section.variables) {
      const auto option = std::find_if(options.begin(), options.end(), [&](const Option<T>& known) {
        return equal_ignoring_case(known.name, variable.name);
      });
      if (option == options.end()) {
        unknown(section, variable, options);
      } else {
        lines_.note(name, option->name, variable.line);
        std::visit([&](auto member) { set_value(section, variable, into.*member); },
                   option->member);
      }
    }
  }

  template <typename T>
  void unknown(const GcfgSection& section, const GcfgVariable& variable,
               std::span<const Option<T>> options) {
    const auto is = [&](std::string_view name) { return equal_ignoring_case(variable.name, name); };
    if (std::any_of(kFormerOptions.begin(), kFormerOptions.end(), is)) {
      return warn(variable.line,
                  where(section, variable) + " is no option any more and has no effect");
    }
    std::vector<std::string_view> names;
    for (const Option<T>& option : options) names.push_back(option.name);
    warn(variable.line,
         "unknown option " + where(section, variable) + did_you_mean(variable.name, names));
  }

  void set_value(const GcfgSection& section, const GcfgVariable& variable, std::string& into) {
    if (!variable.value) return fault(section, variable, "has no value; write = after it");
    into = *variable.value;
  }
  void set_value(const GcfgSection& section, const GcfgVariable& variable, Secret& into) {
    if (!variable.value) return fault(section, variable, "has no value; write = after it");
    into = Secret(*variable.value);
  }
  void set_value(const GcfgSection&, const GcfgVariable& variable, std::vector<std::string>& into) {
    if (!variable.value) return into.clear();
    into.push_back(*variable.value);
  }
  void set_value(const GcfgSection& section, const GcfgVariable& variable, bool& into) {
    const auto value = variable.value ? parse_boolean(*variable.value) : true;
    if (!value)
      return fault(section, variable, in_quotes(*variable.value) + " is neither true nor false");
    into = *value;
  }
  void set_value(const GcfgSection& section, const GcfgVariable& variable, milliseconds& into) {
    const std::string text = variable.value.value_or("");
    const auto value = parse_duration(text);
    if (!value) {
      const bool number = parse_integer(text).has_value();
      return fault(section, variable,
                   in_quotes(text) + " is no duration" +
                       (number ? ": the unit is missing, as in " + text + "s" : ", as in 30s"));
    }
    into = *value;
  }
  template <typename Number>
  std::enable_if_t<std::is_integral_v<Number> && !std::is_same_v<Number, bool>> set_value(
      const GcfgSection& section, const GcfgVariable& variable, Number& into) {
    const std::string text = variable.value.value_or("");
    const auto value = parse_integer(text);
    if (!value) return fault(section, variable, in_quotes(text) + " is no whole number");
    if (!std::in_range<Number>(*value))
      return fault(section, variable, in_quotes(text) + " is out of range");
    into = static_cast<Number>(*value);
  }

  static std::string where(const GcfgSection& section, const GcfgVariable& variable) {
    return "[" + section.name + "] " + variable.name;
  }
  void fault(const GcfgSection& section, const GcfgVariable& variable, const std::string& what) {
    findings_.faults.push_back({variable.line, where(section, variable) + ": " + what});
  }
  void warn(size_t line, const std::string& what) { findings_.warnings.push_back({line, what}); }

  Settings settings_;
  OptionLines lines_;
  Findings findings_;
};

}  // namespace

Result<CloudConf> read_cloud_conf(std::string_view text) {
  auto sections = parse_gcfg(text);
  if (!sections.ok()) return sections.status();
  Reader reader;
  for (const GcfgSection& section : *sections) reader.read(section);
  return reader.finish();
}

}  // namespace ccm::openstack
