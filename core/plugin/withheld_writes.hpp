// A dry run: what would change the cloud is handed to this instead of being sent.
#pragma once

#include "plugin/origin.hpp"

#include <ccm/status.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace ccm::plugin {

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
