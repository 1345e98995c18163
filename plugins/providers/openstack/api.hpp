// Calls to the services of OpenStack through the host: token, URL, errors, pages. [serial]
#pragma once

#include "identity/session.hpp"

#include <ccm/http.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace ccm::openstack {

// One call. `operation` names it in metrics, logs and errors; from a small fixed set.
struct Call {
  std::string method = "GET";
  std::string service;    // its type in the catalog: "compute"
  std::string path;       // below the service's URL, with its query: "servers/ID"
  bool versions = false;  // its list of versions, which is above that URL; without a path
  std::string operation;
  std::string body;          // JSON; empty = none
  std::string microversion;  // "compute 2.47"; empty = the service's oldest
  std::string if_match;      // "revision_number=7": only when the object is still at that
  bool must_exist = false;   // a collection: a 404 is a failure, and never "there is none"
  bool idempotent = false;   // a write that may be sent once more when its answer is lost
  std::string replaces;      // of a write: what it takes away, for a dry run
};

// A collection that comes in pages.
struct Collection {
  std::string service;
  std::string path;  // with its query; limit and marker are added
  std::string operation;
  std::string microversion;
  int page_size = 500;      // half of the usual maximum halves the memory; 0 = the service's own
  bool must_exist = false;  // as in Call
};

// One page's description of itself.
struct PageInfo {
  size_t count = 0;     // objects on it
  std::string last_id;  // of the last one
  bool more = false;    // whether it says that there is another page
};
// Takes the pages in their order. `first`: the listing begins, perhaps once more.
using PageReader = std::function<Result<PageInfo>(const std::string& body, bool first)>;

class Api {
 public:
  // `region`: whose services are asked; nothing = that of [Global] region.
  explicit Api(Session& session, std::optional<std::string> region = std::nullopt)
      : session_(session), region_(std::move(region)) {}
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;

  // The answer, whatever its status but 401: then it has logged in and asked once more
  // (OS-84). Failures: those of Session::token, of the host's http, and unauthenticated when the
  // new token is refused as well (OS-85).
  Task<Result<HttpResponse>> exchange(Ctx ctx, Call call);
  // The body of a 2xx answer. Failures: those of exchange, and of status_of (answer.hpp); class
  // not_found only when the service itself says that the object of the path does not exist.
  Task<Result<std::string>> call(Ctx ctx, Call call);
  // Reads a collection to its end. It begins once more when the object at which a page ends is
  // deleted in between. Failures: those of call and of `reader`; bad_answer() for one of more than
  // 100,000 objects or 64 MiB.
  Task<Status> list(Ctx ctx, Collection collection, PageReader reader);

  // Whether the catalog has the service. Failures: those of Session::token and service_url.
  Task<Status> find_service(Ctx ctx, std::string service);

 private:
  Task<Result<HttpResponse>> send(Ctx ctx, const Call& call, Session::TokenPtr token);

  [[nodiscard]] Result<std::string> url_of(const Token& token, const std::string& service) const;

  Session& session_;
  const std::optional<std::string> region_;
};

}  // namespace ccm::openstack
