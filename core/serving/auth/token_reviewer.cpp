#include "serving/auth/token_reviewer.hpp"

#include "base/log.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace ccm::serving {

namespace asio = boost::asio;
using nlohmann::json;

namespace {

constexpr auto kReplace = json::error_handler_t::replace;
constexpr std::chrono::hours kGoodFor{1};

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

std::string token_review(const std::string& token) {
  const json review = {{"apiVersion", "authentication.k8s.io/v1"},
                       {"kind", "TokenReview"},
                       {"spec", {{"token", token}}}};
  return review.dump(-1, ' ', false, kReplace);
}

}  // namespace

Result<TokenReviewer::Owner> owner_in_review(const std::string& answer) {
  const json review = json::parse(answer, nullptr, false);
  const bool object =
      review.is_object() && review.contains("status") && review["status"].is_object();
  if (!object) return Status(Code::data_loss, "the answer to the token review is no TokenReview");
  const json& status = review["status"];
  const auto authenticated = status.find("authenticated");
  const bool known =
      authenticated != status.end() && authenticated->is_boolean() && authenticated->get<bool>();
  const auto user = status.find("user");
  if (!known || user == status.end() || !user->is_object()) return TokenReviewer::Owner();
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
    Result<Owner> shared = co_await ReviewsUnderWay<Owner>::wait(review);
    co_return shared;
  }
  under_way_.start(key, client_.executor());
  metrics_.reviews_in_flight.Increment();
  // A token that was valid lately has reserved places among the reviews.
  const bool known = good_before_.find(key).has_value();
  Requester requester{known ? key : std::move(machine), known};
  std::string review = token_review(token);
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

}  // namespace ccm::serving
