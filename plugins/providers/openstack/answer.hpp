// The meaning of an OpenStack service's answer for the caller: its status and error body as a
// ccm::Status (OS-88, OS-358, OS-360, OS-372). Any thread.
#pragma once

#include <ccm/http.hpp>
#include <ccm/status.hpp>

#include <string_view>

namespace ccm::openstack {

// ok for 200..299. `operation` begins the message, which holds the service's text and the ID of the
// request.
//   400 quota when a router takes no more routes; 401 auth; 403 auth, or quota when the text says
//   so; 404 not_found in a service's own form, else unavailable; 409 conflict, waiting when a load
//   balancer is being worked on, or quota, also when a network has no address left; 412 conflict;
//   413, 429 throttled with retry_after; other 4xx invalid_spec, and 501 of a driver; 5xx
//   unavailable.
Status status_of(std::string_view operation, const HttpResponse& response);

// A success that cannot be used: data_loss, class unavailable, reason "BadAnswer".
Status bad_answer(std::string_view what);

// Whether a 404 is the service's own word about the object that was asked for, in the form of Nova,
// Neutron or Octavia, and not that of a proxy or of a wrong URL.
bool says_not_found(const HttpResponse& response);

}  // namespace ccm::openstack
