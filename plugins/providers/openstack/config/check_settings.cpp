#include "check_settings.hpp"

#include "options.hpp"

#include <ccm/cidr.hpp>
#include <ccm/host_name.hpp>
#include <ccm/nearest.hpp>

#include <algorithm>
#include <array>
#include <span>

namespace ccm::openstack {
namespace {

using Words = std::span<const std::string_view>;

constexpr std::array<std::string_view, 3> kEndpointTypes = {"public", "internal", "admin"};
constexpr std::array<std::string_view, 2> kMetadataSources = {"configDrive", "metadataService"};
constexpr std::array<std::string_view, 5> kProviders = {"amphora", "octavia", "ovn", "f5",
                                                        "amphorav2"};
constexpr std::array<std::string_view, 2> kContainerStores = {"barbican", "external"};
constexpr std::array<std::string_view, 4> kMethods = {"ROUND_ROBIN", "LEAST_CONNECTIONS",
                                                      "SOURCE_IP", "SOURCE_IP_PORT"};

bool is_one_of(std::string_view text, Words words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

std::string listed(Words words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i != 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

// The items between characters of `separators`, without blanks around them.
std::vector<std::string_view> items(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> found;
  while (!text.empty()) {
    std::string_view item = text.substr(0, text.find_first_of(separators));
    text.remove_prefix(std::min(item.size() + 1, text.size()));
    item.remove_prefix(std::min(item.find_first_not_of(" \t"), item.size()));
    item = item.substr(0, item.find_last_not_of(" \t") + 1);
    found.push_back(item);
  }
  return found;
}

class Check {
 public:
  Check(const Settings& settings, const OptionLines& lines, Findings& findings)
      : settings_(settings), lines_(lines), findings_(findings) {}

  void global() {
    const GlobalSettings& global = settings_.global;
    if (global.auth_url.empty() && !global.use_clouds && global.cloud.empty()) {
      findings_.faults.push_back({0, "[Global] auth-url is missing: the URL of Keystone"});
    }
    const std::string& type = global.os_endpoint_type;
    if (!type.empty() && !is_one_of(type, kEndpointTypes)) {
      fault(kGlobal, "os-endpoint-type", unknown(type, kEndpointTypes));
    }
    if (!global.tls_insecure.empty() && global.tls_insecure != "true" &&
        global.tls_insecure != "false") {
      warn(kGlobal, "tls-insecure",
           in_quotes(global.tls_insecure) + " leaves verification on: only true turns it off");
    }
    if (global.cert_file.empty() != global.key_file.empty()) {
      const std::string_view given = global.cert_file.empty() ? "key-file" : "cert-file";
      const std::string missing = global.cert_file.empty() ? "cert-file" : "key-file";
      warn(kGlobal, given, "has no effect without " + missing);
    }
  }

  void networking() {
    for (const std::string_view item : items(settings_.networking.address_sort_order, ", \t")) {
      if (item.empty() || parse_cidr(item)) continue;
      warn(kNetworking, "address-sort-order", in_quotes(item) + " is no CIDR and is left out");
    }
  }

  void metadata() {
    const auto sources = items(settings_.metadata.search_order, ",");
    for (const std::string_view source : sources) {
      if (!is_one_of(source, kMetadataSources))
        fault(kMetadata, "search-order", unknown(source, kMetadataSources));
    }
    if (sources.size() > kMetadataSources.size()) {
      fault(kMetadata, "search-order",
            "more than " + std::to_string(kMetadataSources.size()) + " sources");
    }
  }

  void load_balancer() {
    const LoadBalancerSettings& options = settings_.load_balancer;
    if (!options.enabled) return;
    if (!options.lb_version.empty() && options.lb_version != "v2") {
      fault(kLoadBalancer, "lb-version",
            in_quotes(options.lb_version) + " does not exist: only v2 does");
    }
    if (!is_one_of(options.lb_provider, kProviders)) {
      warn(kLoadBalancer, "lb-provider", unknown(options.lb_provider, kProviders));
    }
    if (!is_one_of(options.container_store, kContainerStores)) {
      warn(kLoadBalancer, "container-store",
           unknown(options.container_store, kContainerStores) + "; external is used");
    }
    if (!is_one_of(options.lb_method, kMethods)) {
      warn(kLoadBalancer, "lb-method", unknown(options.lb_method, kMethods));
    } else if (options.lb_provider == "ovn" && options.lb_method != "SOURCE_IP_PORT" &&
               lines_.of(kLoadBalancer, "lb-method") != 0) {
      warn(kLoadBalancer, "lb-method",
           options.lb_method + " has no effect: the provider ovn knows SOURCE_IP_PORT alone");
    }
    if (options.enable_ingress_hostname && !is_host_name(options.ingress_hostname_suffix)) {
      warn(kLoadBalancer, "ingress-hostname-suffix",
           in_quotes(options.ingress_hostname_suffix) +
               " is no DNS name in lower case: Services get no names");
    }
    monitor(options);
  }

 private:
  // Octavia counts whole seconds, of which the Go manager cuts the rest off.
  void monitor(const LoadBalancerSettings& options) {
    constexpr milliseconds kSecond{1'000};
    const auto check = [&](std::string_view name, milliseconds value) {
      if (value < kSecond) {
        warn(kLoadBalancer, name, "is below 1s, which Octavia refuses");
      } else if (value % kSecond != milliseconds(0)) {
        warn(kLoadBalancer, name, "is cut down to whole seconds");
      }
    };
    check("monitor-delay", options.monitor_delay);
    check("monitor-timeout", options.monitor_timeout);
    for (const auto& [name, value] :
         {std::pair{"monitor-max-retries", options.monitor_max_retries},
          std::pair{"monitor-max-retries-down", options.monitor_max_retries_down}}) {
      if (value < 1 || value > 10)
        warn(kLoadBalancer, name, "is not between 1 and 10, which Octavia refuses");
    }
  }

  static std::string unknown(std::string_view value, Words known) {
    return in_quotes(value) + " is none of " + listed(known) + did_you_mean(value, known);
  }
  [[nodiscard]] Finding finding(std::string_view section, std::string_view option,
                                const std::string& what) const {
    return {lines_.of(section, option),
            "[" + std::string(section) + "] " + std::string(option) + ": " + what};
  }
  void fault(std::string_view section, std::string_view option, const std::string& what) {
    findings_.faults.push_back(finding(section, option, what));
  }
  void warn(std::string_view section, std::string_view option, const std::string& what) {
    findings_.warnings.push_back(finding(section, option, what));
  }

  const Settings& settings_;
  const OptionLines& lines_;
  Findings& findings_;
};

}  // namespace

void check_settings(const Settings& settings, const OptionLines& lines, Findings& findings) {
  Check check(settings, lines, findings);
  check.global();
  check.networking();
  check.metadata();
  check.load_balancer();
}

}  // namespace ccm::openstack
