// A controller plugin's component as the runtime's Reconciler: its setup is turned into watches and
// a queue, its keys are reconciled by a ControllerRunner. With the services that it calls for this:
// ccm.host.setup/1 and ccm.host.queue/1. Loop thread, except where said.
#pragma once

#include "plugin/host_services/host_service.hpp"
#include "plugin/live_component.hpp"
#include "plugin/reconcile_records.hpp"
#include "runtime/controller_runner.hpp"
#include "runtime/work_queue.hpp"

#include <ccm/abi/controller.h>
#include <ccm/abi/queue.h>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace prometheus {
class Registry;
}

namespace ccm::plugin {

class ComponentController;

// Where the services of a controller's component meet its controller, which is made later. Loop
// thread.
class ControllerPort {
 public:
  struct Item {
    std::string key;
    int32_t priority;  // CCM_PRIORITY_*
    std::chrono::milliseconds delay;
  };
  using Take = std::function<void(const Item&)>;

  // Null until it is made.
  [[nodiscard]] ComponentController* controller() const { return controller_; }
  void connect(ComponentController* controller) { controller_ = controller; }

  // Hands the item on, or keeps it until take() is known.
  void add(Item item) {
    if (take_) return take_(item);
    early_.push_back(std::move(item));
  }
  void on_item(Take take) {
    take_ = std::move(take);
    for (const Item& item : std::exchange(early_, {})) take_(item);
  }

 private:
  ComponentController* controller_ = nullptr;
  Take take_;
  std::vector<Item> early_;
};

// ccm.host.queue/1 over the work queue of a controller.
class QueueService final : public HostService {
 public:
  QueueService(const std::shared_ptr<LiveComponent>& component,
               std::shared_ptr<ControllerPort> port)
      : HostService(component, CCM_HOST_QUEUE, &kTable), port_(std::move(port)) {}

 private:
  static void add(void* self, const ccm_queue_item* item) noexcept;
  static const ccm_host_queue kTable;

  const std::shared_ptr<ControllerPort> port_;
};

class SetupService final : public HostService {
 public:
  SetupService(const std::shared_ptr<LiveComponent>& component,
               std::shared_ptr<ControllerPort> port)
      : HostService(component, CCM_HOST_SETUP, &kTable), port_(std::move(port)) {}

 private:
  static void watch(void* self, const ccm_watch* watch) noexcept;
  static void queue(void* self, const ccm_queue_options* options) noexcept;
  static void every(void* self, ccm_str key, int64_t period_ms) noexcept;
  static const ccm_host_setup kTable;
  [[nodiscard]] ComponentController* controller(std::string_view function) const;

  const std::shared_ptr<ControllerPort> port_;
};

class ComponentController final : public runtime::Reconciler {
 public:
  struct Options {
    std::chrono::milliseconds default_resync{0};  // --min-resync-period
    prometheus::Registry* metrics = nullptr;      // the queue's; null = none
  };

  // `component` offers ccm.controller/1 as `controller`.
  ComponentController(std::shared_ptr<LiveComponent> component, ccm_interface controller,
                      Options options, std::shared_ptr<ControllerPort> port);
  ~ComponentController() override;

  // Runs the plugin's setup and registers its watches with `source`, which must outlive this
  // object: ok; unimplemented = the controller has nothing to do here (its message says why);
  // anything else is a failure. This object outlives it.
  Task<Status> setup(runtime::EventSource& source);

  // This process leads.
  void start() {
    if (runner_) runner_->start();
  }

  // Takes no more keys, cancels the running reconciles, then runs the plugin's stop, all within
  // `limit`; failed_precondition when reconciles are still running. This object outlives it.
  Task<Status> stop(std::chrono::milliseconds limit);

  // Its setup has ended well.
  [[nodiscard]] bool set_up() const { return runner_.has_value(); }
  [[nodiscard]] bool started() const { return runner_ && runner_->started(); }
  [[nodiscard]] runtime::ControllerRunner* runner() { return runner_ ? &*runner_ : nullptr; }
  // Its keys that are not settled.
  [[nodiscard]] const ReconcileRecords& records() const { return records_; }
  // The resources that it watches, as in "v1/nodes".
  [[nodiscard]] std::vector<std::string> watched() const;

  // Declarations of its setup (ccm/abi/controller.h).
  void declare_watch(const ccm_watch* watch);
  void declare_queue(const ccm_queue_options* options);
  void declare_period(ccm_str key, int64_t period_ms);

  // The cloud's side of an object has changed, as the provider says. Nothing happens when this
  // controller does not watch the resource, or only a part of it.
  void hint(std::string_view resource, const kube::ObjectPtr& object);

  void reconcile(const runtime::ReconcileRequest& request, std::chrono::milliseconds timeout,
                 Done done) override;
  void cancel() override { reconciles_->cancel(); }

 private:
  struct Watch {
    runtime::WatchSpec spec;
    ccm_map_fn map = nullptr;
    void* owner = nullptr;
  };
  // The declarations of setup so far.
  struct Plan {
    std::vector<Watch> watches;
    runtime::RunnerOptions options;
    std::string queue_name;
    std::vector<std::pair<std::string, std::chrono::milliseconds>> periodic;
    std::optional<Status> fault;
  };

  // The first fault is the one that counts.
  void refuse_setup(Status fault) {
    if (!plan_.fault) plan_.fault = std::move(fault);
  }
  Status activate(runtime::EventSource& source);
  runtime::ControllerRunner::MapFn map_of(const Watch& watch);
  void report(const runtime::ReconcileReport& report);
  void report_repeated(const runtime::ReconcileReport& report);
  void refresh_metrics();

  const std::shared_ptr<LiveComponent> component_;
  const std::shared_ptr<ControllerPort> port_;
  runtime::Timers& timers_;
  const ccm_interface interface_;
  const ccm_controller& table_;
  const Options options_;
  Plan plan_;
  std::shared_ptr<Context> reconciles_;  // parent of every reconcile's ctx
  ReconcileRecords records_;
  uint64_t repeats_ = 0;  // failures since the last summary
  std::optional<runtime::TimePoint> last_summary_;
  std::optional<runtime::QueueMetrics> queue_metrics_;
  std::optional<runtime::ControllerRunner> runner_;
  runtime::Timers::Id metrics_timer_ = 0;
};

}  // namespace ccm::plugin
