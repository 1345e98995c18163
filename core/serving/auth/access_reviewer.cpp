#include "serving/auth/access_reviewer.hpp"

#include "base/log.hpp"
#include "base/text.hpp"
#include "serving/message.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace ccm::serving {

namespace asio = boost::asio;
using nlohmann::json;

namespace {

constexpr std::size_t kLongestKept = 10'000;  // API-123
constexpr std::size_t kLongestReason = 256;

bool flag_of(const json& object, const char* member) {
  const auto found = object.find(member);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

std::string access_review(const User& user, const std::string& verb, const std::string& path) {
  json spec = {{"user", user.name},
               {"groups", user.groups},
               {"nonResourceAttributes", {{"path", path}, {"verb", verb}}}};
  if (!user.uid.empty()) spec["uid"] = user.uid;
  for (const auto& [key, values] : user.extra) spec["extra"][key] = values;
  const json review = {{"apiVersion", "authorization.k8s.io/v1"},
                       {"kind", "SubjectAccessReview"},
                       {"spec", std::move(spec)}};
  return review.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

Result<Verdict> verdict_in_review(const std::string& answer) {
  const json review = json::parse(answer, nullptr, false);
  const bool object =
      review.is_object() && review.contains("status") && review["status"].is_object();
  if (!object) {
    return Status(Code::data_loss, "the answer to the access review is no SubjectAccessReview");
  }
  const json& status = review["status"];
  const bool allowed = flag_of(status, "allowed");
  const bool denied = flag_of(status, "denied");
  if (allowed && denied) return Status(Code::internal, "the review both allows and denies");
  Verdict verdict;
  if (allowed) verdict.decision = Verdict::Decision::allowed;
  if (denied) verdict.decision = Verdict::Decision::denied;
  const auto reason = status.find("reason");
  if (reason != status.end() && reason->is_string()) {
    verdict.reason = reason->get<std::string>().substr(0, kLongestReason);
  }
  return verdict;
}

asio::awaitable<Result<Verdict>> AccessReviewer::may(User user, std::string verb, std::string path,
                                                     std::string machine) {
  std::string review = access_review(user, verb, path);
  const bool keep = review.size() <= kLongestKept;
  const std::string key = key_of_(review);
  if (auto known = cache_.find(key)) co_return *known;
  if (const auto same = under_way_.find(key)) {
    Result<Verdict> shared = co_await ReviewsUnderWay<Verdict>::wait(same);
    co_return shared;
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
