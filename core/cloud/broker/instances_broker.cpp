#include "cloud/broker/instances_broker.hpp"

#include <algorithm>
#include <utility>

namespace ccm::plugin {

using runtime::TimePoint;
using std::chrono::milliseconds;

namespace {

// Single calls within a period of repeated questions; beyond that, occasional listings cost the
// cloud less.
constexpr std::size_t kMostPolls = 10;

// A new instance may be missing from listings for this long.
constexpr std::chrono::seconds kListingLag{60};

Status no_way() {
  return Status(Code::unimplemented, ErrorClass::unsupported,
                "the provider offers neither list, describe nor get for instances");
}

}  // namespace

Status foreign_instance(const std::string& provider_id) {
  return Status(Code::unimplemented, ErrorClass::unsupported,
                "provider ID " + provider_id + " belongs to another provider")
      .with_reason("ForeignProviderID");
}

InstancesBroker::InstancesBroker(InstanceSource& source, runtime::Timers& timers,
                                 BrokerOptions options)
    : source_(source),
      timers_(timers),
      options_(std::move(options)),
      known_(options_.max_age, options_.doubt),
      singles_(source, timers, {options_.max_parallel, options_.describe_batch}),
      self_(std::make_shared<InstancesBroker*>(this)) {}

InstancesBroker::~InstancesBroker() {
  if (list_timer_ != 0) timers_.cancel(list_timer_);
  if (poll_timer_ != 0) timers_.cancel(poll_timer_);
}

BrokerStatistics InstancesBroker::statistics() const {
  return {hits_, listings_, singles_.describes(), singles_.gets(), failures_};
}

InstancesBroker::Question InstancesBroker::question_of(InstanceQuery query, AnswerDone done) const {
  const TimePoint now = timers_.now();
  Question question{std::move(query), std::move(done), {}, {}};
  question.query.not_before = std::min(question.query.not_before, now);
  question.needed = std::max(question.query.not_before, now - options_.max_age);
  for (const std::string* key : {&question.query.name, &question.query.provider_id}) {
    const auto hint = hints_.find(*key);
    if (hint != hints_.end()) question.needed = std::max(question.needed, hint->second);
  }
  question.wanted = question.needed;
  if (question.polled()) {
    question.wanted = std::max(question.needed, now - question.query.max_age);
  }
  return question;
}

// A hint is of use for as long as an older answer would be given.
void InstancesBroker::hinted(const std::string& name, const std::string& provider_id) {
  const TimePoint now = timers_.now();
  std::erase_if(hints_, [&](const auto& entry) { return now - entry.second > options_.max_age; });
  for (const std::string* key : {&name, &provider_id}) {
    if (!key->empty()) hints_[*key] = now;
  }
}

void InstancesBroker::find(InstanceQuery query, AnswerDone done) {
  if (foreign(query.provider_id)) return done({foreign_instance(query.provider_id), nullptr, 0});
  if (query.max_age > milliseconds(0)) polls_.count(timers_.now(), query.max_age);
  Question question = question_of(std::move(query), std::move(done));
  if (give(question, question.wanted)) {
    ++hits_;
  } else {
    ask(std::move(question));
  }
}

void InstancesBroker::confirm(InstanceQuery query, AnswerDone done) {
  if (foreign(query.provider_id)) return done({foreign_instance(query.provider_id), nullptr, 0});
  if (!can_confirm()) return done({no_way(), nullptr, 0});
  ask_singly(question_of(std::move(query), std::move(done)));
}

bool InstancesBroker::foreign(std::string_view provider_id) const {
  const auto& prefixes = options_.provider_id_prefixes;
  if (provider_id.empty() || prefixes.empty()) return false;
  return std::none_of(prefixes.begin(), prefixes.end(),
                      [&](const std::string& prefix) { return provider_id.starts_with(prefix); });
}

// Answers from a call that began at `since` or later. False: there is no such answer, or only a
// listing that lacks the instance of a new Node and may be too early for it.
bool InstancesBroker::give(const Question& question, TimePoint since) {
  const auto answer = known_.find(question.query, since);
  if (!answer) return false;
  const bool early = known_.began() < question.query.not_before + kListingLag;
  if (answer->state() == CCM_INSTANCE_ABSENT && early && !question.polled() && few()) return false;
  question.done(*answer);
  return true;
}

// So few instances are unknown that single calls are cheaper than another listing.
bool InstancesBroker::few() const {
  return singles_.possible() && known_.listed_since(timers_.now() - options_.max_age) &&
         singles_since_listing_ < std::max(options_.gets_before_list, listing_calls());
}

// The cheapest call that can answer: a few new instances are asked for one by one, many by a
// listing.
void InstancesBroker::ask(Question question) {
  if (!source_.can_list()) {
    if (singles_.possible()) return ask_singly(std::move(question));
    return question.done({no_way(), nullptr, 0});
  }
  if (listing_ && *last_began_ >= question.wanted) return join_listing(std::move(question));
  if (singles_.possible() && question.polled()) return poll(std::move(question));
  if (few()) {
    ++singles_since_listing_;
    return ask_singly(std::move(question));
  }
  wait_for_listing(std::move(question));
}

void InstancesBroker::poll(Question question) {
  polled_.push_back(std::move(question));
  if (poll_timer_ != 0) return;
  poll_timer_ = timers_.after(milliseconds(0), [this] {
    poll_timer_ = 0;
    pump_polled();
  });
}

// While a listing would cost too much, the last one has to do.
void InstancesBroker::pump_polled() {
  auto polled = std::exchange(polled_, {});
  const std::size_t batch = singles_.batch();
  const std::size_t asked = std::max(polls_.most(), polled.size());
  const bool list = (asked + batch - 1) / batch > std::min(listing_calls(), kMostPolls);
  for (Question& question : polled) {
    const bool due = listing_ || !last_began_ || timers_.now() - *last_began_ >= poll_interval();
    if (!list) {
      ++singles_since_listing_;
      ask_singly(std::move(question));
    } else if (!due && give(question, question.needed)) {
      ++hits_;
    } else {
      wait_for_listing(std::move(question));
    }
  }
}

void InstancesBroker::ask_singly(Question question) {
  const InstanceQuery query = question.query;
  singles_.ask(query, [this, question = std::move(question)](const SingleCalls::Outcome& outcome) {
    question.done(conclude(question.query, outcome));
  });
}

InstanceAnswer InstancesBroker::conclude(const InstanceQuery& query,
                                         const SingleCalls::Outcome& outcome) {
  Status problem = outcome.status;
  if (problem.code() == Code::not_found && problem.error_class() == ErrorClass::not_found) {
    return {};
  }
  if (problem.ok()) problem = check(*outcome.snapshot, outcome.index);
  if (!problem.ok()) {
    ++failures_;
    return {std::move(problem), nullptr, 0};
  }
  switch (outcome.snapshot->state(outcome.index)) {
    case CCM_INSTANCE_ABSENT:
      return {};
    case CCM_INSTANCE_UNKNOWN:
      return {Status(Code::unknown, "the cloud does not say whether it exists"), nullptr, 0};
    default:
      known_.answered(query, outcome.snapshot, outcome.index, outcome.began);
      return {{}, outcome.snapshot, outcome.index};
  }
}

// Values that would be written to a Node which would then be ignored as another provider's.
Status InstancesBroker::check(const InstanceSnapshot& instances, std::size_t index) const {
  const std::string_view id = instances.provider_id(index);
  if (!foreign(id)) return {};
  std::string own;
  for (const std::string& prefix : options_.provider_id_prefixes) {
    own += (own.empty() ? "" : ", ") + prefix;
  }
  return Status(Code::internal,
                "the cloud provider gives instance \"" + std::string(instances.name(index)) +
                    "\" the provider ID \"" + std::string(id) +
                    "\", which begins with none of the prefixes that its manifest declares (" +
                    own + "); its answer is not used")
      .with_reason("UndeclaredProviderID");
}

}  // namespace ccm::plugin
