#include "plugin/host_services/worker_service.hpp"

#include "plugin/host_services/host_operation.hpp"

#include <memory>
#include <utility>

namespace ccm::plugin {

namespace {

// Ends on the loop, whatever the function did. While it runs it counts as an operation in flight,
// because its code and data must not be freed.
void ended_on_worker(const HostOperation::Ptr& operation, Status status) {
  operation->component().runtime().loop.post([operation, status = std::move(status)] {
    operation->end(status);
    operation->component().operations()->ended();
  });
}

// A function that waits to be begun when its ctx ends is not called; it is dropped on any thread,
// as is one that ran.
void start_work(const HostOperation::Ptr& operation, const ccm_callback& work) {
  LiveComponent& component = operation->component();
  component.operations()->began();
  const auto submitted = component.lane().submit([operation, work] {
    Status status = operation->context()->status();
    const std::shared_ptr<void> writing = operation->component().begin_unseen_write("worker");
    try {
      if (status.ok()) work.fn(work.owner);
    } catch (...) {
      status = Status(Code::internal, "the plugin let an exception escape");
    }
    drop_callback(work);
    ended_on_worker(operation, std::move(status));
  });
  if (submitted.ok()) return;
  drop_callback(work);
  ended_on_worker(operation, submitted.status());
}

}  // namespace

void WorkerService::run(void* self, ccm_ctx ctx, const ccm_work_request* request,
                        ccm_completion done) noexcept {
  const auto component = static_cast<WorkerService*>(self)->component();
  const ccm_work_request raw = known(request);
  Status wrong = check_request(request);
  if (wrong.ok() && raw.work.fn == nullptr) {
    wrong = Status(Code::invalid_argument, "no function was given");
  }
  // Dropped by whatever becomes of the operation: `work` is run at most once.
  struct Work {
    explicit Work(const ccm_callback& given) : callback(given) {}
    ~Work() {
      if (!taken) drop_callback(callback);
    }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    const ccm_callback callback;
    bool taken = false;
  };
  const auto work = std::make_shared<Work>(raw.work);
  // Unbound: `owner` must stay alive until the function returned, whatever ends meanwhile.
  auto start = [work](const HostOperation::Ptr& running) {
    work->taken = true;
    start_work(running, work->callback);
  };
  HostOperation::begin(component, ctx, done, "worker", std::move(wrong), std::move(start), false);
}

const ccm_host_worker WorkerService::kTable{sizeof(kTable), 0, &run};

}  // namespace ccm::plugin
