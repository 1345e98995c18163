#include "plugin/host_services/scheduling_services.hpp"

#include "plugin/context.hpp"

#include <ccm/sized.hpp>

#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace ccm::plugin {
using std::chrono::milliseconds;

namespace {

constexpr int64_t kNoDeadline = std::numeric_limits<int64_t>::max();

}  // namespace

// Null when the ctx does not exist or has ended.
std::shared_ptr<Context> CtxService::context(void* self, ccm_ctx ctx) noexcept {
  const auto component = static_cast<CtxService*>(self)->component();
  return component ? component->find_context(ctx) : nullptr;
}

ccm_ctx CtxService::background(void* self) noexcept {
  const auto component = static_cast<CtxService*>(self)->component();
  return component ? component->background_ctx() : ccm_ctx{0};
}

// A child of what is over is over, too: a number that was never given.
ccm_ctx CtxService::with_timeout(void* self, ccm_ctx parent, int64_t timeout_ms) noexcept {
  constexpr ccm_ctx kEnded{std::numeric_limits<uint64_t>::max()};
  const auto component = static_cast<CtxService*>(self)->component();
  if (!component) return kEnded;
  std::optional<std::chrono::milliseconds> timeout;
  if (timeout_ms != kNoDeadline) timeout = bounded(timeout_ms);
  const ccm_ctx child = component->make_context(parent, timeout);
  return child.id != 0 ? child : kEnded;
}

void CtxService::cancel(void* self, ccm_ctx ctx) noexcept {
  if (const auto component = static_cast<CtxService*>(self)->component()) {
    component->cancel_context(ctx);
  }
}

int64_t CtxService::remaining_ms(void* self, ccm_ctx ctx) noexcept {
  const auto known = context(self, ctx);
  if (!known) return 0;
  const auto left = known->remaining();
  return left ? left->count() : kNoDeadline;
}

ccm_bool CtxService::ended(void* self, ccm_ctx ctx) noexcept {
  const auto known = context(self, ctx);
  return !known || known->ended() ? 1 : 0;
}

int32_t CtxService::end_code(void* self, ccm_ctx ctx) noexcept {
  const auto known = context(self, ctx);
  return known ? static_cast<int32_t>(known->status().code()) : CCM_CODE_CANCELLED;
}

uint64_t CtxService::on_end(void* self, ccm_ctx ctx, ccm_callback callback) noexcept {
  const auto component = static_cast<CtxService*>(self)->component();
  if (!component) return drop_callback(callback), 0;
  const uint64_t number = component->callbacks().add(callback);
  if (number == 0) return 0;
  auto call = [weak = std::weak_ptr(component), number] {
    if (const auto alive = weak.lock()) alive->run_callback_once(number, "ctx.on_end");
  };
  if (const auto known = component->find_context(ctx)) {
    const uint64_t registration = known->on_end(std::move(call));
    component->callbacks().on_removal(number, [weak = std::weak_ptr(known), registration] {
      if (const auto alive = weak.lock()) alive->remove(registration);
    });
  } else {
    component->runtime().loop.post(std::move(call));
  }
  return number;
}

void CtxService::remove_on_end(void* self, ccm_ctx, uint64_t registration) noexcept {
  remove_callback(self, registration);
}

const ccm_host_ctx CtxService::kTable{
    sizeof(kTable), 0,      &background, &with_timeout, &cancel,
    &remaining_ms,  &ended, &end_code,   &on_end,       &remove_on_end};

int64_t TimerService::now_ms(void* self) noexcept {
  const auto component = static_cast<TimerService*>(self)->component();
  if (!component) return 0;
  const auto now = component->runtime().timers.now().time_since_epoch();
  return std::chrono::duration_cast<milliseconds>(now).count();
}

int64_t TimerService::wall_clock_ms(void*) noexcept {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<milliseconds>(now).count();
}

// The timer's number is the callback's.
uint64_t TimerService::after(void* self, int64_t delay_ms, ccm_callback callback) noexcept {
  const auto component = static_cast<TimerService*>(self)->component();
  if (!component) return drop_callback(callback), 0;
  const uint64_t number = component->callbacks().add(callback);
  if (number == 0) return 0;
  runtime::Timers& timers = component->runtime().timers;
  const auto timer = timers.after(bounded(delay_ms), [weak = std::weak_ptr(component), number] {
    if (const auto alive = weak.lock()) alive->run_callback_once(number, "timer");
  });
  component->callbacks().on_removal(number, [&timers, timer] { timers.cancel(timer); });
  return number;
}

const ccm_host_timer TimerService::kTable{sizeof(kTable), 0,      &now_ms,
                                          &wall_clock_ms, &after, &remove_callback};

void PostService::post(void* self, ccm_callback callback) noexcept {
  const auto component = static_cast<PostService*>(self)->component();
  if (!component) return drop_callback(callback);
  const uint64_t number = component->callbacks().add(callback);
  if (number == 0) return;
  component->runtime().loop.post([weak = std::weak_ptr(component), number] {
    if (const auto alive = weak.lock()) alive->run_callback_once(number, "post");
  });
}

const ccm_host_post PostService::kTable{sizeof(kTable), 0, &post};

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
    Work& operator=(Work&&) = delete;
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
