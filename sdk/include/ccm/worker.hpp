// ccm::Worker: runs one blocking function on the host's pool, for a vendor's library or a file
// inside a non-blocking plugin.
#pragma once

#include <ccm/abi/worker.h>
#include <ccm/operation.hpp>
#include <ccm/service.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace ccm {

class Worker {
  // The job of the pool's thread. Shared: after the component's end the host drops the completion,
  // while the function may still run.
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
    Service<ccm_host_worker> host;
    std::shared_ptr<Job<Function>> job;

    Status start(ccm_completion done) const {
      const auto fn = host.get(&ccm_host_worker::run);
      if (fn == nullptr) return detail::missing(CCM_HOST_WORKER, "run");
      auto reference = std::make_unique<std::shared_ptr<Job<Function>>>(job);
      fn(host.self(), &Run::work, reference.release(), done);
      return {};
    }
    Output decode(Status status, const void* /*result*/) const {
      if (!status.ok()) return status;
      if (!job->outcome) return Status(Code::internal, "the worker did not run");
      return std::move(*job->outcome);
    }
    static void work(void* owner) noexcept {
      using Reference = std::shared_ptr<Job<Function>>;
      const std::unique_ptr<Reference> job(static_cast<Reference*>(owner));
      const detail::BlockingSection section(true);
      try {
        if constexpr (std::is_void_v<typename Job<Function>::Returned>) {
          (*job)->function();
          (*job)->outcome.emplace();
        } else {
          (*job)->outcome.emplace((*job)->function());
        }
      } catch (...) {
        (*job)->outcome.emplace(detail::status_of_exception());
      }
    }
  };

  Worker() = default;
  explicit Worker(Service<ccm_host_worker> host) : host_(host) {}

  // Calls `function()` on a [worker] thread; at most the manifest's maxParallel of a component run
  // at once. The outcome is its Status or Result, any other value as a Result, what it throws as
  // Code::internal. It must own all that it uses: it may outlive the component. [any-thread]
  template <typename Function>
  [[nodiscard]] Operation<Run<Function>> run(Function function) const {
    return Operation<Run<Function>>(Run<Function>{
        host_, std::make_shared<Job<Function>>(Job<Function>{std::move(function), std::nullopt})});
  }

 private:
  Service<ccm_host_worker> host_;
};

}  // namespace ccm
