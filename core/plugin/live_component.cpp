#include "plugin/live_component.hpp"

#include "base/log.hpp"
#include "plugin/operations.hpp"

#include <ccm/sized.hpp>

#include <exception>

namespace ccm::plugin {

using std::chrono::milliseconds;

void drop_callback(const ccm_callback& callback) noexcept {
  if (callback.drop == nullptr) return;
  try {
    callback.drop(callback.owner);
  } catch (...) {
    log::error("Plugin let an exception escape", {{"operation", "drop"}});
  }
}

uint64_t Callbacks::add(const ccm_callback& callback) {
  if (callback.fn != nullptr) {
    const std::lock_guard lock(mutex_);
    if (!closed_) {
      entries_.emplace(++last_, Entry{std::make_shared<Kept>(callback)});
      return last_;
    }
  }
  drop_callback(callback);
  return 0;
}

void Callbacks::on_removal(uint64_t number, std::function<void()> fn) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(number);
  if (found != entries_.end()) found->second.removed = std::move(fn);
}

// An entry that leaves the map is destroyed, and so dropped, without the lock.
Callbacks::Entry Callbacks::take(uint64_t number) {
  const std::lock_guard lock(mutex_);
  auto taken = entries_.extract(number);
  return taken.empty() ? Entry{} : std::move(taken.mapped());
}

void Callbacks::run_once(uint64_t number, std::string_view name, const Serial& serial) {
  const Entry entry = take(number);
  if (entry.kept) serial(name, [&] { entry.kept->callback.fn(entry.kept->callback.owner); });
}

void Callbacks::run(uint64_t number, std::string_view name, const Serial& serial) {
  std::shared_ptr<Kept> kept;
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(number);
    if (found == entries_.end()) return;
    kept = found->second.kept;
  }
  serial(name, [&] { kept->callback.fn(kept->callback.owner); });
}

bool Callbacks::remove(uint64_t number) {
  const Entry entry = take(number);
  if (entry.removed) entry.removed();
  return entry.kept != nullptr;
}

void Callbacks::close() {
  std::unordered_map<uint64_t, Entry> all;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    all.swap(entries_);
  }
  for (const auto& [number, entry] : all) {
    if (entry.removed) entry.removed();
  }
}

// How a component, or the plugin as a whole, begins.

namespace {

constexpr milliseconds kCreateTimeout{10'000};

Result<ccm_component> copy_component(const void* result) {
  const auto* made = static_cast<const ccm_component*>(result);
  if (made == nullptr || function_of(made, &ccm_component::destroy) == nullptr ||
      made->get_interface == nullptr) {
    return Status(Code::internal, "the plugin's create returned no usable component");
  }
  return known(made);
}

Result<ccm_opened> copy_opened(const void* result) {
  const auto* opened = static_cast<const ccm_opened*>(result);
  if (opened == nullptr || !CCM_HAS(opened, self)) {
    return Status(Code::internal, "the plugin's open gave no result");
  }
  return known(opened);
}

}  // namespace

template <typename Made>
void LiveComponent::make(std::string_view operation, Copy<Made> copy,
                         std::function<void(const Made&)> keep, Invoke invoke,
                         std::function<void(Status)> done) {
  auto created = [self = shared_from_this(), keep = std::move(keep),
                  done = std::move(done)](Result<Made> made) {
    if (made) {
      keep(*made);
      self->state_ = State::live;
    }
    done(made.status());
  };
  call<Made>(operation, nullptr, kCreateTimeout, {}, std::move(invoke), std::move(copy),
             std::move(created), allow_create(), true, true);
}

void LiveComponent::create(const ccm_plugin& plugin, void* shared, const ccm_host* host,
                           std::function<void(Status)> done) {
  const auto function = function_of(&plugin, &ccm_plugin::create);
  if (function == nullptr) {
    runtime_.loop.post([done = std::move(done)] {
      done(Status(Code::unimplemented, "the plugin has no create function"));
    });
    return;
  }
  auto keep = [this](const ccm_component& made) { component_ = made; };
  auto invoke = [this, function, shared, host](ccm_ctx ctx, ccm_completion once) {
    auto request = sized<ccm_create_request>();
    request.host = host;
    request.component = c_str(identity_.name);
    function(shared, ctx, &request, once);
  };
  make<ccm_component>("create", copy_component, keep, invoke, std::move(done));
}

void LiveComponent::open(const ccm_plugin& plugin, const ccm_host* host,
                         std::function<void(Status)> done) {
  const auto function = function_of(&plugin, &ccm_plugin::open);
  auto keep = [this, &plugin](const ccm_opened& made) {
    component_.self = made.self;
    component_.destroy = function_of(&plugin, &ccm_plugin::close);
  };
  if (function == nullptr) {
    keep({});
    state_ = State::live;
    runtime_.loop.post([done = std::move(done)] { done(Status()); });
    return;
  }
  auto invoke = [function, host](ccm_ctx ctx, ccm_completion once) {
    auto request = sized<ccm_open_request>();
    request.host = host;
    function(nullptr, ctx, &request, once);
  };
  make<ccm_opened>("open", copy_opened, keep, invoke, std::move(done));
}

namespace {

constexpr std::size_t kMostAbandoned = 256;
constexpr milliseconds kAbandonedGrace{300'000};  // as a lock's: docs/decisions/0010

std::shared_ptr<runtime::WorkerPool::Lane> lane_of(ComponentRuntime& runtime,
                                                   const ComponentIdentity& identity) {
  auto& entry = runtime.lanes[identity.plugin_id];
  auto lane = entry.lock();
  if (!lane) entry = lane = runtime.workers.lane(identity.max_parallel);
  return lane;
}

}  // namespace

LiveComponent::LiveComponent(ComponentRuntime& runtime, ComponentIdentity identity)
    : runtime_(runtime),
      identity_(std::move(identity)),
      watched_(runtime.watchdog.component(identity_.name, identity_.plugin_id)),
      plugin_number_(runtime.contexts->number_of(identity_.plugin_id)),
      background_(Context::root(runtime.loop, runtime.timers, {{"component", identity_.name}})),
      background_known_(runtime.contexts, plugin_number_, background_),
      lane_(lane_of(runtime, identity_)) {}

ccm_ctx LiveComponent::make_context(ccm_ctx parent, std::optional<milliseconds> timeout) {
  if (parent.id == 0) parent = background_known_.get();
  const auto above = find_context(parent);
  if (!above) return {0};
  return runtime_.contexts->add_child(plugin_number_, above->child(timeout), parent);
}

void LiveComponent::run_callback_once(uint64_t callback, std::string_view name) {
  callbacks_.run_once(callback, name,
                      [this](std::string_view what, const auto& fn) { call_serial(what, fn); });
}

void LiveComponent::run_callback(uint64_t callback, std::string_view name) {
  callbacks_.run(callback, name,
                 [this](std::string_view what, const auto& fn) { call_serial(what, fn); });
}

std::optional<std::string> LiveComponent::unseen_write() const {
  const std::lock_guard lock(open_mutex_);
  if (unseen_writes_.empty()) return std::nullopt;
  return *unseen_writes_.begin();
}

std::shared_ptr<void> LiveComponent::begin_unseen_write(std::string_view operation) {
  const std::lock_guard lock(open_mutex_);
  const auto place = unseen_writes_.emplace(operation);
  return {nullptr, [self = shared_from_this(), place](void*) {
            const std::lock_guard lock_again(self->open_mutex_);
            self->unseen_writes_.erase(place);
          }};
}

bool LiveComponent::callable() const {
  const State state = state_;
  return state == State::live || state == State::closing;
}

std::optional<ccm_interface> LiveComponent::get_interface(const char* id) {
  if (state_ != State::live || component_.get_interface == nullptr) return std::nullopt;
  ccm_interface found{};
  bool has = false;
  call_serial("get_interface",
              [&] { has = component_.get_interface(component_.self, id, &found) != 0; });
  if (!has || found.table == nullptr) return std::nullopt;
  return found;
}

void LiveComponent::start_operation(const std::shared_ptr<Call>& call,
                                    std::unique_ptr<PendingOperation> operation, Invoke invoke,
                                    std::shared_ptr<void> lent) {
  auto held = std::shared_ptr<Held>(new Held{{runtime_.contexts, plugin_number_, call->context},
                                             operations_->epoch(),
                                             std::move(lent),
                                             {},
                                             {}});
  const ccm_completion done = runtime_.completions.begin(std::move(operation), held, operations_);
  call->number = done.operation;
  call->held = held;
  if (Status refused = refusal(*call); !refused.ok()) {
    return runtime_.completions.fail(done.operation, std::move(refused));
  }
  call->registration =
      call->context->on_end([self = shared_from_this(), call] { self->give_up(*call); });
  if (call->on_loop) {
    const runtime::Watchdog::Scope scope(runtime_.watchdog, watched_, call->operation);
    return run(call->operation, held->known.get(), done, invoke);
  }
  if (withheld(*call)) {
    return runtime_.completions.fail(done.operation, WithheldWrites::refusal(call->operation));
  }
  run_on_worker(call, held, done, std::move(invoke));
}

void LiveComponent::run(std::string_view operation, ccm_ctx ctx, ccm_completion done,
                        const Invoke& invoke) {
  if (guarded(identity_, operation, [&] { invoke(ctx, done); })) return;
  runtime_.completions.fail(done.operation,
                            Status(Code::internal, "the plugin let an exception escape"));
}

void LiveComponent::run_on_worker(const std::shared_ptr<Call>& call, std::shared_ptr<Held> held,
                                  ccm_completion done, Invoke invoke) {
  // The plugin's function may go on after it has completed the operation: the component is not
  // freed before it has returned. What was lent ends on the loop, as locks do.
  operations_->began();
  Held& kept = *held;
  auto ended = [counter = operations_, held = std::move(held)]() mutable {
    held.reset();
    counter->ended();
  };
  std::shared_ptr<void> returned(nullptr, [&loop = runtime_.loop, ended = std::move(ended)](
                                              void*) mutable { loop.post(std::move(ended)); });
  auto task = [self = shared_from_this(), call, &kept, done, invoke = std::move(invoke),
               returned = std::move(returned)] {
    // Its time was over before a thread was free.
    if (call->context->ended()) {
      return self->runtime_.completions.fail(done.operation, call->context->status());
    }
    std::shared_ptr<void> writing;  // until it has returned, and until it has completed
    if (!operation_of(call->operation).reads) writing = self->begin_unseen_write(call->operation);
    kept.writing = writing;
    self->run(call->operation, kept.known.get(), done, invoke);
  };
  const auto submitted = lane_->submit(std::move(task));
  if (!submitted.ok()) return runtime_.completions.fail(done.operation, submitted.status());
  call->task = *submitted;
}

// In a dry run, a blocking provider's requests that pass no gate stay here as a whole.
bool LiveComponent::withheld(const Call& call) const {
  const Operation operation = operation_of(call.operation);
  const bool changes_cloud = operation.asks_cloud && !operation.reads;
  if (runtime_.withheld == nullptr || !changes_cloud) return false;
  const auto& origin = call.context->origin();
  if (origin) origin->note_withheld();
  runtime_.withheld->withhold({identity_.name, origin, {}, call.operation, {}});
  return true;
}

// A component that completes nothing must not fill the memory; and listings and the like answer for
// all, so a second one is of no use while the first one is running.
Status LiveComponent::refusal(const Call& call) const {
  if (call.makes) return {};
  const std::string_view operation = call.operation;
  const std::string who = "component " + identity_.name;
  if (!callable() || (!only_.empty() && operation != only_)) {
    return Status(Code::failed_precondition, who + " does not run");
  }
  const std::lock_guard lock(open_mutex_);
  std::string what;
  if (abandoned_count_ >= kMostAbandoned) {
    what = std::to_string(abandoned_count_) + " operations";
  } else if (operation_of(operation).shared) {
    const auto earlier = abandoned_.find(operation);
    const bool open = earlier != abandoned_.end() && earlier->second.count > 0;
    if (open && runtime_.timers.now() - earlier->second.last < kAbandonedGrace) {
      what = "an earlier " + std::string(operation);
    }
  }
  if (what.empty()) return {};
  return Status(Code::unavailable, ErrorClass::unavailable, who + " has not completed " + what)
      .with_reason(CCM_REASON_OPERATION_NOT_COMPLETED);
}

// Counts an abandoned operation until the plugin is done with it.
void LiveComponent::abandon(const Call& call) {
  const auto held = call.held.lock();
  if (!held) return;
  std::string operation(call.operation);
  const std::lock_guard lock(open_mutex_);
  Abandoned& entry = abandoned_[operation];
  ++entry.count;
  entry.last = runtime_.timers.now();
  ++abandoned_count_;
  held->abandoned = {nullptr, [weak = weak_from_this(), operation](void*) {
                       const auto self = weak.lock();
                       if (!self) return;
                       const std::lock_guard lock_again(self->open_mutex_);
                       --self->abandoned_[operation].count;
                       --self->abandoned_count_;
                     }};
}

void LiveComponent::give_up(Call& call) {
  const Status why = call.context->status();
  if (!runtime_.completions.give_up(call.number, why)) return;
  if (call.task != 0 && lane_->withdraw(call.task)) {
    runtime_.completions.fail(call.number, why);  // nothing of it ran, and nothing will
  } else {
    abandon(call);
  }
  call.missed_deadline = why.code() == Code::deadline_exceeded;
  if (!call.missed_deadline) return;
  log::warning("Plugin did not complete an operation in time",
               {{"plugin", identity_.plugin_id},
                {"component", identity_.name},
                {"operation", call.operation},
                {"after", runtime_.timers.now() - call.begin}});
}

void LiveComponent::end_call(Call& call, const Status& status) {
  if (call.registration != 0) call.context->remove(call.registration);
  call.context->cancel();  // calls made for this operation end with it
  runtime_.watchdog.operation_ended(watched_, !call.missed_deadline);
  if (!runtime_.on_operation) return;
  const auto& origin = call.context->origin();
  const bool answered = origin && origin->answer() && origin->answer()->at >= call.begin;
  runtime_.on_operation(identity_, call.operation, status, runtime_.timers.now() - call.begin,
                        answered ? origin->answer() : std::nullopt);
}

std::shared_ptr<void> LiveComponent::allow_create() {
  ++create_allowed_;
  return {nullptr, [self = shared_from_this()](void*) { --self->create_allowed_; }};
}

bool LiveComponent::call_serial(std::string_view operation, const std::function<void()>& fn) {
  if (state_ == State::destroyed) return false;
  const runtime::Watchdog::Scope scope(runtime_.watchdog, watched_, operation);
  return guarded(identity_, operation, fn);
}

void report_exception(const ComponentIdentity& identity, std::string_view function) {
  std::string what = "an unknown exception";
  try {
    throw;
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {  // NOLINT(bugprone-empty-catch): nothing more is known of it
  }
  log::error("Plugin threw an exception", {{"plugin", identity.plugin_id},
                                           {"component", identity.name},
                                           {"operation", function},
                                           {"err", what}});
}

bool LiveComponent::check_thread(ThreadTag tag, std::string_view function) {
  const bool on_loop = runtime_.loop.on_loop();
  if (tag == ThreadTag::worker ? !on_loop : on_loop && create_allowed_ > 0) return true;
  ++wrong_thread_;
  {
    const std::lock_guard lock(reported_mutex_);
    if (!reported_.emplace(function).second) return false;
  }
  const char* where = tag == ThreadTag::create ? "open, create or setup" : "a worker";
  log::error("Plugin called a host function from a wrong place", {{"plugin", identity_.plugin_id},
                                                                  {"component", identity_.name},
                                                                  {"function", function},
                                                                  {"allowed", where}});
  return false;
}

bool LiveComponent::host_operation_began() {
  ++host_operations_;
  const State state = state_;
  if (state != State::destroying && state != State::destroyed) return true;
  --host_operations_;
  return false;
}

void LiveComponent::host_operation_ended() {
  if (--host_operations_ > 0 || state_ != State::closing) return;
  runtime_.loop.post([self = shared_from_this()] { self->try_finish(false); });
}

void LiveComponent::destroy(milliseconds grace, std::function<void(Status)> done) {
  const State before = state_;
  if (before != State::live) {
    const bool never = before == State::created;
    if (never) state_ = State::destroyed;
    runtime_.loop.post([done = std::move(done), never, name = identity_.name] {
      done(never
               ? Status()
               : Status(Code::failed_precondition, "component " + name + " was destroyed before"));
    });
    return;
  }
  state_ = State::closing;
  destroyed_ = std::move(done);
  background_->cancel();
  const std::weak_ptr<LiveComponent> weak = weak_from_this();
  operations_->on_idle([weak] {
    if (const auto self = weak.lock()) {
      self->runtime_.loop.post([self] { self->try_finish(false); });
    }
  });
  grace_timer_ = runtime_.timers.after(grace, [weak] {
    if (const auto self = weak.lock()) self->try_finish(true);
  });
  // Posted, so that functions posted by the cancel (on_cancel, completions) come first.
  runtime_.loop.post([self = shared_from_this()] { self->try_finish(false); });
}

void LiveComponent::try_finish(bool grace_over) {
  if (state_ != State::closing) return;
  const bool busy = operations_->in_flight() > 0;
  if (!grace_over && (busy || host_operations_ > 0)) return;
  runtime_.timers.cancel(grace_timer_);
  Status status;
  if (busy) {
    state_ = State::leaked;
    const std::string count = std::to_string(operations_->in_flight());
    status = Status(Code::failed_precondition, "component " + identity_.name + " still runs " +
                                                   count + " operations, so it was not freed");
    log::error(
        "Plugin did not complete its operations; it stays in memory",
        {{"plugin", identity_.plugin_id}, {"component", identity_.name}, {"operations", count}});
  } else {
    callbacks_.close();
    state_ = State::destroying;
    if (component_.destroy != nullptr) {
      call_serial("destroy", [this] { component_.destroy(component_.self); });
    }
    state_ = State::destroyed;
  }
  std::exchange(destroyed_, nullptr)(std::move(status));
}

}  // namespace ccm::plugin
