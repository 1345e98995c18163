// ccm::Worker: runs one blocking function on the host's pool, for a vendor's library or a file
// inside a non-blocking plugin.
#pragma once

#include <ccm/abi/worker.h>
#include <ccm/ctx.hpp>
#include <ccm/detail/operation.hpp>
#include <ccm/service.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace ccm {

class Worker {
  // Runs on a thread of the pool. Shared by the host, which drops it, and the operation.
  template <typename Function>
  struct Job {
    using Returned = std::invoke_result_t<Function&>;
    using Outcome = std::conditional_t<
        std::is_void_v<Returned>, Status,
        std::conditional_t<detail::StatusLike<Returned>, Returned, Result<Returned>>>;
    Function function;
    std::optional<Outcome> outcome;
  };

 public:
  template <typename Function>
  struct Run {
    using Output = typename Job<Function>::Outcome;
    using Reference = std::shared_ptr<Job<Function>>;
    Service<ccm_host_worker> host;
    Ctx ctx;
    Reference job;

    Status start(ccm_completion done) const {
      const auto fn = host.get(&ccm_host_worker::run);
      if (fn == nullptr) return detail::missing(CCM_HOST_WORKER, "run");
      ccm_work_request request = sized<ccm_work_request>();
      request.work = {&Run::work, &Run::drop, std::make_unique<Reference>(job).release()};
      fn(host.self(), ctx.get(), &request, done);
      return {};
    }
    Output decode(Status status, const void* /*result*/) const {
      if (!status.ok()) return status;
      if (!job->outcome) return Status(Code::internal, "the worker did not run");
      return std::move(*job->outcome);
    }
    static void work(void* owner) noexcept {
      const Reference& job = *static_cast<Reference*>(owner);
      const detail::BlockingSection section(true);
      try {
        if constexpr (std::is_void_v<typename Job<Function>::Returned>) {
          job->function();
          job->outcome.emplace();
        } else {
          job->outcome.emplace(job->function());
        }
      } catch (...) {
        job->outcome.emplace(detail::status_of_exception());
      }
    }
    static void drop(void* owner) noexcept { delete static_cast<Reference*>(owner); }
  };

  Worker() = default;
  explicit Worker(Service<ccm_host_worker> host) : host_(host) {}

  // Calls `function()` on a [worker] thread; at most the manifest's maxParallel of a plugin run at
  // once. The outcome is its Status or Result, any other value as a Result, what it throws as
  // Code::internal. When `ctx` ends before a thread is free it is not called; once it runs it is
  // waited for. [any-thread]
  template <typename Function>
  [[nodiscard]] Operation<Run<Function>> run(Ctx ctx, Function function) const {
    return Operation<Run<Function>>(Run<Function>{
        host_, std::move(ctx),
        std::make_shared<Job<Function>>(Job<Function>{std::move(function), std::nullopt})});
  }
  // As run() with a ctx, until the component ends.
  template <typename Function>
  [[nodiscard]] Operation<Run<Function>> run(Function function) const {
    return run(Ctx(), std::move(function));
  }

 private:
  Service<ccm_host_worker> host_;
};

}  // namespace ccm
