#include "ccm/testing/fake_component.hpp"

#include <nlohmann/json.hpp>

namespace ccm::testing {
namespace {

using ProviderTable = Service<ccm_provider>;

// An operation of ccm_provider without a result.
template <typename Request>
struct ProviderCall {
  using Output = Status;
  using Function = void (*)(void*, ccm_ctx, const Request*, ccm_completion);
  ProviderTable provider;
  Function ccm_provider::*function;
  const char* name;
  Ctx ctx;
  Status start(ccm_completion done) const {
    const auto fn = provider.get(function);
    if (fn == nullptr) {
      return Status(Code::unimplemented, std::string("the component has no ") + name);
    }
    const auto request = sized<Request>();
    fn(provider.self(), ctx.get(), &request, done);
    return {};
  }
  Status decode(Status status, const void*) const { return status; }
};

// The outcome of `open` and `create`, which may complete later.
struct Made {
  Status status{Code::internal, "it did not complete"};
  std::function<void(const void*)> use;
  static void completed(void* owner, uint64_t, const ccm_status* status, const void* result) {
    auto& made = *static_cast<Made*>(owner);
    made.status = Status::from_c(status);
    if (made.status.ok() && result != nullptr) made.use(result);
  }
  ccm_completion completion() { return {&Made::completed, this, 1}; }
};

// A number in a status that the headers do not have; empty = none.
std::string unknown_number(const Status& status) {
  const auto code = static_cast<int32_t>(status.code());
  const bool known_code = (code >= CCM_CODE_OK && code <= CCM_CODE_UNAUTHENTICATED) ||
                          code == CCM_CODE_IMPLEMENTED_ELSEWHERE;
  if (!known_code) return "code " + std::to_string(code);
  const auto error_class = static_cast<int32_t>(status.error_class());
  const bool known_class = error_class >= CCM_CLASS_NONE && error_class <= CCM_CLASS_UNSUPPORTED;
  return known_class ? "" : "class " + std::to_string(error_class);
}

bool says_nonblocking(const ccm_plugin* plugin) {
  const auto manifest = nlohmann::json::parse(view(plugin->manifest));
  return manifest.value("nonblocking", false);
}

using BalancerTable = Service<ccm_cloud_loadbalancers>;

BalancerTable balancers_of(const FakeComponent& component) {
  return component.interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
}

}  // namespace

FakePlugin::FakePlugin(FakeHost& host, const ccm_plugin* plugin)
    : host_(host),
      plugin_(plugin),
      nonblocking_(says_nonblocking(plugin)),
      view_(host, nonblocking_) {
  const auto open = function_of(plugin, &ccm_plugin::open);
  if (open == nullptr) return;
  Made made;
  made.use = [this](const void* result) {
    self_ = known(static_cast<const ccm_opened*>(result)).self;
  };
  auto request = sized<ccm_open_request>();
  request.host = view_.abi();
  const Ctx ctx = host.contexts.make();
  open(nullptr, ctx.get(), &request, made.completion());
  host_.loop.run();
  opened_ = made.status;
}

void FakePlugin::close() {
  if (std::exchange(closed_, true)) return;
  view_.close();
  const auto close = function_of(plugin_, &ccm_plugin::close);
  if (close != nullptr && opened_.ok()) close(self_);
}

FakeComponent::FakeComponent(FakeHost& host, const ccm_plugin* plugin, const std::string& component,
                             FakeHostView::Interfaces own)
    : host_(host),
      own_plugin_(std::make_unique<FakePlugin>(host, plugin)),
      plugin_(own_plugin_.get()),
      view_(std::make_unique<FakeHostView>(host, plugin_->nonblocking(), std::move(own))) {
  create(component);
}

FakeComponent::FakeComponent(FakePlugin& plugin, const std::string& component,
                             FakeHostView::Interfaces own)
    : host_(plugin.host()),
      plugin_(&plugin),
      view_(std::make_unique<FakeHostView>(host_, plugin.nonblocking(), std::move(own))) {
  create(component);
}

void FakeComponent::create(const std::string& component) {
  created_ = plugin_->opened();
  if (!created_.ok()) return;
  Made made;
  made.use = [this](const void* result) {
    component_ = known(static_cast<const ccm_component*>(result));
  };
  auto request = sized<ccm_create_request>();
  request.host = view_->abi();
  request.component = c_str(component);
  const Ctx ctx = host_.contexts.make();
  plugin_->plugin()->create(plugin_->self(), ctx.get(), &request, made.completion());
  host_.loop.run();
  created_ = made.status;
  const bool usable = component_.get_interface != nullptr && component_.destroy != nullptr;
  if (created_.ok() && !usable) created_ = Status(Code::internal, "it gave no usable component");
}

FakeComponent::~FakeComponent() { free(); }

void FakeComponent::destroy() {
  if (component_.destroy == nullptr) return;
  end_operations();
  view_->end_background();
  host_.loop.run();
  free();
}

void FakeComponent::end_operations() {
  for (const auto& waiting : waiting_) waiting->ctx.cancel();
}

void FakeComponent::free() {
  view_->close();
  host_.loop.drop();  // what is left: completions of fakes that would come too late
  const ccm_component gone = std::exchange(component_, {});
  if (gone.destroy != nullptr) {
    created_ = Status(Code::failed_precondition, "the component was destroyed");
    gone.destroy(gone.self);
  }
  if (own_plugin_) own_plugin_->close();
}

void FakeComponent::completed(void* owner, uint64_t operation, const ccm_status* status,
                              const void* result) {
  auto& waiting = *static_cast<Waiting*>(owner);
  if (++waiting.completions > 1) {
    return waiting.host.fault(waiting.name + " completed more than once");
  }
  if (operation != 1) waiting.host.fault(waiting.name + " completed with a wrong number");
  const Ctx ctx = waiting.ctx;  // the test may go on, and be gone, when it was delivered
  if (status == nullptr || !CCM_HAS(status, code)) {
    waiting.host.fault(waiting.name + " completed without a status");
    const Status broken(Code::internal, "no status");
    const ccm_status raw = broken.to_c();
    waiting.deliver(&raw, nullptr);
  } else {
    const std::string unknown = unknown_number(Status::from_c(status));
    if (!unknown.empty()) {
      waiting.host.fault(waiting.name + " completed with a status of the unknown " + unknown);
    }
    waiting.deliver(status, result);
  }
  ctx.cancel();  // an operation's ctx ends with it
}

void FakeComponent::dispatch(const std::string& name, const Ctx& ctx,
                             std::function<void(ccm_completion)> begin, Deliver deliver) {
  auto waiting = std::make_unique<Waiting>(host_, name, std::move(deliver));
  waiting->ctx = ctx;
  const ccm_completion done{&FakeComponent::completed, waiting.get(), 1};
  waiting_.push_back(std::move(waiting));
  // An exception ends the operation, as it does in the host.
  auto guarded = [&host = host_, name, begin = std::move(begin), done] {
    try {
      begin(done);
    } catch (...) {
      host.fault(name + " threw an exception");
      const Status threw(Code::internal, "threw an exception");
      const ccm_status raw = threw.to_c();
      done.fn(done.owner, done.operation, &raw, nullptr);
    }
  };
  if (nonblocking()) return guarded();
  host_.loop.work(std::move(guarded));
}

Pending<Status> FakeComponent::start_initialize(const Ctx& ctx) {
  return start("initialize",
               ProviderCall<ccm_initialize_request>{interface<ccm_provider>(CCM_PROVIDER),
                                                    &ccm_provider::initialize, "initialize", ctx});
}

Pending<Status> FakeComponent::start_shutdown(const Ctx& ctx) {
  return start("shutdown",
               ProviderCall<ccm_shutdown_request>{interface<ccm_provider>(CCM_PROVIDER),
                                                  &ccm_provider::shutdown, "shutdown", ctx});
}

Pending<Result<InstanceList>> FakeComponent::start_list(const Ctx& ctx) {
  return start("list", Instances::List{interface<ccm_cloud_instances>(CCM_CLOUD_INSTANCES), ctx});
}

Pending<Result<std::vector<Instance>>> FakeComponent::start_describe(
    const Ctx& ctx, std::vector<NodeIdentity> nodes) {
  return start("describe", Instances::Describe{interface<ccm_cloud_instances>(CCM_CLOUD_INSTANCES),
                                               ctx, std::move(nodes)});
}

Pending<Result<Instance>> FakeComponent::start_get(const Ctx& ctx, NodeIdentity node) {
  return start("get", Instances::Get{interface<ccm_cloud_instances>(CCM_CLOUD_INSTANCES), ctx,
                                     std::move(node)});
}

Pending<Result<LoadBalancer>> FakeComponent::start_ensure_load_balancer(const Ctx& ctx,
                                                                        LoadBalancerService service,
                                                                        Backends backends) {
  return start("ensure",
               LoadBalancers::Apply{balancers_of(*this), &ccm_cloud_loadbalancers::ensure, "ensure",
                                    ctx, std::move(service), std::move(backends)});
}

Result<LoadBalancer> FakeComponent::observe_load_balancer(LoadBalancerService service,
                                                          Backends backends) {
  return finish(start(
      "observe", LoadBalancers::Apply{balancers_of(*this), &ccm_cloud_loadbalancers::observe,
                                      "observe", ctx(), std::move(service), std::move(backends)}));
}

Result<LoadBalancer> FakeComponent::update_load_balancer(LoadBalancerService service,
                                                         Backends backends) {
  return finish(start(
      "update_backends",
      LoadBalancers::Apply{balancers_of(*this), &ccm_cloud_loadbalancers::update_backends,
                           "update_backends", ctx(), std::move(service), std::move(backends)}));
}

Status FakeComponent::delete_load_balancer(LoadBalancerService service) {
  return finish(
      start("remove", LoadBalancers::Remove{balancers_of(*this), ctx(), std::move(service)}));
}

}  // namespace ccm::testing
