#include "settings.hpp"

#include <ccm/cidr.hpp>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::route {
namespace {

constexpr std::chrono::milliseconds kAuditPeriod{10'000};             // HOST-33
constexpr std::chrono::milliseconds kWatchedAuditPeriod{43'200'000};  // HOST-30
constexpr std::string_view kWatchBased = "CloudControllerManagerWatchBasedRoutesReconciliation";

std::string flag_text(const Config& config, std::string_view name) {
  return std::string(config.flag(name).value_or(std::string_view()));
}

// HOST-139. The value of --feature-gates is NAME=true or NAME=false pairs; AllAlpha stands for each
// gate of that stage that is not named.
bool watch_based(std::string_view gates) {
  bool all_alpha = false;
  while (!gates.empty()) {
    const std::size_t comma = std::min(gates.find(','), gates.size());
    const std::string_view pair = gates.substr(0, comma);
    gates.remove_prefix(std::min(comma + 1, gates.size()));
    const std::string_view name = pair.substr(0, pair.find('='));
    const bool on = pair.ends_with("=true");
    if (name == kWatchBased) return on;
    if (name == "AllAlpha") all_alpha = on;
  }
  return all_alpha;
}

Status check_clusters(const std::string& text) {
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
  return {};
}

}  // namespace

bool routes_wanted(const Config& config) {
  return config.flag("configure-cloud-routes") != std::string_view("false");
}

Result<Settings> read_settings(const Config& config) {
  const Status checked = check_clusters(flag_text(config, "cluster-cidr"));
  if (!checked.ok()) return checked;
  Settings settings;
  settings.ranges =
      RoutableRanges::of_flags([&config](std::string_view name) { return config.flag(name); });
  settings.cluster_name = flag_text(config, "cluster-name");
  settings.audit_period =
      config.duration_flag("route-reconciliation-period").value_or(kAuditPeriod);
  if (settings.audit_period <= std::chrono::milliseconds(0)) {
    return Status(Code::invalid_argument, "--route-reconciliation-period must be above 0");
  }
  if (watch_based(config.flag("feature-gates").value_or(std::string_view()))) {
    // As upstream, whose caches are handed over again after that time (ROUTE-7).
    const auto resync = config.duration_flag("min-resync-period").value_or(kWatchedAuditPeriod);
    settings.audit_period = resync.count() > 0 ? resync : kWatchedAuditPeriod;
  }
  return settings;
}

}  // namespace ccm::route
