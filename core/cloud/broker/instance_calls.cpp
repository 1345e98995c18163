#include "cloud/broker/instance_calls.hpp"

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

}  // namespace

ListCalls::ListCalls(InstanceSource& source, runtime::Timers& timers, milliseconds interval,
                     std::function<void()> due)
    : source_(source), timers_(timers), interval_(interval), due_(std::move(due)) {}

ListCalls::~ListCalls() {
  if (timer_ != 0) timers_.cancel(timer_);
}

TimePoint ListCalls::next() const {
  const TimePoint now = timers_.now();
  return began_ ? std::max(now, *began_ + TimePoint::duration(1)) : now;
}

Task<InstanceSource::Listing> ListCalls::call(std::shared_ptr<plugin::Origin> origin) {
  if (timer_ != 0) timers_.cancel(std::exchange(timer_, 0));
  began_ = next();
  origin_ = std::move(origin);
  began_as_ = origin_->priority();
  source_.set_origin(origin_);
  co_return co_await source_.list();
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

SingleCalls::SingleCalls(InstanceSource& source, runtime::Timers& timers)
    : source_(source), timers_(timers) {}

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
  const bool one = questions.size() == 1 && source_.can_get();
  std::shared_ptr<plugin::Origin> origin;
  if (const auto& asks = questions.front().query.origin; one && asks) {
    origin = std::make_shared<plugin::Origin>(asks->controller(), asks->key(), asks->priority());
  } else {
    origin = common_origin(questions);
  }
  source_.set_origin(origin);
  std::vector<InstanceQuery> queries;
  queries.reserve(questions.size());
  for (const Question& question : questions) queries.push_back(question.query);
  auto calling = one ? source_.get(queries.front()) : source_.describe(std::move(queries));
  InstanceSource::Listing found = co_await std::move(calling);
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
