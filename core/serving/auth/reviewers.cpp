#include "serving/auth/reviewers.hpp"

#include "base/text.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace ccm::serving {

namespace asio = boost::asio;
using nlohmann::json;

namespace {

constexpr std::chrono::hours kGoodFor{1};     // a token, which then has a reserved place
constexpr std::size_t kLongestKept = 10'000;  // API-123
constexpr std::size_t kLongestReason = 256;

std::string review_text(const char* api_version, const char* kind, json spec) {
  const json review = {{"apiVersion", api_version}, {"kind", kind}, {"spec", std::move(spec)}};
  return review.dump(-1, ' ', false, json::error_handler_t::replace);
}

// The status in the answer to a review of that kind.
Result<json> status_in_review(const std::string& answer, const std::string& kind) {
  json review = json::parse(answer, nullptr, false);
  if (!review.is_object() || !review.contains("status") || !review["status"].is_object()) {
    return Status(Code::data_loss, "the answer to the review is no " + kind);
  }
  return std::move(review["status"]);
}

bool flag_of(const json& object, const char* member) {
  const auto found = object.find(member);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

std::string text_of(const json& object, const char* member) {
  const auto found = object.find(member);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::vector<std::string> texts_of(const json& list) {
  std::vector<std::string> result;
  for (const json& item : list) {
    if (item.is_string()) result.push_back(item.get<std::string>());
  }
  return result;
}

User read_user(const json& object) {
  User user;
  user.name = text_of(object, "username");
  user.uid = text_of(object, "uid");
  if (const auto groups = object.find("groups"); groups != object.end()) {
    user.groups = texts_of(*groups);
  }
  const auto extra = object.find("extra");
  if (extra != object.end() && extra->is_object()) {
    for (const auto& [key, values] : extra->items()) user.extra.emplace_back(key, texts_of(values));
  }
  return user;
}

std::string access_review(const User& user, const std::string& verb, const std::string& path) {
  json spec = {{"user", user.name},
               {"groups", user.groups},
               {"nonResourceAttributes", {{"path", path}, {"verb", verb}}}};
  if (!user.uid.empty()) spec["uid"] = user.uid;
  for (const auto& [key, values] : user.extra) spec["extra"][key] = values;
  return review_text("authorization.k8s.io/v1", "SubjectAccessReview", std::move(spec));
}

}  // namespace

Result<TokenReviewer::Owner> owner_in_review(const std::string& answer) {
  const Result<json> status = status_in_review(answer, "TokenReview");
  if (!status.ok()) return status.status();
  const auto user = status->find("user");
  if (!flag_of(*status, "authenticated") || user == status->end() || !user->is_object()) {
    return TokenReviewer::Owner();
  }
  return TokenReviewer::Owner(std::make_shared<const User>(read_user(*user)));
}

asio::awaitable<Result<TokenReviewer::Owner>> TokenReviewer::owner_of(std::string token,
                                                                      std::string machine) {
  const auto begin = std::chrono::steady_clock::now();
  std::string key = key_of_(token);
  if (auto known = cache_.find(key)) {
    metrics_.hits.count(begin);
    co_return *known;
  }
  // Questions that are destroyed with the loop are not counted: the counters may be gone by then.
  metrics_.blocked.Increment();
  Result<Owner> owner = co_await reviewed(std::move(key), std::move(token), std::move(machine));
  metrics_.blocked.Decrement();
  metrics_.misses.count(begin);
  co_return owner;
}

// By a review of its own, or by one of the same token that is under way.
asio::awaitable<Result<TokenReviewer::Owner>> TokenReviewer::reviewed(std::string key,
                                                                      std::string token,
                                                                      std::string machine) {
  if (const auto review = under_way_.find(key)) {
    co_return co_await ReviewsUnderWay<Owner>::wait(review);
  }
  under_way_.start(key, client_.executor());
  metrics_.reviews_in_flight.Increment();
  // A token that was valid lately has reserved places among the reviews.
  const bool known = good_before_.find(key).has_value();
  Requester requester{known ? key : std::move(machine), known};
  std::string review =
      review_text("authentication.k8s.io/v1", "TokenReview", {{"token", std::move(token)}});
  const Result<std::string> answer = co_await client_.post(std::move(review), std::move(requester));
  Result<Owner> owner = answer.ok() ? owner_in_review(*answer) : answer.status();
  metrics_.reviews_in_flight.Decrement();
  (owner.ok() ? metrics_.reviews_answered : metrics_.reviews_failed).Increment();
  if (owner.ok()) {
    cache_.put(key, *owner, lifetime_);
    if (*owner) good_before_.put(key, true, kGoodFor);
  } else if (const auto left_out = complaints_.pass()) {
    log::warning("A token review failed", {{"err", owner.status()}, {"leftOut", *left_out}});
  }
  under_way_.finish(key, owner);
  co_return owner;
}

Result<Verdict> verdict_in_review(const std::string& answer) {
  const Result<json> status = status_in_review(answer, "SubjectAccessReview");
  if (!status.ok()) return status.status();
  const bool allowed = flag_of(*status, "allowed");
  const bool denied = flag_of(*status, "denied");
  if (allowed && denied) return Status(Code::internal, "the review both allows and denies");
  Verdict verdict;
  if (allowed) verdict.decision = Verdict::Decision::allowed;
  if (denied) verdict.decision = Verdict::Decision::denied;
  verdict.reason = text_of(*status, "reason").substr(0, kLongestReason);
  return verdict;
}

asio::awaitable<Result<Verdict>> AccessReviewer::may(User user, std::string verb, std::string path,
                                                     std::string machine) {
  std::string review = access_review(user, verb, path);
  const bool keep = review.size() <= kLongestKept;
  const std::string key = key_of_(review);
  if (auto known = cache_.find(key)) co_return *known;
  if (const auto same = under_way_.find(key)) {
    co_return co_await ReviewsUnderWay<Verdict>::wait(same);
  }
  under_way_.start(key, client_.executor());
  const bool known = user.name != kAnonymous;
  Requester requester{known ? std::move(user.name) : std::move(machine), known};
  const Result<std::string> answer = co_await client_.post(std::move(review), std::move(requester));
  Result<Verdict> verdict = answer.ok() ? verdict_in_review(*answer) : answer.status();
  if (verdict.ok()) {
    const bool allowed = verdict->decision == Verdict::Decision::allowed;
    if (keep) cache_.put(key, *verdict, allowed ? lifetimes_.allowed : lifetimes_.refused);
  } else if (const auto left_out = complaints_.pass()) {
    log::warning("An access review failed", {{"path", utf8_front(path, kShownInLog)},
                                             {"err", verdict.status()},
                                             {"leftOut", *left_out}});
  }
  under_way_.finish(key, verdict);
  co_return verdict;
}

}  // namespace ccm::serving
