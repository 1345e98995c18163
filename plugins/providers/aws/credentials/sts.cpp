#include "sts.hpp"

#include "aws/api/call.hpp"
#include "aws/api/error.hpp"
#include "aws/api/signer.hpp"
#include "json_keys.hpp"

#include <utility>

namespace ccm::aws {
namespace {

constexpr std::chrono::milliseconds kStsTimeout{10'000};
constexpr uint32_t kStsTries = 3;
constexpr XmlLimits kStsLimits{256u << 10, 1'000, 16, 200};

Result<Keys> read_keys(const std::string& body) {
  auto document = XmlDocument::parse(body, {}, kStsLimits);
  if (!document.ok()) return bad_answer(document.status().message());
  const Answer answer(*std::move(document));
  const XmlElement given = answer.result().child("Credentials");
  Keys keys;
  keys.access_key_id = given.text("AccessKeyId");
  keys.secret_access_key = Secret(given.text("SecretAccessKey"));
  keys.session_token = Secret(given.text("SessionToken"));
  const auto expires = parse_expiration(given.text("Expiration"));
  if (!keys.complete() || !expires) return bad_answer("has no keys with an Expiration");
  keys.expires_at = *expires;
  return keys;
}

}  // namespace

Task<Result<Keys>> ask_sts(Host& host, Ctx ctx, const StsAccess& sts, std::string action,
                           Params params, const Keys* signed_with,
                           std::vector<HttpHeader> headers) {
  HttpRequest request;
  request.method = "POST";
  request.url = sts.endpoint.url + "/";
  request.headers = std::move(headers);
  request.headers.push_back({"content-type", "application/x-www-form-urlencoded; charset=utf-8"});
  request.headers.push_back({"user-agent", sts.user_agent});
  request.body = form_body(action, "2011-06-15", params, ListForm::member);
  request.operation = action;
  request.credential = "aws-sts";
  request.timeout = kStsTimeout;
  // It changes nothing in the cloud, and one too many is no harm.
  request.max_tries = kStsTries;
  request.read_only = true;
  for (const Params::Entry& entry : params.entries()) {
    if (entry.path == "WebIdentityToken") request.secrets.push_back(entry.value);
  }
  for (bool again = signed_with != nullptr;; again = false) {
    HttpRequest attempt = request;
    if (signed_with != nullptr) {
      Status status = sign(host.crypto, *signed_with, sts.endpoint,
                           sts.clock->now(host.timer.wall_clock()), attempt);
      if (!status.ok()) co_return status;
    }
    auto answer = co_await sts.http.send(ctx, std::move(attempt));
    if (!answer.ok()) co_return answer.status().with_context(action);
    Status status = status_of(action, *answer);
    if (status.ok()) {
      auto keys = read_keys(answer->body);
      if (!keys.ok()) co_return keys.status().with_context(action);
      keys->expires_at -= sts.clock->ahead();
      co_return keys;
    }
    const ApiError error = read_error(answer->body);
    if (!again ||
        !sts.clock->corrected(error.code, error.message, *answer, host.timer.wall_clock())) {
      co_return status;
    }
    sts.clock->tell(host.log);
  }
}

std::string session_name(Host& host) {
  return "ccm-" + std::to_string(host.timer.wall_clock().count());
}

}  // namespace ccm::aws
