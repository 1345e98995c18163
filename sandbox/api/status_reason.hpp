// The reason that goes with the HTTP status of a failed request, where one status has one reason
// (API-12). Also for the tests' proxy in front of an API server, which fails requests as it is
// told.
#pragma once

namespace sandbox {

// "" for a status that has none.
inline const char* status_reason(int status) {
  switch (status) {
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "NotFound";
    case 409:
      return "Conflict";
    case 410:
      return "Expired";
    case 429:
      return "TooManyRequests";
    case 500:
      return "InternalError";
    case 503:
      return "ServiceUnavailable";
    case 504:
      return "Timeout";
    default:
      return "";
  }
}

}  // namespace sandbox
