#include "api.hpp"

#include "answer.hpp"

#include <ccm/gather.hpp>

#include <algorithm>
#include <utility>

namespace ccm::digitalocean {
namespace {

using std::chrono::milliseconds;

// How often a listing starts again because items came or went in between.
constexpr int kListingTries = 3;
// Pages that are read at once: enough to hide the cloud's latency, few enough for the memory of
// half a megabyte of JSON a page.
constexpr size_t kPagesAtOnce = 4;
// Limits of one listing, for the memory that it takes while it is read.
constexpr int64_t kMostListed = 100'000;
constexpr size_t kMostListedBytes = 64u << 20;
constexpr milliseconds kMetadataTimeout{2'000};
constexpr uint32_t kUnauthorized = 401;
constexpr uint32_t kTooManyRequests = 429;
constexpr uint32_t kServerError = 500;

std::string page_path(const std::string& path, int64_t number) {
  const char* separator = path.find('?') == std::string::npos ? "?" : "&";
  return path + separator + "page=" + std::to_string(number) +
         "&per_page=" + std::to_string(kPageSize);
}

Status changed() {
  return Status(Code::aborted, ErrorClass::conflict, "the list changed while it was read")
      .with_reason("ListChanged");
}

Status too_long() {
  return bad_answer("has more than " + std::to_string(kMostListed) + " items, or more than " +
                    std::to_string(kMostListedBytes >> 20U) + " MiB of them");
}

}  // namespace

HttpRequest Api::request_of(const Call& call, const std::string& token) const {
  HttpRequest request;
  request.method = call.method;
  request.url = settings_.api_url + call.path;
  request.headers.push_back({"authorization", "Bearer " + token});
  request.headers.push_back({"accept", "application/json"});
  // Also on a DELETE without a body (DO-44).
  if (call.method != "GET") request.headers.push_back({"content-type", "application/json"});
  request.body = call.body;
  request.operation = call.operation;
  request.replaces = call.replaces;
  request.credential = "digitalocean";
  return request;
}

Task<Result<std::string>> Api::call(Ctx ctx, Call call) {
  for (bool again = true;; again = false) {
    Status turn = co_await wait_for_turn(ctx);
    if (!turn.ok()) co_return turn;
    const auto token = token_.next();
    if (!token.ok()) co_return token.status();
    HttpRequest request = request_of(call, *token);
    auto answer = co_await host_.http.send(ctx, std::move(request));
    if (!answer.ok()) co_return answer.status().with_context(call.operation);
    const uint32_t code = answer->status_code;
    if (code == kUnauthorized && token_.refused(*token) && again) continue;
    if (code != kUnauthorized && code != kTooManyRequests && code < kServerError) {
      token_.taken(*token);
    }
    if (call.status_code != nullptr) *call.status_code = answer->status_code;
    Status status = status_of(call.operation, *answer, host_.timer.wall_clock());
    if (!status.ok()) co_return status;
    co_return std::move(answer->body);
  }
}

Task<Status> Api::list(Ctx ctx, std::string path, std::string operation, PageReader reader,
                       uint32_t* failed_code) {
  for (int left = kListingTries;; --left) {
    auto pages = co_await read_pages(ctx, path, operation, reader, failed_code);
    if (!pages.ok()) co_return pages.status();
    if (pages->count > pages->total) {
      co_return bad_answer("has a list whose length cannot be right").with_context(operation);
    }
    if (pages->same_total && pages->count == pages->total) co_return Status();
    if (left == 1) co_return changed().with_context(operation);
  }
}

Task<Result<Collection>> Api::read_pages(Ctx ctx, std::string path, std::string operation,
                                         PageReader reader, uint32_t* failed_code) {
  size_t bytes = 0;
  PageReader counted = [&bytes, &reader](int64_t number,
                                         const std::string& body) -> Result<PageInfo> {
    bytes += body.size();
    if (bytes > kMostListedBytes) return too_long();
    auto info = reader(number, body);
    if (info.ok() && info->count > kPageSize) return bad_answer("has a page that is too long");
    return info;
  };
  auto first = co_await page(ctx, path, operation, 1, counted, failed_code);
  if (!first.ok()) co_return first.status();
  const int64_t size = first->count;
  Collection all{size, first->total, true};
  if (all.total > kMostListed) co_return too_long().with_context(operation);
  if ((size == 0 && all.total > 0) || all.total < 0) {
    co_return bad_answer("has a list whose length cannot be right").with_context(operation);
  }
  // The API may give smaller pages than requested.
  const int64_t pages = size == 0 ? 1 : std::max<int64_t>((all.total + size - 1) / size, 1);
  auto read = [&](size_t index) -> Task<Status> {
    const int64_t number = static_cast<int64_t>(index) + 2;
    return read_later_page(ctx, path, operation, number, counted, all, failed_code);
  };
  std::function<Task<Status>(size_t)> work = read;
  Status status = co_await gather(host_.post, static_cast<size_t>(pages - 1), kPagesAtOnce, work);
  if (!status.ok()) co_return status;
  co_return all;
}

Task<Status> Api::read_later_page(Ctx ctx, std::string path, std::string operation, int64_t number,
                                  PageReader reader, Collection& all, uint32_t* failed_code) {
  auto info = co_await page(ctx, path, operation, number, reader, failed_code);
  if (!info.ok()) co_return info.status();
  if (info->count == 0 && info->total == all.total) {
    co_return bad_answer("has an empty page before its end").with_context(operation);
  }
  all.same_total = all.same_total && info->total == all.total;
  all.count += info->count;
  co_return Status();
}

Task<Result<PageInfo>> Api::page(Ctx ctx, std::string path, std::string operation, int64_t number,
                                 PageReader reader, uint32_t* failed_code) {
  uint32_t code = 0;
  Call question;
  question.path = page_path(path, number);
  question.operation = operation;
  question.status_code = &code;
  auto body = co_await call(ctx, std::move(question));
  if (!body.ok()) {
    if (failed_code != nullptr) *failed_code = code;
    co_return body.status();
  }
  auto info = reader(number, *body);
  if (!info.ok()) co_return info.status().with_context(operation);
  co_return info;
}

Task<Result<std::string>> Api::metadata(Ctx ctx, std::string path) {
  HttpRequest request;
  request.url = settings_.metadata_url + path;
  request.operation = "GetMetadata";
  request.credential = "digitalocean-metadata";
  request.timeout = kMetadataTimeout;
  request.max_tries = 1;
  auto answer = co_await host_.http.send(ctx, std::move(request));
  if (!answer.ok()) co_return answer.status().with_context("GetMetadata");
  if (answer->status_code != 200) {
    co_return Status(
        Code::unavailable, ErrorClass::unavailable,
        "droplet metadata returned non-200 status code: " + std::to_string(answer->status_code));
  }
  co_return std::move(answer->body);
}

Task<Status> Api::wait_for_turn(Ctx ctx) {
  if (settings_.calls_per_second <= 0) co_return Status();
  if (Status ended = ctx.status(); !ended.ok()) co_return ended;
  const milliseconds now = host_.timer.now();
  const milliseconds left = ctx.remaining();
  const milliseconds wait = rate_->take_turn(now, settings_.calls_per_second, left) - now;
  if (wait > left) {
    co_return Status(Code::resource_exhausted, ErrorClass::throttled,
                     "DO_API_RATE_LIMIT_QPS leaves no call before the deadline")
        .with_retry_after(wait);
  }
  if (wait <= milliseconds(0)) co_return Status();
  Status waited = co_await host_.timer.sleep(ctx, wait);
  co_return waited;
}

}  // namespace ccm::digitalocean
