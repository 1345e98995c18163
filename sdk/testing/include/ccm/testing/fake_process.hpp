// Programs that the operator's files name: a test says what each command prints. The fake host has
// none of its own, as a host without this draft.
//   FakePrograms programs(host);    // before the component is created
//   programs.set("/bin/keys", R"({"Version": 1, ...})");
#pragma once

#include <ccm/abi/process.h>
#include <ccm/process.hpp>
#include <ccm/status.hpp>
#include <ccm/testing/fake_host.hpp>

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace ccm::testing {

class FakePrograms {
 public:
  // Offers the interface; lives as long as the host is used.
  explicit FakePrograms(FakeHost& host);
  FakePrograms(const FakePrograms&) = delete;
  FakePrograms& operator=(const FakePrograms&) = delete;

  // What the command prints, or how it fails. One that was not set: permission_denied.
  void set(const std::string& command, Result<std::string> output);
  // All that were asked for, in their order.
  [[nodiscard]] std::vector<Command> runs() const;

 private:
  static void run(void* self, ccm_ctx ctx, const ccm_run_request* given, ccm_completion done);
  Result<std::string> output_of(const Command& command);

  FakeHost& host_;
  ccm_host_process table_{};
  mutable std::mutex mutex_;
  std::map<std::string, Result<std::string>> outputs_;
  std::vector<Command> runs_;
};

}  // namespace ccm::testing
