#include "ccm/testing/fake_component.hpp"

#include <nlohmann/json.hpp>

namespace ccm::testing {
namespace {

using ProviderTable = Service<ccm_provider>;

struct Initialize {
  using Output = Status;
  ProviderTable provider;
  Ctx ctx;
  Status start(ccm_completion done) const {
    const auto fn = provider.get(&ccm_provider::initialize);
    if (fn == nullptr) return Status(Code::unimplemented, "the component has no initialize");
    fn(provider.self(), ctx.get(), done);
    return {};
  }
  Status decode(Status status, const void*) const { return status; }
};

struct Health {
  using Output = Status;
  ProviderTable provider;
  Ctx ctx;
  Status start(ccm_completion done) const {
    const auto fn = provider.get(&ccm_provider::health);
    if (fn == nullptr) return Status(Code::unimplemented, "the component has no health");
    fn(provider.self(), ctx.get(), done);
    return {};
  }
  Status decode(Status status, const void*) const { return status; }
};

}  // namespace

FakeComponent::FakeComponent(FakeHost& host, const ccm_plugin* plugin, const std::string& component)
    : host_(host), created_(Code::internal, "create() did not complete") {
  const auto manifest = nlohmann::json::parse(view(plugin->manifest));
  nonblocking_ = manifest.value("nonblocking", false);
  auto made = std::make_unique<Waiting>(host, "create",
                                        [this](const ccm_status* status, const void* result) {
                                          created_ = Status::from_c(status);
                                          if (result != nullptr)
                                            component_ = *static_cast<const ccm_component*>(result);
                                        });
  const ccm_completion done{&FakeComponent::completed, made.get(), 1};
  waiting_.push_back(std::move(made));
  plugin->create(host.abi(), c_str(component), done);
  host_.loop.run();
}

FakeComponent::~FakeComponent() { destroy(); }

void FakeComponent::destroy() {
  if (component_.destroy == nullptr) return;
  host_.loop.drop();  // as the real host drops completions, timers and posts in flight
  component_.destroy(component_.self);
  component_ = {};
  created_ = Status(Code::failed_precondition, "the component was destroyed");
}

void FakeComponent::completed(void* owner, uint64_t operation, const ccm_status* status,
                              const void* result) {
  auto& waiting = *static_cast<Waiting*>(owner);
  if (waiting.completions++ > 0) {
    waiting.host.fault(waiting.name + " completed more than once");
    return;
  }
  if (operation != 1) waiting.host.fault(waiting.name + " completed with a wrong number");
  if (status == nullptr || status->size < sizeof(ccm_status)) {
    waiting.host.fault(waiting.name + " completed without a status");
    const ccm_status broken = Status(Code::internal, "no status").to_c();
    return waiting.deliver(&broken, nullptr);
  }
  waiting.deliver(status, result);
}

void FakeComponent::dispatch(const std::string& name, std::function<void(ccm_completion)> begin,
                             Deliver deliver) {
  auto waiting = std::make_unique<Waiting>(host_, name, std::move(deliver));
  const ccm_completion done{&FakeComponent::completed, waiting.get(), 1};
  waiting_.push_back(std::move(waiting));
  if (nonblocking_) return begin(done);
  host_.loop.work([begin = std::move(begin), done] { begin(done); });
}

Pending<Status> FakeComponent::start_initialize(const Ctx& ctx) {
  return start("initialize", Initialize{interface<ccm_provider>(CCM_PROVIDER), ctx});
}

Pending<Status> FakeComponent::start_health(const Ctx& ctx) {
  return start("health", Health{interface<ccm_provider>(CCM_PROVIDER), ctx});
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

}  // namespace ccm::testing
