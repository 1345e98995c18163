#include "cloud/broker/instance_calls.hpp"

#include "cloud/broker/abi_structs.hpp"
#include "plugin/host_services/kube_service.hpp"
#include "plugin/operations.hpp"
#include "plugin/waiting.hpp"

#include <utility>

namespace ccm::cloud {

using runtime::TimePoint;
using std::chrono::milliseconds;

namespace {

// Between two attempts while the cloud asks to be left alone.
constexpr milliseconds kLongestPause{60'000};

// A fault of the cloud or of its credential, which may end without a change in the cluster.
bool passes_by_itself(const Status& failure) {
  switch (failure.error_class()) {
    case ErrorClass::auth:
    case ErrorClass::throttled:
    case ErrorClass::unavailable:
      return true;
    default:
      return failure.code() == Code::deadline_exceeded;
  }
}

// A refused credential is retried less often, and one without calls left when it has some again.
milliseconds retry_pause(const Status& failure, milliseconds interval) {
  if (failure.error_class() == ErrorClass::auth) return 2 * interval;
  if (failure.error_class() != ErrorClass::throttled) return interval;
  return std::clamp(failure.retry_after(), interval, std::max(interval, kLongestPause));
}

ccm_node_identity identity_of(const InstanceQuery& query) {
  auto identity = sized<ccm_node_identity>();
  identity.name = c_str(query.name);
  identity.provider_id = c_str(query.provider_id);
  identity.node = plugin::object_handle(query.node);
  return identity;
}

Result<InstanceLimits> copy_limits(const void* result) {
  if (result == nullptr) return Status(Code::internal, "the provider gave no limits");
  return detail::instance_limits_from_c(*static_cast<const ccm_instance_limits*>(result));
}

Result<InstanceSnapshot::Ptr> copy_list(const void* result) {
  return InstanceSnapshot::copy(static_cast<const ccm_instance_list*>(result));
}

Result<InstanceSnapshot::Ptr> copy_answers(const void* result) {
  return InstanceSnapshot::copy_answers(static_cast<const ccm_instance_list*>(result));
}

Result<InstanceSnapshot::Ptr> copy_instance(const void* result) {
  return InstanceSnapshot::copy(static_cast<const ccm_instance*>(result));
}

}  // namespace

ProviderInstances::ProviderInstances(std::shared_ptr<plugin::LiveComponent> provider,
                                     ccm_interface interface, ProviderTimeouts timeouts)
    : provider_(std::move(provider)),
      self_(interface.self),
      table_(known(static_cast<const ccm_cloud_instances*>(interface.table))),
      timeouts_(timeouts) {}

Task<Result<InstanceLimits>> ProviderInstances::limits() {
  if (table_.limits == nullptr) co_return InstanceLimits();
  plugin::Invoke invoke = plugin::invoke_plain(table_.limits, self_);
  Result<InstanceLimits> asked = co_await provider_->call<InstanceLimits>(
      plugin::known_operation("instances.limits"), nullptr, timeouts_.call,
      plugin::Context::Fields(), std::move(invoke), copy_limits);
  if (asked.ok()) {
    timeouts_.call = time_limit(asked->timeout, timeouts_.call);
    timeouts_.list = time_limit(asked->list_timeout, timeouts_.list);
  }
  co_return asked;
}

Task<ProviderInstances::Listing> ProviderInstances::list(OriginPtr origin) {
  return provider_->call<InstanceSnapshot::Ptr>(
      plugin::known_operation("instances.list"), context_of(std::move(origin)), timeouts_.list, {},
      plugin::invoke_plain(table_.list, self_), copy_list);
}

Task<ProviderInstances::Listing> ProviderInstances::describe(std::vector<InstanceQuery> queries,
                                                             OriginPtr origin) {
  auto invoke = [describe = table_.describe, self = self_, queries = std::move(queries)](
                    ccm_ctx ctx, ccm_completion once) {
    std::vector<ccm_node_identity> identities;
    identities.reserve(queries.size());
    std::vector<const ccm_node_identity*> pointers;
    pointers.reserve(queries.size());
    for (const InstanceQuery& query : queries) identities.push_back(identity_of(query));
    for (const ccm_node_identity& identity : identities) pointers.push_back(&identity);
    auto request = sized<ccm_describe_instances_request>();
    request.nodes = pointers.data();
    request.node_count = pointers.size();
    describe(self, ctx, &request, once);
  };
  return provider_->call<InstanceSnapshot::Ptr>(plugin::known_operation("instances.describe"),
                                                context_of(std::move(origin)), timeouts_.call, {},
                                                std::move(invoke), copy_answers);
}

Task<ProviderInstances::Listing> ProviderInstances::get(InstanceQuery query, OriginPtr origin) {
  plugin::Context::Fields fields{{"node", query.name}};
  auto invoke = [get = table_.get, self = self_, query = std::move(query)](ccm_ctx ctx,
                                                                           ccm_completion once) {
    const ccm_node_identity identity = identity_of(query);
    auto request = sized<ccm_get_instance_request>();
    request.node = &identity;
    get(self, ctx, &request, once);
  };
  return provider_->call<InstanceSnapshot::Ptr>(
      plugin::known_operation("instances.get"), context_of(std::move(origin)), timeouts_.call,
      std::move(fields), std::move(invoke), copy_instance);
}

ListCalls::ListCalls(ProviderInstances& provider, milliseconds interval, std::function<void()> due)
    : provider_(provider), timers_(provider.timers()), interval_(interval), due_(std::move(due)) {}

ListCalls::~ListCalls() {
  if (timer_ != 0) timers_.cancel(timer_);
}

TimePoint ListCalls::next() const {
  const TimePoint now = timers_.now();
  return began_ ? std::max(now, *began_ + TimePoint::duration(1)) : now;
}

Task<ProviderInstances::Listing> ListCalls::call(std::shared_ptr<plugin::Origin> origin) {
  if (timer_ != 0) timers_.cancel(std::exchange(timer_, 0));
  began_ = next();
  origin_ = std::move(origin);
  began_as_ = origin_->priority();
  co_return co_await provider_.list(origin_);
}

void ListCalls::begin_later(milliseconds pause) {
  const TimePoint due = *began_ + pause;
  if (timer_ != 0) {
    if (timer_due_ <= due) return;
    timers_.cancel(timer_);
  }
  timer_due_ = due;
  const auto left = std::chrono::ceil<milliseconds>(due - timers_.now());
  timer_ = timers_.after(std::max(left, milliseconds(0)), [this] {
    timer_ = 0;
    due_();
  });
}

std::shared_ptr<plugin::Origin> ListCalls::ended(const Status& status) {
  if (!status.ok()) {
    if (failure_.ok()) failing_since_ = *began_;
    if (passes_by_itself(status)) begin_later(retry_pause(status, interval_));
  }
  if (status.ok()) price_ = origin_->calls();
  failure_ = status;
  return std::exchange(origin_, nullptr);
}

bool ListCalls::held_below(const std::shared_ptr<plugin::Origin>& asks) const {
  return failure_.reason() == plugin::kCallBudgetSpent && asks && asks->priority() < began_as_;
}

SingleCalls::SingleCalls(ProviderInstances& provider)
    : provider_(provider), timers_(provider.timers()) {}

SingleCalls::~SingleCalls() {
  if (pump_timer_ != 0) timers_.cancel(pump_timer_);
}

// Collects the questions of one moment, so that one describe can answer them all.
Task<SingleCalls::Answered> SingleCalls::ask(InstanceQuery query) {
  const plugin::CallbackAwaiter<Answered>::Start start = [&](std::function<void(Answered)> done) {
    waiting_.push_back({std::move(query), std::move(done)});
    if (pump_timer_ != 0) return;
    pump_timer_ = timers_.after(milliseconds(0), [this] {
      pump_timer_ = 0;
      pump();
    });
  };
  plugin::CallbackAwaiter<Answered> answered(start);
  co_return co_await answered;
}

void SingleCalls::pump() {
  while (!waiting_.empty() && running_ < max_parallel_) {
    std::vector<Question> questions;
    while (!waiting_.empty() && questions.size() < batch()) {
      questions.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
    calls_.start(call(std::move(questions)), plugin::ending_on_fault(timers_));
  }
}

// A get of one, or a describe of all.
Task<void> SingleCalls::call(std::vector<Question> questions) {
  ++running_;
  const TimePoint began = timers_.now();
  const bool one = questions.size() == 1 && provider_.can_get();
  std::shared_ptr<plugin::Origin> origin;
  if (const auto& asks = questions.front().query.origin; one && asks) {
    origin = std::make_shared<plugin::Origin>(asks->controller(), asks->key(), asks->priority());
  } else {
    origin = common_origin(questions);
  }
  std::vector<InstanceQuery> queries;
  queries.reserve(questions.size());
  for (const Question& question : questions) queries.push_back(question.query);
  auto calling =
      one ? provider_.get(queries.front(), origin) : provider_.describe(std::move(queries), origin);
  ProviderInstances::Listing found = co_await std::move(calling);
  --running_;
  price_ = std::max<std::size_t>(origin->calls(), 1);
  if (!one && found && (*found)->size() != questions.size()) {
    found = Status(Code::internal, "the provider described another number of instances");
  }
  for (std::size_t index = 0; index < questions.size(); ++index) {
    tell_answer(questions[index].query.origin, origin);
    questions[index].done({{found.status(), found ? *found : nullptr, index}, began});
  }
  pump();
}

}  // namespace ccm::cloud
