// One component of a loaded plugin while it lives: created, asked for interfaces, called,
// destroyed. Every call into a plugin goes through here, so that each has a deadline, runs on the
// right thread, is measured and cannot throw into the host. Loop thread, except where said.
#pragma once

#include "plugin/context.hpp"
#include "plugin/dispatch.hpp"
#include "plugin/origin.hpp"
#include "plugin/waiting.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/watchdog.hpp"
#include "runtime/worker_pool.hpp"

#include <ccm/abi/base.h>
#include <ccm/abi/plugin.h>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ccm::plugin {

// Drops a callback inside the call that offered it.
void drop_callback(const ccm_callback& callback) noexcept;

// The callbacks that a component handed over. Each is dropped exactly once, whatever becomes of it
// (ccm/abi/base.h, R-13). Any thread, except where said.
class Callbacks {
 public:
  // Calls a function of the component in [serial]: LiveComponent::call_serial.
  using Serial = std::function<void(std::string_view name, const std::function<void()>& fn)>;

  Callbacks& operator=(Callbacks&&) = delete;

  // Takes it over. Returns its number; 0 = dropped: it has no function, or the component ends.
  uint64_t add(const ccm_callback& callback);
  // Called when the callback is removed before it ran; to be set once.
  void on_removal(uint64_t number, std::function<void()> fn);

  // Calls it and drops it; nothing when it is gone. [serial]
  void run_once(uint64_t number, std::string_view name, const Serial& serial);
  // Calls it; it stays. [serial]
  void run(uint64_t number, std::string_view name, const Serial& serial);

  // After it returned in [serial] the callback is not called any more. False when it is gone.
  bool remove(uint64_t number);

  // Drops all, and refuses what comes later. [serial]
  void close();

 private:
  struct Kept {
    explicit Kept(const ccm_callback& given) : callback(given) {}
    ~Kept() { drop_callback(callback); }
    Kept& operator=(Kept&&) = delete;
    const ccm_callback callback;
  };
  struct Entry {
    std::shared_ptr<Kept> kept;
    std::function<void()> removed{};
  };
  Entry take(uint64_t number);  // without a callback when it is gone

  std::mutex mutex_;
  std::unordered_map<uint64_t, Entry> entries_;
  uint64_t last_ = 0;
  bool closed_ = false;
};

// The identity of a component, from its manifest.
struct ComponentIdentity {
  std::string plugin_id;    // also its field manager
  std::string name;         // "cloud-node-controller", "digitalocean"
  std::string client_name;  // suffix of its user agent (HOST-82)
  bool nonblocking = false;
  std::size_t max_parallel = 1;
  std::vector<std::string> provider_id_prefixes;  // providers: "digitalocean://"
  std::vector<std::string> interfaces;            // that the manifest lists
};

// Logs the current exception, which the component threw. Any thread.
void report_exception(const ComponentIdentity& identity, std::string_view function);

// Runs code of the component, whose exceptions must not cross the host. False when it threw, which
// is logged as of `function`, or returned false. Any thread.
template <typename Code>
bool guarded(const ComponentIdentity& identity, std::string_view function, const Code& code) {
  try {
    if constexpr (std::is_void_v<decltype(code())>) {
      code();
      return true;
    } else {
      return code();
    }
  } catch (...) {
    report_exception(identity, function);
    return false;
  }
}

// Shared by all components. The references outlive every component.
struct ComponentRuntime {
  runtime::EventLoop& loop;
  runtime::Timers& timers;
  runtime::WorkerPool& workers;
  runtime::Watchdog& watchdog;
  CompletionTable& completions;
  // After each operation, on the loop; may be empty. For metrics, and for what the operation shows
  // of the cloud: `answer` is the cloud's last one to it.
  std::function<void(const ComponentIdentity&, std::string_view operation, const Status&,
                     std::chrono::nanoseconds, const std::optional<CloudAnswer>& answer)>
      on_operation;
  // Shared with what the loop still holds when its components are gone.
  std::shared_ptr<ContextTable> contexts = std::make_shared<ContextTable>();
  // The secrets of all plugins; shared with operations that end when their components are gone.
  std::shared_ptr<KnownSecrets> secrets = std::make_shared<KnownSecrets>();
  // The components of a plugin share its lane.
  std::map<std::string, std::weak_ptr<runtime::WorkerPool::Lane>, std::less<>> lanes{};
  // In a dry run: gets what a blocking provider would do through connections that pass no gate.
  WithheldWrites* withheld = nullptr;
};

// The thread tags of ccm/abi/base.h by which the host refuses calls.
enum class ThreadTag { create, worker };

class LiveComponent : public std::enable_shared_from_this<LiveComponent> {
 public:
  // `destroying`: its own destroy runs. `leaked`: it never will.
  enum class State { created, live, closing, destroying, destroyed, leaked };

  LiveComponent(ComponentRuntime& runtime, ComponentIdentity identity);
  LiveComponent& operator=(LiveComponent&&) = delete;

  [[nodiscard]] const ComponentIdentity& identity() const { return identity_; }
  [[nodiscard]] ComponentRuntime& runtime() { return runtime_; }
  [[nodiscard]] State state() const { return state_; }  // any thread
  // The ctx that ends with the component. Any thread.
  [[nodiscard]] const std::shared_ptr<Context>& background() const { return background_; }

  // The context of that number, {0}: background(). Null when it is not known (any more). Any
  // thread.
  [[nodiscard]] std::shared_ptr<Context> find_context(ccm_ctx ctx) const {
    return ctx.id == 0 ? background_ : runtime_.contexts->find(plugin_number_, ctx);
  }
  // Makes one that the component knows until cancel_context(), or its parent's end. {0} when the
  // parent is not known. Any thread.
  ccm_ctx make_context(ccm_ctx parent, std::optional<std::chrono::milliseconds> timeout);
  void cancel_context(ccm_ctx ctx) { runtime_.contexts->cancel(plugin_number_, ctx); }
  [[nodiscard]] ccm_ctx background_ctx() const { return background_known_.get(); }

  // Callbacks that it handed over; dropped before it is destroyed. Any thread.
  [[nodiscard]] Callbacks& callbacks() { return callbacks_; }
  void run_callback_once(uint64_t callback, std::string_view name);  // [serial]
  void run_callback(uint64_t callback, std::string_view name);       // [serial]

  // Calls the plugin's create. `shared` is what its open gave. `host` must stay valid until
  // destroy() reported. `done`: posted. Failures are the plugin's own, internal when it threw,
  // deadline_exceeded after 10 s.
  void create(const ccm_plugin& plugin, void* shared, const ccm_host* host,
              std::function<void(Status)> done);
  // Begins the plugin as a whole: its open instead of create, and its close in destroy().
  void open(const ccm_plugin& plugin, const ccm_host* host, std::function<void(Status)> done);
  // The result of open.
  [[nodiscard]] void* shared() const { return component_.self; }

  // From now on only that operation may be called.
  void allow_only(std::string_view operation) { only_ = operation; }

  // The interface of that id; nullopt when the component has none.
  std::optional<ccm_interface> get_interface(const char* id);

  // Starts one operation of this component. `operation` is a literal for logs and metrics. `parent`
  // null = background(). `done` is posted and gets: the copied result, the component's failure,
  // cancelled or deadline_exceeded when the ctx ended first, failed_precondition when the component
  // is not live, internal when it threw. `lent` is kept until the component completes the
  // operation, even when nobody waits for it any more. `on_loop`: whatever the manifest says;
  // `makes`: create or open, which no state forbids.
  template <typename T>
  void call(std::string_view operation, const std::shared_ptr<Context>& parent,
            std::chrono::milliseconds timeout, Context::Fields fields, Invoke invoke, Copy<T> copy,
            std::function<void(Result<T>)> done, std::shared_ptr<void> lent = nullptr,
            bool on_loop = false, bool makes = false) {
    const auto started = std::make_shared<Call>();
    started->operation = operation;
    started->context = (parent ? parent : background_)->child(timeout, std::move(fields));
    started->begin = runtime_.timers.now();
    started->on_loop = on_loop || identity_.nonblocking;
    started->makes = makes;
    auto ended = [self = shared_from_this(), started, done = std::move(done)](Result<T> result) {
      self->end_call(*started, result.status());
      done(std::move(result));
    };
    start_operation(
        started,
        std::make_unique<TypedOperation<T>>(std::move(copy), runtime_.secrets, std::move(ended)),
        std::move(invoke), std::move(lent));
  }
  // Awaits it. A caller that is destroyed before leaves the operation to the component.
  template <typename T>
  Task<Result<T>> call(std::string_view operation, std::shared_ptr<Context> parent,
                       std::chrono::milliseconds timeout, Context::Fields fields, Invoke invoke,
                       Copy<T> copy, std::shared_ptr<void> lent = nullptr) {
    using Answer = CallbackAwaiter<Result<T>>;
    const typename Answer::Start start = [&](std::function<void(Result<T>)> done) {
      call<T>(operation, parent, timeout, std::move(fields), std::move(invoke), std::move(copy),
              std::move(done), std::move(lent));
    };
    Answer answer(start);
    co_return co_await answer;
  }

  // Calls a [create] function, which runs on the loop whatever the manifest says.
  template <typename T>
  Task<Result<T>> call_on_loop(std::string_view operation, std::chrono::milliseconds timeout,
                               Invoke invoke, Copy<T> copy) {
    using Answer = CallbackAwaiter<Result<T>>;
    const typename Answer::Start start = [&](std::function<void(Result<T>)> done) {
      call<T>(operation, nullptr, timeout, {}, std::move(invoke), std::move(copy), std::move(done),
              nullptr, true);
    };
    Answer answer(start);
    co_return co_await answer;
  }

  // Marks "in setup": [create] functions are allowed until the returned object is gone.
  [[nodiscard]] std::shared_ptr<void> allow_create();

  // Runs `fn`, a plain function of the component, in [serial]: measured, exceptions caught. False
  // when it threw, or when the component is gone, and then `fn` was not called.
  bool call_serial(std::string_view operation, const std::function<void()>& fn);

  // Whether the calling thread may use a function with that tag; violations are logged once for
  // each function and counted. Any thread.
  bool check_thread(ThreadTag tag, std::string_view function);
  [[nodiscard]] uint64_t wrong_thread_calls() const { return wrong_thread_; }  // any thread

  // An operation that the host runs for this component began or ended; destroy() waits for them.
  // False: it is being destroyed or gone, so none may begin. Any thread.
  [[nodiscard]] bool host_operation_began();
  void host_operation_ended();

  // An operation that runs on a worker and may write through the plugin's own connections, which
  // pass no gate; nullopt when there is none. Any thread.
  [[nodiscard]] std::optional<std::string> unseen_write() const;
  // One begins; it ends when the returned object is destroyed. Any thread.
  [[nodiscard]] std::shared_ptr<void> begin_unseen_write(std::string_view operation);

  // Work of the component that runs on a worker outside of an operation. Loop thread.
  [[nodiscard]] const std::shared_ptr<OperationCounter>& operations() { return operations_; }
  [[nodiscard]] runtime::WorkerPool::Lane& lane() { return *lane_; }

  // Ends background(), waits up to `grace` until nothing is in flight, then frees the component. A
  // component with running code is never freed: it is leaked on purpose and logged. `done` is
  // posted; failed_precondition when it was leaked.
  void destroy(std::chrono::milliseconds grace, std::function<void(Status)> done);

 private:
  // Values that a call keeps until the plugin is done with it.
  struct Held {
    KnownContext known;
    std::shared_ptr<void> epoch;
    std::shared_ptr<void> lent;
    std::shared_ptr<void> writing;    // see begin_unseen_write()
    std::shared_ptr<void> abandoned;  // see abandon()
  };
  // One running call, shared by its completion and its end.
  struct Call {
    std::string_view operation;
    std::shared_ptr<Context> context;
    runtime::TimePoint begin;
    uint64_t registration = 0;
    uint64_t number = 0;
    uint64_t task = 0;         // the lane's number, for one that runs on a worker
    std::weak_ptr<Held> held;  // gone when the plugin is done
    bool missed_deadline = false;
    bool on_loop = false;
    bool makes = false;
  };
  // Operations of one name that were abandoned and that the plugin has yet to complete.
  struct Abandoned {
    std::size_t count = 0;
    runtime::TimePoint last{};
  };

  void start_operation(const std::shared_ptr<Call>& call,
                       std::unique_ptr<PendingOperation> operation, Invoke invoke,
                       std::shared_ptr<void> lent);
  template <typename Made>
  void make(std::string_view operation, Copy<Made> copy, std::function<void(const Made&)> keep,
            Invoke invoke, std::function<void(Status)> done);
  void run(std::string_view operation, ccm_ctx ctx, ccm_completion done, const Invoke& invoke);
  void run_on_worker(const std::shared_ptr<Call>& call, std::shared_ptr<Held> held,
                     ccm_completion done, Invoke invoke);
  void give_up(Call& call);
  void abandon(const Call& call);
  [[nodiscard]] Status refusal(const Call& call) const;
  [[nodiscard]] bool withheld(const Call& call) const;
  void end_call(Call& call, const Status& status);
  [[nodiscard]] bool callable() const;
  void try_finish(bool grace_over);

  ComponentRuntime& runtime_;
  const ComponentIdentity identity_;
  runtime::WatchedComponent& watched_;
  const uint32_t plugin_number_;  // in the table of contexts
  std::shared_ptr<Context> background_;
  KnownContext background_known_;
  Callbacks callbacks_;
  std::string only_;  // see allow_only()
  std::shared_ptr<runtime::WorkerPool::Lane> lane_;
  std::shared_ptr<OperationCounter> operations_ = std::make_shared<OperationCounter>();
  ccm_component component_{};  // without functions where there are none
  std::atomic<State> state_{State::created};
  std::atomic<int> create_allowed_{0};
  std::atomic<std::size_t> host_operations_{0};
  std::atomic<uint64_t> wrong_thread_{0};
  std::mutex reported_mutex_;
  std::set<std::string, std::less<>> reported_;            // functions called from a wrong thread
  mutable std::mutex open_mutex_;                          // for the members below
  std::multiset<std::string, std::less<>> unseen_writes_;  // operations
  std::map<std::string, Abandoned, std::less<>> abandoned_;
  std::size_t abandoned_count_ = 0;
  runtime::Timers::Id grace_timer_ = 0;
  std::function<void(Status)> destroyed_;
};

}  // namespace ccm::plugin
