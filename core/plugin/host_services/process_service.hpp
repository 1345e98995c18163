// draft.ccm.host.process/1: programs that the operator's files name.
#pragma once

#include "plugin/host_services/file_service.hpp"
#include "plugin/host_services/host_service.hpp"

#include <ccm/abi/process.h>
#include <ccm/status.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin {

class ProcessService final : public HostService {
 public:
  // `files` must outlive it.
  ProcessService(const std::shared_ptr<LiveComponent>& component, WatchedFiles& files)
      : HostService(component, CCM_HOST_PROCESS, &kTable), files_(files) {}

 private:
  static void run(void* self, ccm_ctx ctx, const ccm_run_request* request,
                  ccm_completion done) noexcept;
  static const ccm_host_process kTable;

  WatchedFiles& files_;
};

// Whether a line of `text` is "SETTING = COMMAND", by the rules of ccm_run_request.
bool names_command(std::string_view text, std::string_view setting, std::string_view command);

// The words of a command, by the rules of ccm_run_request. Failure: invalid_argument when there is
// none, or a quote has no end; the message shows nothing of it.
Result<std::vector<std::string>> words_of(std::string_view command);

}  // namespace ccm::plugin
