#include "plugin/broker/instances_broker.hpp"

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace ccm::plugin {

using std::chrono::milliseconds;

namespace {

// How far the API server's clock may be from ours.
constexpr std::chrono::seconds kClockSkew{60};

// Machines on one page of a listing, for what a listing costs compared with single calls.
constexpr std::size_t kPageSize = 200;

// Single calls within a period of who polls; for more, a listing now and then is kinder to the
// cloud.
constexpr std::size_t kMostPolls = 10;

// What a recent answer is kept under. Names and provider IDs never meet: an ID has a "://".
const std::string& recent_key(const MachineQuery& query) {
  return query.provider_id.empty() ? query.name : query.provider_id;
}

Status ambiguous(const MachineQuery& query, std::size_t count) {
  return Status(Code::unknown, std::to_string(count) + " machines are called " + query.name +
                                   "; give the Node a provider ID or rename all but one")
      .with_reason("AmbiguousMachine");
}

Status foreign_status(const MachineQuery& query) {
  return Status(Code::unimplemented, ErrorClass::unsupported,
                "provider ID " + query.provider_id + " belongs to another provider")
      .with_reason("ForeignProviderID");
}

Status doubtful_status() {
  return Status(Code::unknown, ErrorClass::unavailable,
                "the cloud's list of machines has become suspiciously short, so nothing is "
                "concluded from what it lacks")
      .with_reason("DoubtfulListing");
}

Status no_way() {
  return Status(Code::unimplemented, ErrorClass::unsupported,
                "the provider offers neither list, describe nor get for instances");
}

// Who asks for nobody in particular looks after what is there: the second look at vanished
// machines.
std::shared_ptr<Origin> no_origin() {
  return std::make_shared<Origin>("machines", "", CallPriority::refresh);
}

// What several ask for together is as important as the most important of them.
template <typename Waiters>
std::shared_ptr<Origin> common_origin(const Waiters& waiters) {
  const Origin* best = nullptr;
  for (const auto& waiter : waiters) {
    const Origin* asks = waiter.query.origin.get();
    if (asks != nullptr && (best == nullptr || asks->priority() < best->priority())) best = asks;
  }
  if (best == nullptr) return no_origin();
  return std::make_shared<Origin>(best->controller(), "", best->priority());
}

void tell_answer(const std::shared_ptr<Origin>& waiter, const std::shared_ptr<Origin>& shared) {
  if (waiter && shared && waiter != shared && shared->answer()) waiter->answered(*shared->answer());
}

// RFC 3339 in UTC, as the API server writes creationTimestamp.
std::optional<std::chrono::system_clock::time_point> created_at(const kube::ObjectPtr& node) {
  if (!node) return std::nullopt;
  const std::string text(node->text_at("/metadata/creationTimestamp"));
  tm date{};
  if (text.empty() || ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &date) == nullptr) {
    return std::nullopt;
  }
  return std::chrono::system_clock::from_time_t(::timegm(&date));
}

}  // namespace

int32_t MachineAnswer::state() const {
  if (!status.ok()) return CCM_INSTANCE_UNKNOWN;
  return snapshot ? snapshot->state(index) : CCM_INSTANCE_ABSENT;
}

InstancesBroker::InstancesBroker(MachineSource& source, runtime::Timers& timers,
                                 BrokerOptions options)
    : source_(source),
      timers_(timers),
      options_(std::move(options)),
      self_(std::make_shared<InstancesBroker*>(this)) {
  options_.max_parallel = std::max<std::size_t>(options_.max_parallel, 1);
  options_.describe_batch = std::max<std::size_t>(options_.describe_batch, 1);
  if (!options_.wall_clock) options_.wall_clock = [] { return std::chrono::system_clock::now(); };
}

InstancesBroker::~InstancesBroker() {
  if (list_timer_ != 0) timers_.cancel(list_timer_);
  if (pump_timer_ != 0) timers_.cancel(pump_timer_);
}

void InstancesBroker::find(MachineQuery query, AnswerDone done) {
  if (foreign(query.provider_id)) return done({foreign_status(query), nullptr, 0});
  if (query.max_age > milliseconds(0)) count_poll(query.max_age);
  if (auto answer = look_up_recent(query)) {
    ++statistics_.hits;
    return done(*answer);
  }
  if (fresh(query)) {
    auto answer = look_up(query);
    // A Node that is older than the listing would be in it.
    if (!answer && !doubtful_ && predates_snapshot(query)) answer = MachineAnswer{};
    if (answer) {
      ++statistics_.hits;
      return done(*answer);
    }
  }
  ask({std::move(query), std::move(done), timers_.now()});
}

void InstancesBroker::confirm(MachineQuery query, AnswerDone done) {
  if (foreign(query.provider_id)) return done({foreign_status(query), nullptr, 0});
  if (!can_confirm()) return done({no_way(), nullptr, 0});
  ask_singly({std::move(query), std::move(done), timers_.now()});
}

bool InstancesBroker::foreign(const std::string& provider_id) const {
  const auto& prefixes = options_.provider_id_prefixes;
  if (provider_id.empty() || prefixes.empty()) return false;
  return std::none_of(prefixes.begin(), prefixes.end(),
                      [&](const std::string& prefix) { return provider_id.starts_with(prefix); });
}

milliseconds InstancesBroker::limit(const MachineQuery& query) const {
  if (query.max_age <= milliseconds(0)) return options_.max_age;
  return std::min(query.max_age, options_.max_age);
}

bool InstancesBroker::fresh(const MachineQuery& query) const {
  return snapshot_ && timers_.now() - snapshot_began_ <= limit(query);
}

bool InstancesBroker::predates_snapshot(const MachineQuery& query) const {
  const auto created = created_at(query.node);
  return created && *created + kClockSkew < snapshot_wall_;
}

// nullopt: the snapshot does not hold it.
std::optional<MachineAnswer> InstancesBroker::look_up(const MachineQuery& query) const {
  if (!query.provider_id.empty()) {
    const std::size_t index = snapshot_->find_provider_id(query.provider_id);
    if (index == InstanceSnapshot::kNone) return std::nullopt;
    return MachineAnswer{{}, snapshot_, index};
  }
  std::vector<std::size_t> found = snapshot_->find_name(query.name);
  if (found.empty()) return std::nullopt;
  // A destroyed machine may still be listed beside the one that took its name.
  const std::size_t first = found.front();
  std::erase_if(found, [this](std::size_t index) {
    return snapshot_->state(index) == CCM_INSTANCE_TERMINATED;
  });
  if (found.size() > 1) return MachineAnswer{ambiguous(query, found.size()), nullptr, 0};
  return MachineAnswer{{}, snapshot_, found.empty() ? first : found.front()};
}

std::optional<MachineAnswer> InstancesBroker::look_up_recent(const MachineQuery& query) const {
  const auto known = recent_.find(recent_key(query));
  if (known == recent_.end() || timers_.now() - known->second.at > limit(query)) {
    return std::nullopt;
  }
  return MachineAnswer{{}, known->second.snapshot, known->second.index};
}

// The cheapest call that can answer: few new machines are asked for one by one, for many all are
// listed.
void InstancesBroker::ask(Waiter waiter) {
  const bool singly = source_.can_get() || source_.can_describe();
  if (!source_.can_list()) {
    if (singly) return ask_singly(std::move(waiter));
    return waiter.done({no_way(), nullptr, 0});
  }
  const bool polled = waiter.query.max_age > milliseconds(0);
  if (listing_ && (!polled || timers_.now() - *last_began_ <= limit(waiter.query))) {
    join_listing(std::move(waiter));
    return;
  }
  if (singly && polled) return poll(std::move(waiter));
  const bool few = gets_since_listing_ < options_.gets_before_list;
  if (singly && fresh(waiter.query) && few) return ask_singly(std::move(waiter));
  ask_listing(std::move(waiter));
}

// They come a few at a time, as many as a controller has workers, so only a whole period tells how
// many machines are in doubt.
void InstancesBroker::count_poll(milliseconds period) {
  const auto now = timers_.now();
  if (now - polls_began_ >= period) {
    polls_before_ = now - polls_began_ < 2 * period ? polls_ : 0;
    polls_ = 0;
    polls_began_ = now;
  }
  ++polls_;
}

void InstancesBroker::poll(Waiter waiter) {
  polled_.push_back(std::move(waiter));
  if (pump_timer_ != 0) return;
  pump_timer_ = timers_.after(milliseconds(0), [this] {
    pump_timer_ = 0;
    pump_single();
  });
}

void InstancesBroker::pump_polled() {
  auto polled = std::exchange(polled_, {});
  const std::size_t batch = source_.can_describe() ? options_.describe_batch : 1;
  const std::size_t asked = std::max({polls_, polls_before_, polled.size()});
  const bool list = (asked + batch - 1) / batch > std::min(listing_calls(), kMostPolls);
  for (Waiter& waiter : polled) {
    const bool due = listing_ || !last_began_ || timers_.now() - *last_began_ >= poll_interval();
    if (list && !due && answer_older(waiter)) continue;
    if (!list) {
      ++gets_since_listing_;
      single_.push_back(std::move(waiter));
    } else if (listing_) {
      join_listing(std::move(waiter));
    } else {
      ask_listing(std::move(waiter));
    }
  }
}

// While a listing would cost too much, what the last one said has to do.
bool InstancesBroker::answer_older(const Waiter& waiter) {
  if (!snapshot_ || timers_.now() - snapshot_began_ > options_.max_age) return false;
  auto answer = look_up(waiter.query);
  if (!answer && !doubtful_ && predates_snapshot(waiter.query)) answer = MachineAnswer{};
  if (!answer) return false;
  ++statistics_.hits;
  waiter.done(*answer);
  return true;
}

std::size_t InstancesBroker::listing_calls() const {
  return 1 + (snapshot_ ? snapshot_->size() / kPageSize : 0);
}

// The listing may be held back by the cloud's budget of calls, for the sake of who now joins it.
void InstancesBroker::join_listing(Waiter waiter) {
  if (listing_ && waiter.query.origin) listing_origin_->raise(waiter.query.origin->priority());
  waiters_.push_back(std::move(waiter));
}

// The last listing was held back, and this one would not be.
bool InstancesBroker::begins_anew(const Waiter& waiter) const {
  return last_failure_ && last_failure_->reason() == kCallBudgetSpent && waiter.query.origin &&
         waiter.query.origin->priority() < listing_began_as_;
}

void InstancesBroker::ask_listing(Waiter waiter) {
  if (begins_anew(waiter)) {
    join_listing(std::move(waiter));
    return begin_listing();
  }
  const bool polled = waiter.query.max_age > milliseconds(0);
  const auto pause = polled ? poll_interval() : options_.list_interval;
  if (!last_began_ || timers_.now() - *last_began_ >= pause) {
    join_listing(std::move(waiter));
    return begin_listing();
  }
  // The cloud has just failed: asking for each machine would make it worse.
  if (last_failure_) return waiter.done({*last_failure_, nullptr, 0});
  if (!polled && can_confirm()) return ask_singly(std::move(waiter));
  join_listing(std::move(waiter));
  list_later(pause);
}

// Of listings for those who ask again and again: about one call in each interval, and never so
// rarely that nothing young enough is known.
milliseconds InstancesBroker::poll_interval() const {
  const milliseconds wanted = options_.list_interval * static_cast<int64_t>(listing_calls());
  return std::max(options_.list_interval, std::min(wanted, options_.max_age));
}

void InstancesBroker::list_later(milliseconds pause) {
  if (list_timer_ != 0) return;
  const auto due = *last_began_ + pause;
  const auto left = std::chrono::ceil<milliseconds>(due - timers_.now());
  list_timer_ = timers_.after(std::max(left, milliseconds(0)), [this] {
    list_timer_ = 0;
    begin_listing();
  });
}

// The machine was not in a listing that began after the question.
void InstancesBroker::absent(Waiter waiter) {
  if (!doubtful_) return waiter.done({});
  if (source_.can_get() || source_.can_describe()) return ask_singly(std::move(waiter));
  waiter.done({doubtful_status(), nullptr, 0});
}

void InstancesBroker::list(ListDone done) {
  if (!source_.can_list()) return done(no_way());
  if (listing_) {
    list_waiters_.push_back(std::move(done));
    return;
  }
  if (snapshot_ && timers_.now() - snapshot_began_ < options_.list_interval) return done(snapshot_);
  list_waiters_.push_back(std::move(done));
  begin_listing();
}

void InstancesBroker::refresh(ListDone done) {
  if (!source_.can_list()) return done(no_way());
  if (listing_) {
    refresh_waiters_.push_back(std::move(done));
    return;
  }
  list_waiters_.push_back(std::move(done));
  begin_listing();
}

void InstancesBroker::begin_listing() {
  if (listing_) return;
  listing_ = true;
  if (list_timer_ != 0) timers_.cancel(std::exchange(list_timer_, 0));
  last_began_ = timers_.now();
  last_wall_ = options_.wall_clock();
  ++statistics_.listings;
  listing_origin_ = common_origin(waiters_);
  listing_began_as_ = listing_origin_->priority();
  source_.set_origin(listing_origin_);
  source_.list([weak = std::weak_ptr(self_)](Result<InstanceSnapshot::Ptr> listed) {
    if (const auto self = weak.lock()) (*self)->listing_ended(listed);
  });
}

void InstancesBroker::listing_ended(const Result<InstanceSnapshot::Ptr>& listed) {
  listing_ = false;
  if (listed) {
    accept(*listed);
  } else {
    ++statistics_.failures;
    last_failure_ = listed.status();
  }
  auto list_waiters = std::exchange(list_waiters_, std::exchange(refresh_waiters_, {}));
  const bool again = !list_waiters_.empty();
  for (const ListDone& done : list_waiters) done(listed);
  if (again) begin_listing();
  serve_waiters(listed.status());
}

void InstancesBroker::accept(InstanceSnapshot::Ptr listed) {
  last_failure_.reset();
  gets_since_listing_ = 0;
  recent_.clear();
  const std::size_t size = listed->size();
  const bool shrank = size * 2 < trusted_size_;
  if (shrank && !doubted_since_) doubted_since_ = *last_began_;
  if (!shrank) doubted_since_.reset();
  const bool long_enough = shrank && *last_began_ - *doubted_since_ >= options_.doubt;
  // An empty listing is never proof: the wrong project or credential looks just like it.
  doubtful_ = size == 0 || (shrank && !long_enough);
  if (!doubtful_) {
    trusted_size_ = size;
    doubted_since_.reset();
  }
  snapshot_ = std::move(listed);
  snapshot_began_ = *last_began_;
  snapshot_wall_ = last_wall_;
  if (on_listing_) on_listing_(snapshot_);
}

void InstancesBroker::serve_waiters(const Status& failure) {
  auto waiters = std::exchange(waiters_, {});
  const std::shared_ptr<Origin> listing_origin = listing_origin_;
  for (Waiter& waiter : waiters) {
    tell_answer(waiter.query.origin, listing_origin);
    const bool held = failure.reason() == kCallBudgetSpent;
    if (held && (listing_ || begins_anew(waiter))) {
      ask(std::move(waiter));
    } else if (!failure.ok()) {
      waiter.done({failure, nullptr, 0});
    } else if (auto answer = look_up(waiter.query)) {
      waiter.done(*answer);
    } else if (snapshot_began_ >= waiter.asked) {
      absent(std::move(waiter));
    } else {
      ask(std::move(waiter));  // it may have appeared while the listing ran
    }
  }
}

// Gathers what is asked for in the same moment, so that one describe can take it all.
void InstancesBroker::ask_singly(Waiter waiter) {
  ++gets_since_listing_;
  single_.push_back(std::move(waiter));
  if (pump_timer_ != 0) return;
  pump_timer_ = timers_.after(milliseconds(0), [this] {
    pump_timer_ = 0;
    pump_single();
  });
}

void InstancesBroker::pump_single() {
  if (!polled_.empty()) pump_polled();
  while (!single_.empty() && single_running_ < options_.max_parallel) {
    const bool batch = source_.can_describe() && (single_.size() > 1 || !source_.can_get());
    if (!batch) {
      Waiter waiter = std::move(single_.front());
      single_.pop_front();
      call_get(std::move(waiter));
      continue;
    }
    std::vector<Waiter> waiters;
    while (!single_.empty() && waiters.size() < options_.describe_batch) {
      waiters.push_back(std::move(single_.front()));
      single_.pop_front();
    }
    call_describe(std::move(waiters));
  }
}

void InstancesBroker::call_get(Waiter waiter) {
  ++single_running_;
  ++statistics_.gets;
  const MachineQuery query = waiter.query;
  source_.set_origin(query.origin ? query.origin : no_origin());
  source_.get(query, [weak = std::weak_ptr(self_),
                      waiter = std::move(waiter)](Result<InstanceSnapshot::Ptr> found) {
    const auto self = weak.lock();
    if (!self) return;
    --(*self)->single_running_;
    (*self)->single_ended(waiter, found.status(), found ? *found : nullptr, 0);
    (*self)->pump_single();
  });
}

void InstancesBroker::call_describe(std::vector<Waiter> waiters) {
  ++single_running_;
  ++statistics_.describes;
  std::vector<MachineQuery> queries;
  for (const Waiter& waiter : waiters) queries.push_back(waiter.query);
  const auto origin = common_origin(waiters);
  source_.set_origin(origin);
  source_.describe(
      std::move(queries), [weak = std::weak_ptr(self_), origin,
                           waiters = std::move(waiters)](Result<InstanceSnapshot::Ptr> found) {
        const auto self = weak.lock();
        if (!self) return;
        --(*self)->single_running_;
        if (found && (*found)->size() != waiters.size()) {
          found = Status(Code::internal, "the provider described another number of machines");
        }
        for (std::size_t index = 0; index < waiters.size(); ++index) {
          tell_answer(waiters[index].query.origin, origin);
          (*self)->single_ended(waiters[index], found.status(), found ? *found : nullptr, index);
        }
        (*self)->pump_single();
      });
}

void InstancesBroker::single_ended(const Waiter& waiter, const Status& status,
                                   const InstanceSnapshot::Ptr& described, std::size_t index) {
  if (!status.ok()) {
    const bool certain =
        status.code() == Code::not_found && status.error_class() == ErrorClass::not_found;
    if (certain) return waiter.done({});
    ++statistics_.failures;
    return waiter.done({status, nullptr, 0});
  }
  const int32_t state = described->state(index);
  if (state == CCM_INSTANCE_ABSENT) return waiter.done({});
  if (state == CCM_INSTANCE_UNKNOWN) {
    return waiter.done(
        {Status(Code::unknown, "the cloud does not say whether it exists"), nullptr, 0});
  }
  const auto now = timers_.now();
  if (recent_.size() >= prune_recent_at_) {
    std::erase_if(recent_,
                  [&](const auto& entry) { return now - entry.second.at > options_.max_age; });
    prune_recent_at_ = std::max<std::size_t>(64, recent_.size() * 2);
  }
  recent_[recent_key(waiter.query)] = {described, index, now};
  waiter.done({{}, described, index});
}

}  // namespace ccm::plugin
