// The broker's listings: when one begins, and how the waiting questions are answered.
#include "cloud/broker/instances_broker.hpp"
#include "cloud/broker/shared_origin.hpp"

#include <algorithm>
#include <utility>

namespace ccm::plugin {

using std::chrono::milliseconds;

namespace {

// Instances on one page, for the cost of a listing compared with single calls.
constexpr std::size_t kPageSize = 200;

// Between two attempts while the cloud asks to be left alone.
constexpr milliseconds kLongestListingPause{60'000};

// For new Nodes, listings make one call per this interval on average.
constexpr milliseconds kNewNodesPause{1'000};

Status doubtful_status() {
  return Status(Code::unknown, ErrorClass::unavailable,
                "the cloud's list of instances is incomplete or suspiciously short, so nothing is "
                "concluded from what it lacks")
      .with_reason("DoubtfulListing");
}

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

Status cannot_list() {
  return Status(Code::unimplemented, ErrorClass::unsupported,
                "the provider cannot list its instances");
}

}  // namespace

std::size_t InstancesBroker::listing_calls() const {
  return 1 + (known_.listing() ? known_.listing()->size() / kPageSize : 0);
}

void InstancesBroker::list(ListDone done) {
  if (!source_.can_list()) return done(cannot_list());
  if (!listing_ && known_.listing() && timers_.now() - known_.began() < options_.list_interval) {
    return done(known_.listing());
  }
  list_waiting_.push_back({listing_ ? listings_ : listings_ + 1, std::move(done)});
  begin_listing();
}

void InstancesBroker::refresh(ListDone done) {
  if (!source_.can_list()) return done(cannot_list());
  list_waiting_.push_back({listings_ + 1, std::move(done)});
  begin_listing();
}

// The call budget may delay the listing: it is now as important as this question.
void InstancesBroker::join_listing(Question question) {
  if (listing_ && question.query.origin) {
    listing_origin_->raise(question.query.origin->priority());
  }
  waiting_.push_back(std::move(question));
}

// The call budget delayed the last listing, and this question is more important than the earlier
// ones.
bool InstancesBroker::raises_priority(const Question& question) const {
  return last_failure_ && last_failure_->reason() == kCallBudgetSpent && question.query.origin &&
         question.query.origin->priority() < listing_began_as_;
}

// The running one is too old for the question, but may have to do if there is no better one by
// then.
void InstancesBroker::wait_for_listing(Question question) {
  const milliseconds pause = pause_before(question);
  const bool due = !last_began_ || timers_.now() - *last_began_ >= pause;
  // The cloud has just failed: asking for each instance would make it worse.
  if (!listing_ && !due && last_failure_ && !raises_priority(question)) {
    return question.done({*last_failure_, nullptr, 0});
  }
  const bool at_once = due || raises_priority(question);
  join_listing(std::move(question));
  if (at_once) return begin_listing();
  if (!listing_) list_later(pause);
}

milliseconds InstancesBroker::pause_before(const Question& question) const {
  if (question.polled()) return poll_interval();
  if (last_failure_) return options_.list_interval;
  const milliseconds pause = std::min(kNewNodesPause, options_.list_interval);
  return std::min(pause * static_cast<int64_t>(listing_calls()), options_.max_age);
}

// The pause between listings for repeated questions: about one call in each interval, but often
// enough that an answer is always young enough.
milliseconds InstancesBroker::poll_interval() const {
  const milliseconds wanted = options_.list_interval * static_cast<int64_t>(listing_calls());
  return std::max(options_.list_interval, std::min(wanted, options_.max_age));
}

// A refused credential is retried less often, and one without calls left when it has some again.
milliseconds InstancesBroker::retry_pause(const Status& failure) const {
  const milliseconds pause = options_.list_interval;
  if (failure.error_class() == ErrorClass::auth) return 2 * pause;
  if (failure.error_class() != ErrorClass::throttled) return pause;
  return std::clamp(failure.retry_after(), pause, std::max(pause, kLongestListingPause));
}

void InstancesBroker::list_later(milliseconds pause) {
  const runtime::TimePoint due = *last_began_ + pause;
  if (list_timer_ != 0) {
    if (list_due_ <= due) return;
    timers_.cancel(list_timer_);
  }
  list_due_ = due;
  const auto left = std::chrono::ceil<milliseconds>(due - timers_.now());
  list_timer_ = timers_.after(std::max(left, milliseconds(0)), [this] {
    list_timer_ = 0;
    begin_listing();
  });
}

void InstancesBroker::begin_listing() {
  if (listing_) return;
  listing_ = true;
  if (list_timer_ != 0) timers_.cancel(std::exchange(list_timer_, 0));
  last_began_ = timers_.now();
  ++listings_;
  listing_origin_ = common_origin(waiting_);
  listing_began_as_ = listing_origin_->priority();
  source_.set_origin(listing_origin_);
  source_.list([weak = std::weak_ptr(self_)](Result<InstanceSnapshot::Ptr> listed) {
    if (const auto self = weak.lock()) (*self)->listing_ended(std::move(listed));
  });
}

void InstancesBroker::listing_ended(Result<InstanceSnapshot::Ptr> listed) {
  listing_ = false;
  for (std::size_t index = 0; listed.ok() && index < (*listed)->size(); ++index) {
    Status problem = check(**listed, index);
    if (!problem.ok()) listed = std::move(problem);
  }
  const bool again = listed.ok() && (*listed)->repeats() > 0 && !second_reading_;
  second_reading_ = again;
  if (listed.ok()) {
    last_failure_.reset();
    singles_since_listing_ = 0;
    known_.listed(*listed, *last_began_);
    if (on_listing_) on_listing_(known_.listing());
  } else {
    ++failures_;
    last_failure_ = listed.status();
    if (!failing_since_) failing_since_ = *last_began_;
    if (passes_by_itself(*last_failure_)) list_later(retry_pause(*last_failure_));
  }
  if (again) {
    for (ListQuestion& question : list_waiting_) {
      if (question.first == listings_) ++question.first;
    }
  }
  const std::shared_ptr<Origin> origin = listing_origin_;
  serve_lists(listed);
  if (again) begin_listing();
  serve(listed.status(), origin);
  if (listed.ok()) tell_recovery();
}

// Objects that failed meanwhile are in back-off, but can be reconciled now.
void InstancesBroker::tell_recovery() {
  if (!failing_since_) return;
  const auto outage = timers_.now() - *std::exchange(failing_since_, std::nullopt);
  if (on_recovery_) on_recovery_(outage);
}

void InstancesBroker::serve_lists(const Result<InstanceSnapshot::Ptr>& listed) {
  auto waiting = std::exchange(list_waiting_, {});
  std::vector<ListQuestion> answered;
  for (ListQuestion& question : waiting) {
    auto& into = question.first <= listings_ ? answered : list_waiting_;
    into.push_back(std::move(question));
  }
  for (const ListQuestion& question : answered) question.done(listed);
  if (!list_waiting_.empty()) begin_listing();
}

// The finished listing's answer to the questions; `failure`: why it has none.
void InstancesBroker::serve(const Status& failure, const std::shared_ptr<Origin>& origin) {
  auto waiting = std::exchange(waiting_, {});
  for (Question& question : waiting) {
    tell_answer(question.query.origin, origin);
    if (!failure.ok()) {
      const bool held = failure.reason() == kCallBudgetSpent;
      if (held && (listing_ || raises_priority(question))) {
        ask(std::move(question));
      } else {
        question.done({failure, nullptr, 0});
      }
    } else if (give(question, question.needed)) {
      continue;
    } else if (!known_.listed_since(question.needed) || listing_) {
      ask(std::move(question));  // the Node may have appeared while the listing ran
    } else if (few()) {
      ++singles_since_listing_;
      ask_singly(std::move(question));
    } else {
      question.done({doubtful_status(), nullptr, 0});
    }
  }
}

}  // namespace ccm::plugin
