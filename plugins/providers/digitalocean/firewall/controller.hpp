// digitalocean-firewall: maintains one cloud firewall, identified by its name and attached to
// droplets by tags, open for the public ports of the cluster's Services (DO-255..DO-276). [serial]
#pragma once

#include "digitalocean/api.hpp"
#include "digitalocean/firewall/firewall.hpp"

#include <ccm/controller.hpp>
#include <ccm/host.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ccm::digitalocean {

class FirewallController {
 public:
  explicit FirewallController(Host& host);

  // Unimplemented when no firewall is configured (DO-15); invalid_argument, one line, for wrong
  // settings.
  Status setup(Setup& setup);
  // One key for everything. Periodic runs read the cloud, so manual changes are repaired (DO-269,
  // DO-274); a change of Services is compared with the known state.
  Task<Result<ReconcileResult>> reconcile(Ctx ctx, Request request);

 private:
  enum class Outcome { reconciled, skipped };

  Task<Result<Outcome>> sync(Ctx ctx, bool look);
  WantedFirewall wanted();
  Task<Status> load(Ctx ctx);
  Task<Result<std::optional<ExistingFirewall>>> by_id(Ctx ctx, std::string id);
  Task<Result<std::optional<ExistingFirewall>>> by_name(Ctx ctx);
  Task<Status> write(Ctx ctx, WantedFirewall wanted);
  Task<Result<ExistingFirewall>> send(Ctx ctx, WantedFirewall wanted);
  Task<Result<std::string>> measured(Ctx ctx, Call call, std::string operation);
  void measure_call(const std::string& operation, bool ok, uint32_t code,
                    std::chrono::milliseconds time) const;
  [[nodiscard]] bool as_accepted(ExistingFirewall firewall) const;
  void tell(const ExistingFirewall& firewall);
  void measure(const Result<Outcome>& outcome, bool look, double seconds) const;

  Host& host_;
  Api api_;
  const Metric operation_duration_;
  const Metric operations_;
  const Metric reconcile_duration_;
  const Metric reconciles_;
  const Metric sync_duration_;
  const Metric syncs_;

  // When `known_` was read; nothing while it may not be the cloud's state.
  std::optional<std::chrono::milliseconds> looked_;
  std::optional<ExistingFirewall> known_;
  // The cloud's result of our last write, when it differed from the request: repeating the write
  // would not change it (DO-272).
  std::optional<ExistingFirewall> accepted_;
  std::string asked_;
  struct Seen {
    std::string doubt;                                 // the last text
    std::optional<std::vector<FirewallRule>> certain;  // the last rules that were in no doubt
  };
  std::map<std::string, Seen> seen_;  // by the Service's key
};

}  // namespace ccm::digitalocean
