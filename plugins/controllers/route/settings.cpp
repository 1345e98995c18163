#include "settings.hpp"

#include <utility>

namespace ccm::route {
namespace {

constexpr std::chrono::milliseconds kAuditPeriod{10'000};  // HOST-33

std::string flag_text(const Config& config, std::string_view name) {
  return std::string(config.flag(name).value_or(std::string_view()));
}

Result<std::vector<Cidr>> read_clusters(const std::string& text) {
  const auto wrong = [&](const std::string& why) {
    return Status(Code::invalid_argument, why +
                                              "; to run without routes give "
                                              "--configure-cloud-routes=false");
  };
  const std::vector<std::string> items = split_cidrs(text);
  if (items.empty()) {
    return wrong(
        "--cluster-cidr is empty, but the route controller needs the address range of "
        "Pods");
  }
  std::vector<Cidr> clusters;
  for (const std::string& item : items) {
    const auto cidr = parse_cidr(item);
    if (!cidr) {
      return wrong("--cluster-cidr=" + text + ": \"" + item +
                   "\" is no address range such as 10.244.0.0/16");
    }
    clusters.push_back(*cidr);
  }
  if (clusters.size() > 2 || (clusters.size() == 2 && clusters[0].v6 == clusters[1].v6)) {
    return wrong("--cluster-cidr=" + text +
                 " must be one range, or two of which one is IPv4 and one is IPv6");
  }
  return clusters;
}

}  // namespace

bool routes_wanted(const Config& config) {
  return config.flag("configure-cloud-routes") != std::string_view("false");
}

Result<Settings> read_settings(const Config& config) {
  auto clusters = read_clusters(flag_text(config, "cluster-cidr"));
  if (!clusters.ok()) return clusters.status();
  Settings settings;
  settings.clusters = *std::move(clusters);
  settings.cluster_name = flag_text(config, "cluster-name");
  settings.audit_period =
      config.duration_flag("route-reconciliation-period").value_or(kAuditPeriod);
  if (settings.audit_period <= std::chrono::milliseconds(0)) {
    return Status(Code::invalid_argument, "--route-reconciliation-period must be above 0");
  }
  return settings;
}

}  // namespace ccm::route
