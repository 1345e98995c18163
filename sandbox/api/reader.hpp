#pragma once

#include "api/request_info.hpp"
#include "api/selector.hpp"
#include "api/view.hpp"
#include "store/store.hpp"

#include <optional>

namespace sandbox {

// Either a finished answer or the request to be called again when the store has changed.
struct ReadOutcome {
  http::Response response;
  bool wait = false;
};

// GET of one object (API-14).
ReadOutcome read_object(const Store& store, const RequestInfo& info, const http::Request& request);

// LIST (API-15 to API-20).
ReadOutcome read_list(Store& store, const RequestInfo& info, const http::Request& request);

Selector parse_selector(const RequestInfo& info, const http::Request& request);
// Nothing for an absent or empty parameter; throws for a value that is not a number: 400 in a list,
// and elsewhere the real server's 500.
std::optional<Revision> parse_revision(const http::Request& request, bool list);

// How long a request waits for a revision that the store has not reached (API-17).
inline constexpr std::chrono::seconds kRevisionWait{3};
// True while the request may still wait; throws 504 when it has waited long enough.
bool must_wait(const Store& store, const http::Request& request, Revision wanted);

}  // namespace sandbox
