#include "plugin/host_services/worker_service.hpp"

#include "plugin/host_services/host_operation.hpp"

#include <memory>

namespace ccm::plugin {

namespace {

// Ends on the loop, whatever the function did. While it runs it counts as an operation in flight,
// because its code and data must not be freed.
void ended_on_worker(const std::shared_ptr<HostOperation>& operation, Status status) {
  operation->component().runtime().loop.post([operation, status = std::move(status)] {
    operation->end(status);
    operation->component().operations()->ended();
  });
}

void start(const std::shared_ptr<HostOperation>& operation, void (*fn)(void*), void* owner) {
  LiveComponent& component = operation->component();
  component.operations()->began();
  const auto submitted = component.lane().submit([operation, fn, owner] {
    Status status;
    const std::shared_ptr<void> writing = operation->component().begin_unseen_write("worker");
    try {
      if (fn != nullptr) fn(owner);
    } catch (...) {
      status = Status(Code::internal, "the plugin let an exception escape");
    }
    ended_on_worker(operation, std::move(status));
  });
  if (!submitted.ok()) ended_on_worker(operation, submitted.status());
}

}  // namespace

void WorkerService::run(void* self, void (*fn)(void* owner), void* owner,
                        ccm_completion done) noexcept {
  const auto component = static_cast<WorkerService*>(self)->component();
  if (!component) return;
  // Unbound: `owner` must stay alive until the function returned, whatever ends meanwhile.
  HostOperation::begin_unbound(component, done, "worker",
                               [fn, owner](const auto& operation) { start(operation, fn, owner); });
}

const void* WorkerService::table() const {
  static const ccm_host_worker table{sizeof(table), 0, &run};
  return &table;
}

}  // namespace ccm::plugin
