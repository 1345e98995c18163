// Drives one component of a plugin as the host does: made by create(), called through its tables,
// on the loop when its manifest says "nonblocking": true and else on a [worker] thread, destroyed
// at the end. FakePlugin is for tests of what several components share.
#pragma once

#include <ccm/abi/instances.h>
#include <ccm/abi/plugin.h>
#include <ccm/abi/provider.h>
#include <ccm/instances.hpp>
#include <ccm/load_balancers.hpp>
#include <ccm/testing/fake_host.hpp>
#include <ccm/testing/fake_host_view.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ccm::testing {

// A loaded plugin: opened, and closed after its components.
class FakePlugin {
 public:
  FakePlugin(FakeHost& host, const ccm_plugin* plugin);
  ~FakePlugin() { close(); }
  FakePlugin(const FakePlugin&) = delete;
  FakePlugin& operator=(const FakePlugin&) = delete;

  [[nodiscard]] const Status& opened() const { return opened_; }
  [[nodiscard]] bool nonblocking() const { return nonblocking_; }
  [[nodiscard]] FakeHost& host() { return host_; }
  [[nodiscard]] const ccm_plugin* plugin() const { return plugin_; }
  [[nodiscard]] void* self() const { return self_; }
  // Frees what the components share; they are destroyed by then.
  void close();

 private:
  FakeHost& host_;
  const ccm_plugin* plugin_;
  bool nonblocking_;
  FakeHostView view_;
  Status opened_;
  void* self_ = nullptr;
  bool closed_ = false;
};

// An operation that was started. Copies share it.
template <typename Output>
class Pending {
 public:
  [[nodiscard]] bool done() const { return state_->delivered; }
  [[nodiscard]] const Output& outcome() const { return *state_->output; }

 private:
  friend class FakeComponent;
  struct State {
    explicit State(FakeHost& the_host, std::string the_name)
        : host(the_host), name(std::move(the_name)) {}
    FakeHost& host;
    std::string name;
    std::mutex mutex;
    std::optional<Output> output;
    bool delivered = false;
  };
  std::shared_ptr<State> state_;
};

class FakeComponent {
 public:
  // Makes `component`; created() tells whether that worked. `own`: interfaces of the host that this
  // component alone has.
  FakeComponent(FakeHost& host, const ccm_plugin* plugin, const std::string& component,
                FakeHostView::Interfaces own = {});
  // Makes a component of a plugin that the test opened, and that outlives it.
  FakeComponent(FakePlugin& plugin, const std::string& component,
                FakeHostView::Interfaces own = {});
  ~FakeComponent();
  FakeComponent(const FakeComponent&) = delete;
  FakeComponent& operator=(const FakeComponent&) = delete;

  [[nodiscard]] const Status& created() const { return created_; }
  [[nodiscard]] bool nonblocking() const { return plugin_->nonblocking(); }
  // The component's interface; an empty one when it does not have it.
  template <typename Table>
  [[nodiscard]] Service<Table> interface(const char* id) const {
    ccm_interface found{nullptr, nullptr};
    if (!created_.ok() || component_.get_interface(component_.self, id, &found) == 0) return {};
    return Service<Table>(static_cast<const Table*>(found.table), found.self);
  }
  // Ends it as the host does: its operations are cancelled and complete, its callbacks are dropped,
  // then it is freed. Work that waits on the loop, for any component, is dropped with it.
  void destroy();
  // Callbacks of the component that were not dropped yet.
  [[nodiscard]] std::size_t live_callbacks() const { return view_->callbacks().live(); }
  [[nodiscard]] FakeCallbacks& callbacks() { return view_->callbacks(); }

  // Starts an operation with a ctx that the test keeps.
  Pending<Status> start_initialize(const Ctx& ctx);
  Pending<Status> start_shutdown(const Ctx& ctx);
  Pending<Result<InstanceList>> start_list(const Ctx& ctx);
  Pending<Result<std::vector<Instance>>> start_describe(const Ctx& ctx,
                                                        std::vector<NodeIdentity> nodes);
  Pending<Result<Instance>> start_get(const Ctx& ctx, NodeIdentity node);

  Pending<Result<LoadBalancer>> start_ensure_load_balancer(const Ctx& ctx,
                                                           LoadBalancerService service,
                                                           Backends backends);

  // Runs an operation to its end, moving the clock as far as it takes; with a deadline of 30 s.
  Status initialize() { return finish(start_initialize(ctx())); }
  Status shutdown() { return finish(start_shutdown(ctx())); }
  Result<InstanceList> list() { return finish(start_list(ctx())); }
  Result<std::vector<Instance>> describe(std::vector<NodeIdentity> nodes) {
    return finish(start_describe(ctx(), std::move(nodes)));
  }
  Result<Instance> get(NodeIdentity node) { return finish(start_get(ctx(), std::move(node))); }

  // The names are those of a provider in C++.
  Result<LoadBalancer> ensure_load_balancer(LoadBalancerService service, Backends backends) {
    return finish(start_ensure_load_balancer(ctx(), std::move(service), std::move(backends)));
  }
  Result<LoadBalancer> observe_load_balancer(LoadBalancerService service, Backends backends);
  Result<LoadBalancer> update_load_balancer(LoadBalancerService service, Backends backends);
  Status delete_load_balancer(LoadBalancerService service);

  // Any other operation: `Call` as for ccm::Operation, with a member `ctx`. The component gets a
  // child of that, which ends when the operation was completed.
  template <typename Call>
  Pending<typename Call::Output> start(std::string name, Call call);
  template <typename Output>
  Output finish(const Pending<Output>& pending) {
    if (!host_.loop.run_until([&] { return pending.done(); })) {
      return Status(Code::deadline_exceeded, "the operation never completed");
    }
    return pending.outcome();
  }
  [[nodiscard]] Ctx ctx() { return host_.contexts.make(std::chrono::milliseconds(30'000)); }
  [[nodiscard]] FakeHost& host() { return host_; }

 private:
  // The result of one completion of the component, and how often it came.
  using Deliver = std::function<void(const ccm_status*, const void*)>;
  struct Waiting {
    Waiting(FakeHost& the_host, std::string the_name, Deliver the_deliver)
        : host(the_host), name(std::move(the_name)), deliver(std::move(the_deliver)) {}
    FakeHost& host;
    std::string name;
    Deliver deliver;
    Ctx ctx;
    std::atomic<int> completions{0};
  };
  static void completed(void* owner, uint64_t operation, const ccm_status* status,
                        const void* result);
  void create(const std::string& component);
  void end_operations();
  void free();
  // `begin` is called on the loop or on a worker thread, as the manifest says.
  void dispatch(const std::string& name, const Ctx& ctx, std::function<void(ccm_completion)> begin,
                Deliver deliver);

  FakeHost& host_;
  std::unique_ptr<FakePlugin> own_plugin_;
  FakePlugin* plugin_;
  std::unique_ptr<FakeHostView> view_;
  Status created_;
  ccm_component component_{};
  std::vector<std::unique_ptr<Waiting>> waiting_;
};

template <typename Call>
Pending<typename Call::Output> FakeComponent::start(std::string name, Call call) {
  using Output = typename Call::Output;
  Pending<Output> pending;
  pending.state_ = std::make_shared<typename Pending<Output>::State>(host_, name);
  const auto state = pending.state_;
  call.ctx = call.ctx.with_cancel();
  const Ctx ctx = call.ctx;
  const auto shared = std::make_shared<Call>(std::move(call));
  const auto store = [state](Output output) {
    {
      const std::lock_guard lock(state->mutex);
      state->output.emplace(std::move(output));
    }
    state->host.loop.post([state] { state->delivered = true; });
  };
  dispatch(
      name, ctx,
      [shared, store](ccm_completion done) {
        Status refused = shared->start(done);
        if (!refused.ok()) store(std::move(refused));
      },
      [shared, store](const ccm_status* status, const void* result) {
        store(shared->decode(Status::from_c(status), result));
      });
  return pending;
}

}  // namespace ccm::testing
