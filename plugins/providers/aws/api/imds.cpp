#include "imds.hpp"

#include "error.hpp"

#include <ccm/lower_case.hpp>
#include <ccm/trim.hpp>

#include <algorithm>
#include <utility>

namespace ccm::aws {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kMetadataTimeout{1'000};
constexpr int kMetadataTries = 2;
constexpr milliseconds kTokenLife{300'000};
constexpr size_t kLongestToken = 1'024;

bool is_visible(char c) { return c > ' ' && c <= '~'; }

Status silent(const Status& status) {
  return Status(Code::unavailable, ErrorClass::unavailable,
                "the instance metadata service does not answer (" + status.message() +
                    "): a pod needs hostNetwork, or a hop limit of 2")
      .with_reason("CloudUnavailable");
}

}  // namespace

void Imds::configure(const Environment& environment, std::string override_url, Http http) {
  http_ = std::move(http);
  disabled_ = environment.is_true("AWS_EC2_METADATA_DISABLED");
  version_1_allowed_ = !environment.is_true("AWS_EC2_METADATA_V1_DISABLED");
  url_ = environment.get("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (url_.empty()) url_ = std::move(override_url);
  const bool ipv6 = lower_case(environment.get("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE")) == "ipv6";
  if (url_.empty()) url_ = ipv6 ? "http://[fd00:ec2::254]" : "http://169.254.169.254";
  while (url_.ends_with('/')) url_.pop_back();
  token_ends_at_ = milliseconds(0);
}

HttpRequest Imds::request(std::string method, const std::string& path) const {
  HttpRequest request;
  request.method = std::move(method);
  request.url = url_ + "/" + path;
  request.operation = "InstanceMetadata";
  request.credential = "aws-metadata";
  request.timeout = kMetadataTimeout;
  request.max_tries = kMetadataTries;
  request.read_only = true;  // a token changes nothing that counts
  return request;
}

Task<Result<std::string>> Imds::token(Ctx ctx) {
  if (host_.timer.now() < token_ends_at_) co_return token_;
  HttpRequest question = request("PUT", "latest/api/token");
  question.headers.push_back(
      {"x-aws-ec2-metadata-token-ttl-seconds", std::to_string(kTokenLife.count() / 1'000)});
  auto answer = co_await http_.send(ctx, std::move(question));
  if (!answer.ok()) co_return silent(answer.status());
  const uint32_t code = answer->status_code;
  const bool only_version_1 = code == 403 || code == 404 || code == 405;
  if (code != 200 && !(only_version_1 && version_1_allowed_)) {
    co_return status_of("InstanceMetadata", *answer)
        .with_context("asking for a token of version 2");
  }
  std::string text(code == 200 ? trim(answer->body) : "");
  // It becomes a header.
  if (text.size() > kLongestToken || !std::all_of(text.begin(), text.end(), is_visible)) {
    co_return bad_answer("has a token that is none");
  }
  token_ = std::move(text);
  // A little less, so that none ends on its way.
  token_ends_at_ = host_.timer.now() + kTokenLife - milliseconds(10'000);
  co_return token_;
}

Task<Result<std::string>> Imds::get(Ctx ctx, std::string path) {
  if (disabled_) {
    co_return Status(Code::failed_precondition,
                     "access disabled to EC2 IMDS: AWS_EC2_METADATA_DISABLED is set");
  }
  for (bool again = false;; again = true) {
    auto token = co_await this->token(ctx);
    if (!token.ok()) co_return token.status();
    HttpRequest question = request("GET", path);
    if (!token->empty()) {
      question.headers.push_back({"x-aws-ec2-metadata-token", *token});
      question.secrets.push_back(*token);
    }
    auto answer = co_await http_.send(ctx, std::move(question));
    if (!answer.ok()) co_return silent(answer.status());
    if (answer->status_code == 200) co_return std::move(answer->body);
    if (answer->status_code == 404) {
      co_return Status(Code::not_found, ErrorClass::not_found,
                       "the instance metadata service has no " + path);
    }
    token_ends_at_ = milliseconds(0);
    if (answer->status_code != 401 || again) {
      co_return status_of("InstanceMetadata", *answer).with_context(path);
    }
  }
}

}  // namespace ccm::aws
