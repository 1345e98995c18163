#include "cloud_config.hpp"

#include "gcfg/gcfg.hpp"

#include <ccm/lower_case.hpp>
#include <ccm/nearest.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <variant>

namespace ccm::aws {
namespace {

template <typename T>
struct Option {
  std::string_view name;
  std::variant<std::string T::*, bool T::*, int32_t T::*, std::vector<std::string> T::*> member;
};

// As they stand in the file, before they are checked.
struct Global : Settings {
  std::string cluster_tag;
};

const Option<Global> kGlobalOptions[] = {
    {"Zone", &Global::zone},
    {"Region", &Global::region},
    {"VPC", &Global::vpc},
    {"SubnetID", &Global::subnet_id},
    {"RouteTableID", &Global::route_table_id},
    {"RoleARN", &Global::role_arn},
    {"SourceARN", &Global::source_arn},
    {"KubernetesClusterTag", &Global::cluster_tag},
    {"KubernetesClusterID", &Global::cluster_id},
    {"DisableSecurityGroupIngress", &Global::disable_security_group_ingress},
    {"ElbSecurityGroup", &Global::elb_security_group},
    {"NodeIPFamilies", &Global::node_ip_families},
    {"ClusterServiceLoadBalancerHealthProbeMode", &Global::health_probe_mode},
    {"ClusterServiceSharedLoadBalancerHealthProbePort", &Global::shared_health_probe_port},
    {"ClusterServiceSharedLoadBalancerHealthProbePath", &Global::shared_health_probe_path},
    {"SupportedTopologyInstanceTypePattern", &Global::topology_instance_types},
    {"NLBSecurityGroupMode", &Global::nlb_security_group_mode},
};

const Option<ServiceOverride> kOverrideOptions[] = {
    {"Service", &ServiceOverride::service},
    {"Region", &ServiceOverride::region},
    {"URL", &ServiceOverride::url},
    {"SigningRegion", &ServiceOverride::signing_region},
    {"SigningMethod", &ServiceOverride::signing_method},
    {"SigningName", &ServiceOverride::signing_name},
};

std::optional<bool> parse_boolean(std::string_view text) {
  const std::string word = lower_case(text);
  if (word == "true" || word == "yes" || word == "on" || word == "1") return true;
  if (word == "false" || word == "no" || word == "off" || word == "0") return false;
  return std::nullopt;
}

std::string shown(std::string_view value) {
  std::string text(value.substr(0, 60));
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20; }, ' ');
  return "\"" + text + "\"";
}

class Reader {
 public:
  void read(const GcfgSection& section) {
    const std::string name = lower_case(section.name);
    if (name == "global" && section.subsection.empty()) {
      set<Global>(section, kGlobalOptions, global_);
    } else if (name == "serviceoverride") {
      set<ServiceOverride>(section, kOverrideOptions, override_of(section));
    } else {
      warn(section.line, "unknown section [" + section.name + "]: there are Global and " +
                             "ServiceOverride \"1\"");
    }
  }

  Result<CloudConfig> finish() {
    check_cluster();
    check_overrides();
    if (!global_.zone.empty() && region_of_zone(global_.zone).empty()) {
      faults_.push_back("[Global] Zone: invalid AZ: " + shown(global_.zone));
    }
    check_pattern();
    take_families();
    if (global_.shared_health_probe_port == 0) global_.shared_health_probe_port = 10256;
    if (global_.shared_health_probe_path.empty()) global_.shared_health_probe_path = "/healthz";
    if (faults_.empty()) return CloudConfig{std::move(global_), std::move(warnings_)};
    // What is missing is often there under a misspelt name.
    faults_.insert(faults_.end(), warnings_.begin(), warnings_.end());
    std::string message;
    for (const std::string& fault : faults_) message += (message.empty() ? "" : "; ") + fault;
    return invalid_configuration(std::move(message));
  }

 private:
  ServiceOverride& override_of(const GcfgSection& section) {
    const auto known = std::find(names_.begin(), names_.end(), section.subsection);
    if (known != names_.end()) {
      return global_.overrides[static_cast<size_t>(known - names_.begin())];
    }
    names_.push_back(section.subsection);
    return global_.overrides.emplace_back();
  }

  template <typename T>
  void set(const GcfgSection& section, std::span<const Option<T>> options, T& into) {
    for (const GcfgVariable& variable : section.variables) {
      const auto option = std::find_if(options.begin(), options.end(), [&](const Option<T>& known) {
        return lower_case(known.name) == lower_case(variable.name);
      });
      if (option == options.end()) {
        unknown(section, variable, options);
      } else {
        std::visit([&](auto member) { set_value(section, variable, into.*member); },
                   option->member);
      }
    }
  }

  template <typename T>
  void unknown(const GcfgSection& section, const GcfgVariable& variable,
               std::span<const Option<T>> options) {
    std::vector<std::string_view> names;
    for (const Option<T>& option : options) names.push_back(option.name);
    warn(variable.line, "unknown option [" + section.name + "] " + variable.name +
                            did_you_mean(variable.name, names));
  }

  void set_value(const GcfgSection& section, const GcfgVariable& variable, std::string& into) {
    if (!variable.value) return fault(section, variable, "has no value; write = after it");
    into = *variable.value;
  }
  void set_value(const GcfgSection&, const GcfgVariable& variable, std::vector<std::string>& into) {
    if (!families_given_) into.clear();
    families_given_ = true;
    if (variable.value) {
      into.push_back(*variable.value);
    } else {
      into.clear();
    }
  }
  void set_value(const GcfgSection& section, const GcfgVariable& variable, bool& into) {
    const auto value = variable.value ? parse_boolean(*variable.value) : true;
    if (!value)
      return fault(section, variable, shown(*variable.value) + " is neither true nor false");
    into = *value;
  }
  void set_value(const GcfgSection& section, const GcfgVariable& variable, int32_t& into) {
    const std::string text = variable.value.value_or("");
    int32_t value = 0;
    const auto [stop, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = wrong == std::errc() && stop == text.data() + text.size();
    if (!whole || value < 0 || value > 65'535) {
      return fault(section, variable, shown(text) + " is no port");
    }
    into = value;
  }

  // AWS-17.
  void check_cluster() {
    const std::string& tag = global_.cluster_tag;
    if (tag.empty()) return;
    if (!global_.cluster_id.empty() && global_.cluster_id != tag) {
      faults_.push_back("clusterID tags did not match: [Global] KubernetesClusterTag is " +
                        shown(tag) + ", KubernetesClusterID is " + shown(global_.cluster_id));
    }
    global_.cluster_id = tag;
    global_.legacy_tag = true;
  }

  // AWS-24.
  void check_overrides() {
    std::set<std::pair<std::string, std::string>> seen;
    for (size_t i = 0; i < names_.size(); ++i) {
      const ServiceOverride& entry = global_.overrides[i];
      const std::string where = " in [ServiceOverride " + shown(names_[i]) + "]";
      if (entry.service.empty()) faults_.push_back("Service is missing" + where);
      if (entry.region.empty()) faults_.push_back("Region is missing" + where);
      if (entry.url.empty()) faults_.push_back("URL is missing" + where);
      if (entry.signing_region.empty()) faults_.push_back("SigningRegion is missing" + where);
      if (!seen.emplace(entry.service, entry.region).second) {
        faults_.push_back("duplicate entry found for service override: Service " +
                          shown(entry.service) + " and Region " + shown(entry.region) + where);
      }
    }
  }

  // AWS-22: the Go manager panics.
  void check_pattern() {
    if (global_.topology_instance_types.empty()) return;
    const auto pattern = topology_pattern(global_.topology_instance_types);
    if (!pattern.ok()) {
      faults_.push_back("[Global] SupportedTopologyInstanceTypePattern: " +
                        pattern.status().message());
    }
  }

  // AWS-20.
  void take_families() {
    std::vector<std::string>& families = global_.node_ip_families;
    std::erase_if(families, [&](const std::string& family) {
      if (family == "ipv4" || family == "ipv6") return false;
      warnings_.push_back("[Global] NodeIPFamilies: " + shown(family) +
                          " has no effect; write ipv4 or ipv6");
      return true;
    });
    if (families.empty()) families = {"ipv4"};
  }

  void fault(const GcfgSection& section, const GcfgVariable& variable, std::string_view what) {
    std::string text = "line " + std::to_string(variable.line) + ": [";
    text.append(section.name).append("] ").append(variable.name).append(": ").append(what);
    faults_.push_back(std::move(text));
  }
  void warn(size_t line, std::string_view what) {
    std::string text = "line " + std::to_string(line) + ": ";
    text.append(what);
    warnings_.push_back(std::move(text));
  }

  Global global_;
  bool families_given_ = false;
  std::vector<std::string> names_;  // of overrides, in quotes in the file
  std::vector<std::string> faults_;
  std::vector<std::string> warnings_;
};

}  // namespace

Result<CloudConfig> read_cloud_config(std::string_view text) {
  auto sections = parse_gcfg(text);
  if (!sections.ok()) return sections.status();
  Reader reader;
  for (const GcfgSection& section : *sections) reader.read(section);
  return reader.finish();
}

Result<Pattern> topology_pattern(std::string_view text) {
  // Go looks for it anywhere in the type.
  return Pattern::regular_expression(".*(?:" + std::string(text) + ").*");
}

std::string region_of_zone(std::string_view zone) {
  size_t at = 0;
  size_t words = 0;
  for (;;) {
    const size_t begin = at;
    while (at < zone.size() &&
           ((zone[at] >= 'a' && zone[at] <= 'z') || (zone[at] >= 'A' && zone[at] <= 'Z'))) {
      ++at;
    }
    if (at == begin || at == zone.size() || zone[at] != '-') break;
    ++at;
    ++words;
  }
  const size_t digits = at;
  while (at < zone.size() && zone[at] >= '0' && zone[at] <= '9') ++at;
  return words > 0 && at > digits ? std::string(zone.substr(0, at)) : std::string();
}

Status invalid_configuration(std::string message) {
  return Status(Code::invalid_argument, ErrorClass::invalid_spec, std::move(message))
      .with_reason("InvalidConfiguration");
}

}  // namespace ccm::aws
