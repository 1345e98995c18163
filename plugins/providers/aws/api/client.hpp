// All calls to AWS: address, signature, rate, clock, errors, pages. [serial]
//
//   Call call{Api::elbv2, "DescribeTargetGroups"};
//   call.params.set("LoadBalancerArn", arn);
//   auto answer = co_await client.call(ctx, std::move(call));
//   if (!answer.ok()) co_return answer.status();
//   for (XmlElement group : answer->result().list("TargetGroups")) {
//     names.push_back(group.text("TargetGroupName"));
//   }
#pragma once

#include "aws/config/endpoints.hpp"
#include "aws/credentials/credentials.hpp"
#include "call.hpp"
#include "clock.hpp"
#include "rate.hpp"

#include <ccm/host.hpp>
#include <ccm/http.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace ccm::aws {

// The reason of a refusal for the time, after which the next try has the right one.
inline constexpr const char* kClockCorrected = "ClockCorrected";
// The reason of data_loss for an answer beyond the limits of bytes (the host's) or elements.
inline constexpr const char* kAnswerTooLarge = "AnswerTooLarge";

// Takes the result of one page (Answer::result); a failure ends the listing.
using PageReader = std::function<Status(XmlElement page)>;

class Client {
 public:
  // `credentials` sign all calls; `user_agent` names the program to AWS.
  Client(Host& host, Credentials& credentials, std::string user_agent);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Before the first call: where the APIs are, and the client for calls to them.
  void configure(Endpoints endpoints, Http http);
  [[nodiscard]] const Endpoints& endpoints() const { return endpoints_; }
  // The time that all calls are signed with.
  [[nodiscard]] Clock& clock() { return clock_; }

  // One call. Failures are those of status_of() (error.hpp): their reason is AWS's code
  // ("DuplicateListener"), their class says what to do. Besides:
  //  - unavailable when no answer came: a write may have been carried out;
  //  - throttled, with retry_after, when the rate of the API's family leaves no call before ctx
  //    ends;
  //  - CCM_REASON_DRY_RUN and CCM_REASON_NOT_LEADING of the host;
  //  - those of the credentials.
  //  - data_loss for an answer that is none of this call.
  // Up to two more tries when throttled or the clock was wrong; when unavailable if idempotent.
  Task<Result<Answer>> call(Ctx ctx, Call call);

  // call() for an action without a result that matters.
  Task<Status> run(Ctx ctx, Call call);

  // All pages of a Describe call, by NextToken (EC2) or Marker (the others). The caller sets the
  // page size, MaxResults or PageSize; when a page is too large, half of it is asked for from then
  // on, down to five: at once when it is the first one, else by the next listing. Failures: those
  // of call() and of `reader`; data_loss for more than 1,000 pages or 1 GiB of them, or pages that
  // repeat.
  Task<Status> pages(Ctx ctx, Call call, PageReader reader);

 private:
  // `begun`: whether the reader has got a page.
  Task<Status> read_pages(Ctx ctx, const Call& call, const PageReader& reader, bool& begun);
  void limit_page(Call& call) const;
  bool halve_page(Call& call);
  [[nodiscard]] HttpRequest request_of(const Call& call) const;
  Task<Status> wait_for_turn(Ctx ctx, const Call& call);
  Task<Result<HttpResponse>> send(Ctx ctx, const Call& call);
  Result<HttpResponse> learn(const Call& call, const KeysPtr& keys, HttpResponse answer);

  Host& host_;
  Credentials& credentials_;
  const std::string user_agent_;
  Endpoints endpoints_;
  Http http_;
  Clock clock_;
  Rates rates_;
  std::map<std::pair<Api, std::string>, int64_t> page_sizes_;  // by action; smaller than usual
  Metric duration_;
  Metric errors_;
  Metric throttled_;
  Metric statuses_;
};

}  // namespace ccm::aws
