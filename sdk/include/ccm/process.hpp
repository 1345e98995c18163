// ccm::Programs: runs a program that a file of the operator names. The interface is a draft, so
// ccm::Host does not have it: Programs(host.find<ccm_host_process>(CCM_HOST_PROCESS)).
#pragma once

#include <ccm/abi/process.h>
#include <ccm/ctx.hpp>
#include <ccm/detail/operation.hpp>
#include <ccm/service.hpp>
#include <ccm/status.hpp>

#include <string>
#include <utility>

namespace ccm {

// The members are those of ccm_run_request.
struct Command {
  std::string file;
  std::string setting;
  std::string command;
};

class Programs {
 public:
  struct Run {
    using Output = Result<std::string>;
    Service<ccm_host_process> host;
    Ctx ctx;
    Command command;
    Status start(ccm_completion done) const {
      ccm_run_request request = sized<ccm_run_request>();
      request.file = c_str(command.file);
      request.setting = c_str(command.setting);
      request.command = c_str(command.command);
      return detail::begin_call(host, &ccm_host_process::run, CCM_HOST_PROCESS, "run", ctx, request,
                                done);
    }
    static Output decode(Status status, const void* result) {
      if (!status.ok()) return status;
      if (result == nullptr) return Status(Code::internal, "the host gave no output");
      return std::string(view(known(static_cast<const ccm_program_output*>(result)).bytes));
    }
  };

  Programs() = default;
  explicit Programs(Service<ccm_host_process> host) : host_(host) {}

  // What the program prints to standard output, at most 64 KiB, when it ends with exit code 0.
  // Failures: those of ccm_host_process.run, and unimplemented by a host without the interface; no
  // message has anything that the program printed.
  [[nodiscard]] Operation<Run> run(Ctx ctx, Command command) const {
    return Operation<Run>(Run{host_, std::move(ctx), std::move(command)});
  }

 private:
  Service<ccm_host_process> host_;
};

}  // namespace ccm
