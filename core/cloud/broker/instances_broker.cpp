#include "cloud/broker/instances_broker.hpp"

#include "plugin/waiting.hpp"

#include <algorithm>
#include <utility>

namespace ccm::cloud {

using runtime::TimePoint;
using std::chrono::milliseconds;

namespace {

// A caller that repeats a question for an answer that young waits for it: a Node to be initialised.
constexpr milliseconds kUrgent{1'000};

// Between two listings for repeated questions when their budget is spent.
constexpr milliseconds kLongestPollPause{600'000};

// New instances asked for singly before all are listed again.
constexpr std::size_t kGetsBeforeList = 4;

// A new instance may be missing from listings for this long.
constexpr std::chrono::seconds kListingLag{60};

// Instances on one page, for the cost of a listing compared with single calls.
constexpr std::size_t kPageSize = 200;

// For new Nodes, listings make one call per this interval on average.
constexpr milliseconds kNewNodesPause{1'000};

// The answer with another provider ID for the instance.
Result<InstanceAnswer> under_id(const InstanceAnswer& answer, const std::string& id) {
  InstanceExport exported;
  exported.add(answer.snapshot, answer.index);
  ccm_instance instance = *exported.list().instances[0];
  instance.provider_id = c_str(id);
  auto copied = InstanceSnapshot::copy(&instance);
  if (!copied.ok()) return copied.status();
  return InstanceAnswer{{}, *std::move(copied), 0};
}

InstanceAnswer failed(Status status) { return {std::move(status), nullptr, 0}; }

Status no_way() {
  return Status(Code::unimplemented, ErrorClass::unsupported,
                "the provider offers neither list, describe nor get for instances");
}

Status suspect_listing() {
  return Status(Code::unknown, ErrorClass::unavailable,
                "the cloud's list of instances is incomplete or suspiciously short, so nothing is "
                "concluded from what it lacks")
      .with_reason("DoubtfulListing");
}

}  // namespace

Status foreign_instance(const std::string& provider_id) {
  return Status(Code::unimplemented, ErrorClass::unsupported,
                "provider ID " + provider_id + " belongs to another provider")
      .with_reason("ForeignProviderID");
}

InstancesBroker::InstancesBroker(std::shared_ptr<plugin::LiveComponent> provider,
                                 ccm_interface interface, ProviderTimeouts timeouts,
                                 BrokerOptions options)
    : provider_(std::move(provider), interface, timeouts),
      timers_(provider_.timers()),
      options_(std::move(options)),
      lists_(provider_, options_.list_interval, [this] { begin_listing(); }),
      singles_(provider_) {}

InstancesBroker::~InstancesBroker() {
  if (poll_timer_ != 0) timers_.cancel(poll_timer_);
}

Task<Status> InstancesBroker::limits() {
  const Result<InstanceLimits> limits = co_await provider_.limits();
  if (limits.ok()) singles_.set_limits(limits->batch, limits->parallel);
  co_return limits.status();
}

std::size_t InstancesBroker::listing_calls() const {
  if (lists_.price() > 0) return lists_.price();
  return 1 + (known_.listing() ? known_.listing()->size() / kPageSize : 0);
}

InstancesBroker::Question InstancesBroker::question_of(InstanceQuery query) const {
  const TimePoint now = timers_.now();
  Question question{std::move(query), {}, {}};
  question.query.not_before = std::min(question.query.not_before, now);
  if (!question.polled()) {
    question.needed = question.wanted = known_.earliest(question.query, now, options_.max_age);
    return question;
  }
  const milliseconds max_age = question.query.max_age;
  // As old as the listing for all that are asked about may get.
  const milliseconds oldest = std::max({options_.max_age, max_age, poll_interval()});
  question.needed = known_.earliest(question.query, now, oldest);
  question.wanted = std::max(question.needed, now - max_age);
  question.reserve = max_age <= kUrgent ? 0 : max_age < options_.max_age ? 0.25 : 0.5;
  return question;
}

Task<InstanceAnswer> InstancesBroker::find(InstanceQuery query) {
  if (foreign(query.provider_id)) co_return failed(foreign_instance(query.provider_id));
  Question question = question_of(std::move(query));
  if (auto known = known_answer(question, question.wanted)) co_return *std::move(known);
  if (question.polled()) {
    auto& polls = question.query.max_age < options_.max_age ? quick_polls_ : slow_polls_;
    polls.count(timers_.now(), question.query.max_age);
  }
  co_return co_await ask(std::move(question));
}

Task<InstancesBroker::Listing> InstancesBroker::find_all(TimePoint needed) {
  if (!can_list()) {
    co_return Status(Code::unimplemented, ErrorClass::unsupported,
                     "the provider cannot list its instances");
  }
  Question question{{}, needed, needed, true};
  auto answer = known_answer(question, needed);
  if (!answer) answer = co_await ask(std::move(question));
  if (!answer->status.ok()) co_return answer->status;
  co_return answer->snapshot;
}

Task<InstanceAnswer> InstancesBroker::confirm(InstanceQuery query) {
  if (foreign(query.provider_id)) co_return failed(foreign_instance(query.provider_id));
  if (!can_confirm()) co_return failed(no_way());
  Question question = question_of(std::move(query));
  co_return co_await ask_singly(std::move(question.query));
}

bool InstancesBroker::foreign(std::string_view provider_id) const {
  const auto& prefixes = options_.provider_id_prefixes;
  if (provider_id.empty() || prefixes.empty()) return false;
  return std::none_of(prefixes.begin(), prefixes.end(),
                      [&](const std::string& prefix) { return provider_id.starts_with(prefix); });
}

// The answer of a call that began at `since` or later. Nothing: there is none, or only a listing
// that lacks the instance of a new Node and may be too early for it.
std::optional<InstanceAnswer> InstancesBroker::known_answer(const Question& question,
                                                            TimePoint since) const {
  if (question.all) {
    if (!known_.listed_since(since)) return std::nullopt;
    return InstanceAnswer{{}, known_.listing(), 0};
  }
  auto answer = known_.find(question.query, since);
  if (!answer) return std::nullopt;
  const bool early = known_.began() < question.query.not_before + kListingLag;
  const bool absent = answer->state() == CCM_INSTANCE_ABSENT;
  if (absent && early && !question.polled() && few()) return std::nullopt;
  return answer;
}

// So few instances are unknown that single calls are cheaper than another listing.
bool InstancesBroker::few() const {
  return singles_.possible() && known_.listed_since(timers_.now() - options_.max_age) &&
         singles_since_listing_ < std::max(kGetsBeforeList, listing_calls());
}

std::string InstancesBroker::absence_text(const InstanceQuery& query) {
  if (!query.provider_id.empty()) return "no instance has the provider ID " + query.provider_id;
  std::string text = "no instance is called \"" + query.name + "\"";
  const std::string resembles = lookalikes_.find(known_.listing(), query);
  if (resembles.empty()) return text;
  return text + ", but " + resembles +
         ": start the kubelet with --hostname-override or --provider-id of that instance, or "
         "rename "
         "it";
}

Task<InstanceAnswer> InstancesBroker::ask(Question question) {
  for (;;) {
    if (!can_list() && !singles_.possible()) co_return failed(no_way());
    const Way way = co_await choose(question);
    if (way == Way::known) co_return *known_answer(question, question.needed);
    if (way == Way::single) {
      ++singles_since_listing_;
      co_return co_await ask_singly(std::move(question.query));
    }
    // The cloud has just failed: asking for each instance would make it worse.
    const bool begins = lists_.running() || lists_.due(pause_before(question));
    if (!begins && !lists_.failure().ok()) co_return failed(lists_.failure());

    const ListingEnd end = co_await next_listing(question);
    // One that is read a second time proves no absence.
    if (question.all && second_reading_) question.needed = question.wanted = lists_.began();
    if (!end.status.ok()) {
      const bool held = end.status.reason() == plugin::kCallBudgetSpent;
      const bool joins = lists_.running() && (held || question.needed > end.began);
      if (joins || lists_.held_below(question.query.origin)) continue;
      co_return failed(end.status);
    }
    if (auto known = known_answer(question, question.needed)) co_return *std::move(known);
    // The Node may have appeared while the listing ran.
    if (!known_.listed_since(question.needed) || lists_.running()) continue;
    if (!few()) co_return failed(suspect_listing());
    ++singles_since_listing_;
    co_return co_await ask_singly(std::move(question.query));
  }
}

// The cheapest call that can answer: a few new instances are asked for one by one, many by a
// listing. How repeated questions are asked is decided by their number in this step.
Task<InstancesBroker::Way> InstancesBroker::choose(const Question& question) {
  if (lists_.running_since(question.wanted)) co_return Way::listing;
  if (!singles_.possible() || !question.polled()) {
    const bool singly = !can_list() || (!question.all && few());
    co_return singly ? Way::single : Way::listing;
  }
  const plugin::CallbackAwaiter<Way>::Start start = [&](std::function<void(Way)> go_on) {
    undecided_.push_back({question, std::move(go_on)});
    if (poll_timer_ == 0) poll_timer_ = timers_.after(milliseconds(0), [this] { choose_polled(); });
  };
  plugin::CallbackAwaiter<Way> chosen(start);
  co_return co_await chosen;
}

// A listing costs less than the look-ups that would be needed for all within a period.
bool InstancesBroker::lists_cheaper(const Question& question) const {
  if (!can_list() || known_.unlisted(question.query)) return false;
  const PollRate& polls = question.query.max_age < options_.max_age ? quick_polls_ : slow_polls_;
  const std::size_t batch = singles_.batch();
  return (polls.most() + batch - 1) / batch * singles_.price() > listing_calls();
}

// Each goes on at once, so that the next ones see which calls were made.
void InstancesBroker::choose_polled() {
  poll_timer_ = 0;
  std::size_t singles = 0;
  for (const auto& question : std::exchange(undecided_, {})) {
    question.go_on(choose_polled(question, singles));
  }
}

// When the calls for it would cost too much, an older answer has to do.
InstancesBroker::Way InstancesBroker::choose_polled(const Question& question,
                                                    std::size_t& singles) {
  if (lists_.running_since(question.wanted)) return Way::listing;
  const bool list = lists_cheaper(question);
  const bool joins = list && (lists_.running() || lists_.scheduled());
  const std::size_t single = singles % singles_.batch() == 0 ? singles_.price() : 0;
  const std::size_t price = list ? listing_calls() : single;
  const TimePoint now = timers_.now();
  const bool affordable = joins || poll_budget_.affords(now, price, question.reserve);
  if (!affordable && known_answer(question, question.needed)) return Way::known;
  if (list) return Way::listing;
  poll_budget_.spend(now, price);
  ++singles;
  return Way::single;
}

Task<InstanceAnswer> InstancesBroker::ask_singly(InstanceQuery query) {
  SingleCalls::Answered found = co_await singles_.ask(query);
  co_return conclude(query, std::move(found.answer), found.began);
}

InstanceAnswer InstancesBroker::conclude(const InstanceQuery& query, InstanceAnswer answer,
                                         TimePoint began) {
  Status& status = answer.status;
  const auto absent = [&] {
    known_.answered(query, {}, began);
    return InstanceAnswer{};
  };
  if (status.code() == Code::not_found && status.error_class() == ErrorClass::not_found) {
    return absent();
  }
  if (status.ok()) status = check(*answer.snapshot, answer.index);
  if (status.ok() && answer.state() == CCM_INSTANCE_UNKNOWN) {
    status = Status(Code::unknown, "the cloud does not say whether it exists");
  }
  if (!status.ok()) return {std::move(status), nullptr, 0};
  if (answer.state() == CCM_INSTANCE_ABSENT) return absent();
  // Two Nodes that name it differently must not have an instance each.
  const std::string id = known_.known_id(answer);
  if (id != answer.snapshot->provider_id(answer.index)) {
    auto settled = under_id(answer, id);
    if (!settled.ok()) return {settled.status(), nullptr, 0};
    answer = *std::move(settled);
  }
  known_.answered(query, answer, began);
  if (on_found_) on_found_(query, answer);
  return answer;
}

// Values that would be written to a Node which would then be ignored as another provider's.
Status InstancesBroker::check(const InstanceSnapshot& instances, std::size_t index) const {
  std::string_view id = instances.provider_id(index);
  for (std::size_t which = 0; which < instances.other_id_count(index) && !foreign(id); ++which) {
    id = instances.other_id(index, which);
  }
  if (!foreign(id)) return {};
  std::string own;
  for (const auto& prefix : options_.provider_id_prefixes)
    own += (own.empty() ? "" : ", ") + prefix;
  return Status(Code::internal,
                "the cloud provider gives instance \"" + std::string(instances.name(index)) +
                    "\" the provider ID \"" + std::string(id) +
                    "\", which begins with none of the prefixes that its manifest declares (" +
                    own + "); its answer is not used")
      .with_reason("UndeclaredProviderID");
}

// The running one may be too old for the question, but has to do if there is no better one by then.
Task<InstancesBroker::ListingEnd> InstancesBroker::next_listing(const Question& question) {
  const plugin::CallbackAwaiter<ListingEnd>::Start start =
      [&](std::function<void(ListingEnd)> go_on) {
        const milliseconds pause = pause_before(question);
        const bool due = lists_.due(pause);
        lists_.raise(question.query.origin);
        waiting_.push_back({question, std::move(go_on)});
        if (due) return begin_listing();
        if (!lists_.running()) lists_.begin_later(pause);
      };
  plugin::CallbackAwaiter<ListingEnd> ended(start);
  co_return co_await ended;
}

milliseconds InstancesBroker::pause_before(const Question& question) const {
  if (question.all || lists_.held_below(question.query.origin)) return milliseconds(0);
  if (question.polled()) {
    const bool affordable = poll_budget_.affords(timers_.now(), listing_calls(), question.reserve);
    return affordable ? options_.list_interval : std::min(poll_interval(), options_.max_age);
  }
  if (!lists_.failure().ok()) return options_.list_interval;
  const milliseconds pause = std::min(kNewNodesPause, options_.list_interval);
  return std::min(pause * static_cast<int64_t>(listing_calls()), options_.max_age);
}

// The pause between listings for repeated questions when their budget is spent.
milliseconds InstancesBroker::poll_interval() const {
  const milliseconds wanted = PollBudget::kPause * static_cast<int64_t>(listing_calls());
  return std::clamp(wanted, options_.list_interval,
                    std::max(options_.list_interval, kLongestPollPause));
}

void InstancesBroker::begin_listing() {
  if (lists_.running()) return;
  const bool for_polls = std::all_of(waiting_.begin(), waiting_.end(),
                                     [](const Question& question) { return question.polled(); });
  if (for_polls) poll_budget_.spend(timers_.now(), listing_calls());
  listings_.start(list_all(common_origin(waiting_)), plugin::ending_on_fault(timers_));
}

void InstancesBroker::listing_ended(Listing listed) {
  for (std::size_t index = 0; listed.ok() && index < (*listed)->size(); ++index) {
    Status problem = check(**listed, index);
    if (!problem.ok()) listed = std::move(problem);
  }
  const TimePoint began = lists_.began();
  const bool recovered = listed.ok() && !lists_.failure().ok();
  const TimePoint failing_since = lists_.failing_since();
  const auto origin = lists_.ended(listed.status());
  if (listed.ok()) {
    singles_since_listing_ = 0;
    known_.listed(*listed, began);
    lookalikes_.forget();
    if (on_listing_) on_listing_(known_.listing());
  }
  // The whole listing is asked for as proof of absence, so one that shifted is read a second time.
  second_reading_ = listed.ok() && (*listed)->repeats() > 0 && !second_reading_;
  const auto outlasts = [&](const Question& question) {
    return question.all && question.needed > began;
  };
  if (second_reading_ || std::ranges::any_of(waiting_, outlasts)) begin_listing();
  for (const auto& question : std::exchange(waiting_, {})) {
    tell_answer(question.query.origin, origin);
    question.go_on({listed.status(), began});
  }
  // Objects that failed meanwhile are in back-off, but can be reconciled now.
  if (recovered && on_recovery_) on_recovery_(timers_.now() - failing_since);
}

}  // namespace ccm::cloud
