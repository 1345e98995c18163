#include "api.hpp"

#include "answer.hpp"
#include "identity/endpoints.hpp"

#include <ccm/percent_encode.hpp>

#include <utility>

namespace ccm::openstack {
namespace {

constexpr int kListingTries = 3;
constexpr uint32_t kTriesOfAWrite = 3;
// Pages of one listing: more than any project has, fewer than a service that repeats itself gives.
constexpr int kMostPages = 1000;
// Limits of one listing, for the memory that it takes while it is read.
constexpr size_t kMostListed = 100'000;
constexpr size_t kMostListedBytes = 64u << 20;

std::string page_path(const Collection& collection, const std::string& marker) {
  std::string path = collection.path;
  const auto add = [&path](const char* name, const std::string& value) {
    path += path.find('?') == std::string::npos ? '?' : '&';
    path += name + value;
  };
  if (collection.page_size > 0) add("limit=", std::to_string(collection.page_size));
  if (!marker.empty()) add("marker=", percent_encode(marker));
  return path;
}

// The marker's object is gone: Nova says 400, Neutron 404.
bool marker_is_gone(const Status& status, const std::string& marker) {
  return !marker.empty() &&
         (status.code() == Code::invalid_argument || status.code() == Code::not_found);
}

Status too_long() {
  return bad_answer("has more than " + std::to_string(kMostListed) + " objects, or more than " +
                    std::to_string(kMostListedBytes >> 20U) + " MiB of them");
}

// Not the object's absence: the service's or the login's.
Status without_not_found(Status status) {
  if (status.error_class() != ErrorClass::not_found) return status;
  return Status(Code::unavailable, ErrorClass::unavailable, status.message())
      .with_reason("CloudUnavailable");
}

}  // namespace

Result<std::string> Api::url_of(const Token& token, const std::string& service) const {
  const GlobalSettings& global = session_.settings();
  return service_url(token, global.os_endpoint_type, region_.value_or(global.region), service);
}

Task<Result<HttpResponse>> Api::send(Ctx ctx, const Call& call, Session::TokenPtr token) {
  auto url = url_of(*token, call.service);
  if (!url.ok()) co_return url.status();
  HttpRequest request;
  request.method = call.method;
  request.url = (call.versions ? without_version(*url) : *url) + "/" + call.path;
  request.headers.push_back({"accept", "application/json"});
  request.headers.push_back({"user-agent", session_.user_agent()});
  request.headers.push_back({"x-auth-token", token->id.reveal()});
  if (!call.microversion.empty()) {
    request.headers.push_back({"openstack-api-version", call.microversion});
  }
  if (!call.if_match.empty()) request.headers.push_back({"if-match", call.if_match});
  if (!call.body.empty()) request.headers.push_back({"content-type", "application/json"});
  request.body = call.body;
  request.operation = call.operation;
  request.replaces = call.replaces;
  request.credential = "openstack-" + call.service;
  request.timeout = session_.timeout();
  if (call.idempotent) request.max_tries = kTriesOfAWrite;
  auto answer = co_await session_.http().send(ctx, std::move(request));
  if (!answer.ok()) co_return answer.status().with_context(call.operation);
  co_return answer;
}

Task<Result<HttpResponse>> Api::exchange(Ctx ctx, Call call) {
  for (bool again = false;; again = true) {
    auto token = co_await session_.token(ctx);
    if (!token.ok()) co_return without_not_found(token.status());
    auto answer = co_await send(ctx, call, *token);
    if (!answer.ok() || answer->status_code != 401) co_return answer;
    session_.refused(*token);
    if (again) {
      Status status = status_of(call.operation, *answer);
      co_return std::move(status).with_context("a new token is refused as well");
    }
  }
}

Task<Result<std::string>> Api::call(Ctx ctx, Call call) {
  const std::string operation = call.operation;
  const bool must_exist = call.must_exist;
  auto answer = co_await exchange(ctx, std::move(call));
  if (!answer.ok()) co_return answer.status();
  Status status = status_of(operation, *answer);
  if (!status.ok()) co_return must_exist ? without_not_found(std::move(status)) : status;
  co_return std::move(answer->body);
}

Task<Status> Api::list(Ctx ctx, Collection collection, PageReader reader) {
  std::string marker;
  int tries = kListingTries;
  size_t count = 0;
  size_t bytes = 0;
  for (int pages = 0; pages < kMostPages; ++pages) {
    Call question;
    question.service = collection.service;
    question.path = page_path(collection, marker);
    question.operation = collection.operation;
    question.microversion = collection.microversion;
    question.must_exist = collection.must_exist && marker.empty();
    auto body = co_await call(ctx, std::move(question));
    if (!body.ok()) {
      if (!marker_is_gone(body.status(), marker) || --tries == 0) co_return body.status();
      marker.clear();
      continue;
    }
    count = marker.empty() ? 0 : count;
    bytes = marker.empty() ? body->size() : bytes + body->size();
    if (bytes > kMostListedBytes) co_return too_long().with_context(collection.operation);
    auto page = reader(*body, marker.empty());
    if (!page.ok()) co_return page.status().with_context(collection.operation);
    count += page->count;
    if (count > kMostListed) co_return too_long().with_context(collection.operation);
    if (page->count == 0 || !page->more) co_return Status();
    if (page->last_id.empty() || page->last_id == marker) break;
    marker = page->last_id;
  }
  co_return bad_answer("has pages without an end").with_context(collection.operation);
}

Task<Status> Api::find_service(Ctx ctx, std::string service) {
  auto token = co_await session_.token(ctx);
  if (!token.ok()) co_return token.status();
  auto url = url_of(**token, service);
  co_return url.status();
}

}  // namespace ccm::openstack
