#include "settings.hpp"

#include <algorithm>
#include <utility>

namespace ccm::service {
namespace {

using std::chrono::milliseconds;

// Load balancers are awaited without a thread each, so more than upstream's one costs nothing
// (HOST-37).
constexpr uint32_t kDefaultWorkers = 64;
constexpr milliseconds kDefaultAudit{1'800'000};
constexpr const char* kWorkersFlag = "concurrent-service-syncs";
constexpr const char* kAuditFlag = "load-balancer-audit-period";
constexpr const char* kUnschedulableFlag = "load-balancer-exclude-unschedulable";

}  // namespace

Result<Settings> read_settings(const Config& config) {
  Settings settings;
  settings.workers = kDefaultWorkers;
  if (config.flag_given(kWorkersFlag)) {
    const int64_t given = config.integer_flag(kWorkersFlag).value_or(0);
    if (given < 1) {  // TRAP-24
      return Status(Code::invalid_argument,
                    "--concurrent-service-syncs must be at least 1, is " + std::to_string(given));
    }
    settings.workers = static_cast<uint32_t>(std::min<int64_t>(given, UINT32_MAX));
  }
  settings.audit_period = config.duration_flag(kAuditFlag).value_or(kDefaultAudit);
  settings.exclude_cordoned = config.flag(kUnschedulableFlag) == std::string_view("true");
  settings.cluster_name = config.flag("cluster-name").value_or("kubernetes");
  const std::string classes(config.flag("load-balancer-classes").value_or(std::string_view()));
  if (!classes.empty()) {
    auto table = ClassTable::read_file(classes);
    if (!table.ok()) return table.status();
    settings.classes = *std::move(table);
  }
  auto adoption =
      AdoptionRules::parse(config.flag("load-balancer-adoption").value_or(std::string_view()));
  if (!adoption.ok()) return adoption.status();
  settings.adoption = *std::move(adoption);
  return settings;
}

}  // namespace ccm::service
