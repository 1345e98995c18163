#include "ccm/testing/fake_process.hpp"

#include "fake_operation.hpp"

#include <utility>

namespace ccm::testing {

FakePrograms::FakePrograms(FakeHost& host) : host_(host), table_(sized<ccm_host_process>()) {
  table_.run = &FakePrograms::run;
  host.offer(CCM_HOST_PROCESS, {this, &table_});
}

void FakePrograms::set(const std::string& command, Result<std::string> output) {
  const std::lock_guard lock(mutex_);
  outputs_.insert_or_assign(command, std::move(output));
}

std::vector<Command> FakePrograms::runs() const {
  const std::lock_guard lock(mutex_);
  return runs_;
}

Result<std::string> FakePrograms::output_of(const Command& command) {
  const std::lock_guard lock(mutex_);
  runs_.push_back(command);
  const auto known = outputs_.find(command.command);
  if (known != outputs_.end()) return known->second;
  return Status(Code::permission_denied, "no line of " + command.file + " gives that command");
}

void FakePrograms::run(void* self, ccm_ctx ctx, const ccm_run_request* given, ccm_completion done) {
  auto& programs = *static_cast<FakePrograms*>(self);
  FakeLoop& loop = programs.host_.loop;
  if (!only_known(given)) return post_failure(loop, done, unknown_request("process.run"));
  const Status ended = programs.host_.contexts.check(ctx);
  if (!ended.ok()) return post_failure(loop, done, ended);
  const ccm_run_request request = known(given);
  const Command command{std::string(view(request.file)), std::string(view(request.setting)),
                        std::string(view(request.command))};
  loop.post([&programs, done, command] {
    const Result<std::string> output = programs.output_of(command);
    if (!output.ok()) return complete(done, output.status());
    auto result = sized<ccm_program_output>();
    result.bytes = c_str(*output);
    complete(done, {}, &result);
  });
}

}  // namespace ccm::testing
