// The origin of an operation: a reconcile, or a component by itself. Contexts pass it on, so that a
// provider's HTTP call knows which controller and which key it serves, and the reconcile knows the
// cloud's last answer. Loop thread.
#pragma once

#include "plugin/operations.hpp"
#include "runtime/timers.hpp"

#include <ccm/status.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ccm::plugin {

// "node-init", "load-balancers", ...: for metrics, logs and pages.
std::string_view to_string(CallPriority priority);

// One HTTP answer of a cloud.
struct CloudAnswer {
  std::string operation;     // the provider's name for the call: "CreateLoadBalancer"
  unsigned http_status = 0;  // 0: no answer came
  std::string request_id;    // the cloud's; empty when it gave none
  runtime::TimePoint at;
  std::chrono::nanoseconds took{0};  // since the request was sent
};

// The reason of a call that was held back in favour of more important ones.
inline constexpr std::string_view kCallBudgetSpent = "CallBudgetSpent";

class Origin {
 public:
  // `controller` is the calling component; `key` is its reconcile's, empty for its other work.
  Origin(std::string controller, std::string key, CallPriority priority)
      : controller_(std::move(controller)), key_(std::move(key)), priority_(priority) {}

  [[nodiscard]] const std::string& controller() const { return controller_; }
  [[nodiscard]] const std::string& key() const { return key_; }

  [[nodiscard]] CallPriority priority() const { return priority_; }
  // A more important origin waits for the same answer.
  void raise(CallPriority priority) {
    if (priority < priority_) priority_ = priority;
  }

  // The controller began or ended an operation of the host; `operation` is a literal. Its questions
  // to the cloud also decide its priority, unless this is periodic work.
  void began(std::string_view operation);
  void ended(std::string_view operation, const Status& status);
  void answered(CloudAnswer answer) {
    answer_ = std::move(answer);
    ++calls_;
  }
  // HTTP calls that got an answer or failed. 0 for a provider that has connections of its own.
  [[nodiscard]] std::size_t calls() const { return calls_; }
  // A dry run withheld a write to the cloud: what follows from its failure means nothing.
  void note_withheld() { withheld_ = true; }
  [[nodiscard]] bool withheld() const { return withheld_; }

  // The last operation if it failed, else the last one that asked the cloud, else the last one;
  // empty before the first.
  [[nodiscard]] std::string_view step() const;
  [[nodiscard]] const std::optional<CloudAnswer>& answer() const { return answer_; }
  // How the last operation that asked the cloud ended.
  [[nodiscard]] const Status& cloud_status() const { return cloud_status_; }

 private:
  const std::string controller_;
  const std::string key_;
  CallPriority priority_;
  std::string_view last_step_;
  std::string_view cloud_step_;
  std::string_view failed_step_;
  Status cloud_status_;
  std::optional<CloudAnswer> answer_;
  std::size_t calls_ = 0;
  bool withheld_ = false;
};

// A dry run: what would change the cloud is handed to this instead of being sent.

// The reason of what was withheld.
inline constexpr std::string_view kDryRun = CCM_REASON_DRY_RUN;

// A request to the cloud, or an operation of the provider as a whole. Valid during the call.
struct WithheldWrite {
  std::string_view component;              // that makes the request
  std::shared_ptr<const Origin> origin{};  // the reconcile; null: the component's own work
  std::string_view method;                 // "POST"; empty for an operation
  std::string_view target;                 // the redacted URL, or "loadbalancers.ensure"
  std::string_view body;                   // redacted
  std::string_view before{};               // what it takes away, in words; redacted, may be empty
};

// Loop thread.
class WithheldWrites {
 public:
  virtual ~WithheldWrites() = default;
  virtual void withhold(const WithheldWrite& write) = 0;
  // The cloud's answer to a read; 0: none came.
  virtual void answered(std::string_view component, std::string_view operation,
                        unsigned http_status) = 0;

  // The failure of what was withheld.
  static Status refusal(std::string_view what) {
    return failure(std::string(what) + " was recorded and not sent");
  }
  // The failure of the reconcile's further writes, which would only tell of that failure.
  static Status end_of_reconcile() { return failure("nothing follows what was not sent"); }

 private:
  static Status failure(const std::string& why) {
    return Status(Code::failed_precondition, "dry run: " + why).with_reason(std::string(kDryRun));
  }
};

}  // namespace ccm::plugin
