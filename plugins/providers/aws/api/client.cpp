#include "client.hpp"

#include "error.hpp"
#include "listing_limits.hpp"
#include "signer.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace ccm::aws {
namespace {

using std::chrono::milliseconds;

constexpr int kCallTries = 3;
constexpr int64_t kSmallestPage = 5;          // EC2 refuses less
constexpr milliseconds kCallTimeout{30'000};  // AWS-34
constexpr milliseconds kFirstPause{200};      // doubled for each further try

struct ApiForm {
  std::string_view version;
  ListForm lists;
};

ApiForm form_of(Api api) {
  switch (api) {
    case Api::ec2:
      return {"2016-11-15", ListForm::flat};
    case Api::elb:
      return {"2012-06-01", ListForm::member};
    case Api::elbv2:
      return {"2015-12-01", ListForm::member};
    case Api::sts:
      break;
  }
  return {"2011-06-15", ListForm::member};
}

// The value of the metric's label: the SDK's names of the services (AWS-8).
std::string_view service_name(Api api) {
  constexpr std::string_view kNames[] = {"EC2", "Elastic Load Balancing",
                                         "Elastic Load Balancing v2", "STS"};
  return kNames[static_cast<size_t>(api)];
}

// EC2 carries nothing out when it is asked so.
bool changes_nothing(const Call& call) {
  const auto& entries = call.params.entries();
  return is_read(call.action) ||
         std::any_of(entries.begin(), entries.end(), [](const Params::Entry& entry) {
           return entry.path == "DryRun" && entry.value == "true";
         });
}

bool may_repeat(const Call& call) { return call.idempotent || is_read(call.action); }

// Whether another try may help. A throttled call was not carried out; of one without an answer, or
// with a 5xx, nobody knows. Who is told to come back much later comes back by the host.
bool worth_another_try(const Call& call, const Status& status) {
  if (status.ok() || is_dry_run(status)) return false;
  if (status.error_class() == ErrorClass::throttled) return status.retry_after() <= kThrottlePause;
  return may_repeat(call) && status.code() == Code::unavailable;
}

// A proxy's page may be a document, too, and would be an empty listing.
Result<Answer> read_answer(const Call& call, const std::string& body) {
  auto document = XmlDocument::parse(body, call.skipped);
  if (!document.ok()) {
    Status status = bad_answer(document.status().message()).with_context(call.action);
    if (document.status().code() == Code::resource_exhausted) status.with_reason(kAnswerTooLarge);
    return status;
  }
  Answer answer(*std::move(document), body.size());
  if (!answer.answers(call)) return bad_answer("is none of this call").with_context(call.action);
  return answer;
}

// The host's failure to get an answer; class throttled is its own budget.
Status not_sent(const Call& call, Status status) {
  status.with_context(call.action);
  if (status.code() != Code::resource_exhausted || status.error_class() == ErrorClass::throttled) {
    return status;
  }
  return Status(Code::data_loss, ErrorClass::unavailable, status.message())
      .with_reason(kAnswerTooLarge);
}

std::string* page_size(Call& call) {
  return call.params.find(call.api == Api::ec2 ? ApiName("MaxResults") : ApiName("PageSize"));
}

std::string next_page(XmlElement result, Api api) {
  return result.text(api == Api::ec2 ? ApiName("nextToken") : ApiName("NextMarker"));
}

}  // namespace

Client::Client(Host& host, Credentials& credentials, std::string user_agent)
    : host_(host),
      credentials_(credentials),
      user_agent_(std::move(user_agent)),
      duration_(host.metrics.histogram(
          "cloudprovider_aws_api_request_duration_seconds", "Latency of AWS API calls",
          {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}, {"request"})),
      errors_(host.metrics.counter("cloudprovider_aws_api_request_errors", "AWS API errors",
                                   {"request"})),
      throttled_(host.metrics.counter("cloudprovider_aws_api_throttled_requests_total",
                                      "AWS API throttled requests", {"operation_name"})),
      statuses_(host.metrics.counter("cloudprovider_aws_api_response_status_total",
                                     "AWS API responses with an error status",
                                     {"service", "operation", "status_code"})) {}

void Client::configure(Endpoints endpoints, Http http) {
  endpoints_ = std::move(endpoints);
  http_ = std::move(http);
}

HttpRequest Client::request_of(const Call& call) const {
  const ApiForm form = form_of(call.api);
  HttpRequest request;
  request.method = "POST";
  request.url = endpoints_.of(call.api).url + "/";
  request.headers.push_back({"content-type", "application/x-www-form-urlencoded; charset=utf-8"});
  request.headers.push_back({"user-agent", user_agent_});
  request.body = form_body(call.action, form.version, call.params, form.lists);
  request.operation = call.action;
  request.credential = call.api == Api::ec2 ? "aws-ec2" : "aws-elasticloadbalancing";
  request.timeout = kCallTimeout;
  request.max_tries = 1;  // each try is signed anew, and its refusal counts for the rate
  request.read_only = changes_nothing(call);
  request.replaces = call.replaces;
  return request;
}

// Until the family's turn.
Task<Status> Client::wait_for_turn(Ctx ctx, const Call& call) {
  const milliseconds now = host_.timer.now();
  Rate& rate = rates_.of(call);
  const milliseconds wait = rate.take_turn(now) - now;
  if (wait <= milliseconds(0)) co_return Status();
  if (wait > ctx.remaining()) {
    co_return Status(
        Code::resource_exhausted, ErrorClass::throttled,
        call.action + ": AWS throttles this account; no call is left before the deadline")
        .with_reason("CloudThrottled")
        .with_retry_after(wait);
  }
  Status waited = co_await host_.timer.sleep(ctx, wait);
  co_return waited;
}

// One try.
Task<Result<HttpResponse>> Client::send(Ctx ctx, const Call& call) {
  Status turn = co_await wait_for_turn(ctx, call);
  if (!turn.ok()) co_return turn;
  auto keys = co_await credentials_.keys(ctx);
  if (!keys.ok()) co_return keys.status().with_context(call.action);
  HttpRequest request = request_of(call);
  Status status = sign(host_.crypto, **keys, endpoints_.of(call.api),
                       clock_.now(host_.timer.wall_clock()), request);
  if (!status.ok()) co_return status.with_context(call.action);
  const milliseconds begun = host_.timer.now();
  auto answer = co_await http_.send(ctx, std::move(request));
  duration_.record(static_cast<double>((host_.timer.now() - begun).count()) / 1e3, {call.action});
  if (!answer.ok()) co_return not_sent(call, answer.status());
  co_return learn(call, *keys, *std::move(answer));
}

// The answer of 2xx, or its failure, from which rate, clock and credentials learn.
Result<HttpResponse> Client::learn(const Call& call, const KeysPtr& keys, HttpResponse answer) {
  Status status = status_of(call.action, answer);
  if (status.ok()) return answer;
  statuses_.record(1, {service_name(call.api), call.action, std::to_string(answer.status_code)});
  if (status.error_class() == ErrorClass::throttled) {
    rates_.of(call).throttled(host_.timer.now());
    throttled_.record(1, {call.action});
  }
  if (status.code() != Code::unauthenticated) return status;
  const ApiError error = read_error(answer.body);
  if (clock_.corrected(error.code, error.message, answer, host_.timer.wall_clock())) {
    clock_.tell(host_.log);
    return std::move(status).with_reason(kClockCorrected);
  }
  credentials_.refused(keys);
  return status;
}

Task<Result<Answer>> Client::call(Ctx ctx, Call call) {
  milliseconds pause = kFirstPause;
  for (int left = kCallTries - 1;; --left) {
    auto answer = co_await send(ctx, call);
    if (answer.ok()) co_return read_answer(call, answer->body);
    const Status status = answer.status();
    const bool at_once = status.reason() == kClockCorrected;
    const bool again = left > 0 && (at_once || worth_another_try(call, status));
    if (!again || pause >= ctx.remaining()) {
      errors_.record(1, {call.action});
      co_return status;
    }
    if (at_once) continue;
    Status waited = co_await host_.timer.sleep(ctx, pause);
    if (!waited.ok()) co_return status;
    pause *= 2;
  }
}

Task<Status> Client::run(Ctx ctx, Call call) {
  auto answer = co_await this->call(std::move(ctx), std::move(call));
  co_return answer.status();
}

Task<Status> Client::pages(Ctx ctx, Call call, PageReader reader) {
  limit_page(call);
  for (;;) {
    bool begun = false;
    Status status = co_await read_pages(ctx, call, reader, begun);
    const bool smaller = status.reason() == kAnswerTooLarge && halve_page(call);
    if (!smaller || begun) co_return status;
  }
}

// Not larger than what was found to fit.
void Client::limit_page(Call& call) const {
  const auto known = page_sizes_.find({call.api, call.action});
  std::string* size = page_size(call);
  if (known == page_sizes_.end() || size == nullptr) return;
  *size = std::to_string(std::min<int64_t>(known->second, std::atoll(size->c_str())));
}

// Whether there is a smaller page to ask for.
bool Client::halve_page(Call& call) {
  std::string* size = page_size(call);
  const int64_t before = size == nullptr ? 0 : std::atoll(size->c_str());
  if (before <= kSmallestPage) return false;
  const int64_t now = std::max(before / 2, kSmallestPage);
  *size = std::to_string(now);
  int64_t& known = page_sizes_.try_emplace({call.api, call.action}, now).first->second;
  known = std::min(known, now);  // two listings may have met it
  host_.log.warning("An answer of AWS was too large: smaller pages are asked for",
                    {{"call", call.action}, {"page", *size}});
  return true;
}

Task<Status> Client::read_pages(Ctx ctx, const Call& call, const PageReader& reader, bool& begun) {
  const bool ec2 = call.api == Api::ec2;
  ListingLimits limits;
  std::string token;
  for (;;) {
    Call question = call;
    if (!token.empty()) question.params.set(ec2 ? ApiName("NextToken") : ApiName("Marker"), token);
    auto answer = co_await this->call(ctx, std::move(question));
    if (!answer.ok()) co_return answer.status();
    begun = true;
    Status read = reader(answer->result());
    if (!read.ok()) co_return read.with_context(call.action);
    token = next_page(answer->result(), call.api);
    if (token.empty()) co_return Status();
    if (!limits.allows(answer->bytes(), token)) break;
  }
  co_return bad_answer("has pages without an end").with_context(call.action);
}

}  // namespace ccm::aws
