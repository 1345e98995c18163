// Calls to DigitalOcean's API through the host: address, token, agent, limit, errors. [serial]
#pragma once

#include "access_token.hpp"
#include "call_rate.hpp"
#include "settings.hpp"

#include <ccm/host.hpp>
#include <ccm/http.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace ccm::digitalocean {

inline constexpr int64_t kPageSize = 200;  // the API's maximum (DO-54)

// One call. `operation` names it in metrics, logs and errors; from a small fixed set.
struct Call {
  std::string method = "GET";
  std::string path;  // "/v2/..." with its query
  std::string operation;
  std::string body;                 // JSON; empty = none
  uint32_t* status_code = nullptr;  // gets the answer's; stays as it is when there was none
  std::string replaces{};           // of a write: what it takes away, for a dry run
};

// A reader's report on one page.
struct PageInfo {
  int64_t count = 0;  // items on this page
  int64_t total = 0;  // items of the whole listing, as the page says
};
// Checks whether the pages of a collection are consistent.
struct Collection {
  int64_t count = 0;        // items on all pages
  int64_t total = 0;        // by the first page
  bool same_total = false;  // all the others agree
};
// Takes page 1, 2, ... from the cloud, page 1 first, the others in any order. A repeated page
// replaces the earlier one: the listing has been restarted with page 1.
using PageReader = std::function<Result<PageInfo>(int64_t page, const std::string& body)>;

class Api {
 public:
  explicit Api(Host& host) : host_(host), token_(host) {}
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;

  void configure(Settings settings) { settings_ = std::move(settings); }
  [[nodiscard]] const Settings& settings() const { return settings_; }

  // The body of a 2xx answer. Failures: those of status_of (answer.hpp), of the host's http, and
  // invalid_argument when there is no token.
  Task<Result<std::string>> call(Ctx ctx, Call call);

  // Reads a whole collection, 200 a page, later pages several at once. ok only when the pages
  // together have as many items as each of them says (DO-326). Failures: aborted, class conflict,
  // when it changed while it was read, even after retries; those of call and of `reader`. `path` is
  // the collection's, without page and per_page; it may have a query. `failed_code` gets the status
  // code of a call that fails it, 0 when that had no answer; else it stays as it is.
  Task<Status> list(Ctx ctx, std::string path, std::string operation, PageReader reader,
                    uint32_t* failed_code = nullptr);

  // Reads each page once and leaves it to the caller whether they are consistent. Failures: those
  // of call and of `reader`; data_loss when a page is empty and says that there are more, for a
  // page of more than 200 items, and for a listing of more than 100,000 or 64 MiB.
  Task<Result<Collection>> read_pages(Ctx ctx, std::string path, std::string operation,
                                      PageReader reader, uint32_t* failed_code = nullptr);

  // One plain GET of the metadata service (DO-56): no token, no retries, short.
  Task<Result<std::string>> metadata(Ctx ctx, std::string path);

 private:
  Task<Status> read_later_page(Ctx ctx, std::string path, std::string operation, int64_t number,
                               PageReader reader, Collection& all, uint32_t* failed_code);
  Task<Result<PageInfo>> page(Ctx ctx, std::string path, std::string operation, int64_t number,
                              PageReader reader, uint32_t* failed_code);
  Task<Status> wait_for_turn(Ctx ctx);

  [[nodiscard]] HttpRequest request_of(const Call& call, const std::string& token) const;

  Host& host_;
  AccessToken token_;
  Settings settings_;
  std::shared_ptr<CallRate> rate_ = CallRate::of_process();
};

}  // namespace ccm::digitalocean
