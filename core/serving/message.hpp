// A request to a page with its user, and the answer. Value types.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::serving {

class PeerCertificates;

inline constexpr std::string_view kAnonymous = "system:anonymous";
inline constexpr std::string_view kUnauthenticated = "system:unauthenticated";
inline constexpr std::string_view kAuthenticated = "system:authenticated";
inline constexpr std::string_view kMasters = "system:masters";

// Whom the authentication found.
struct User {
  std::string name;
  std::string uid;
  std::vector<std::string> groups;
  std::vector<std::pair<std::string, std::vector<std::string>>> extra;

  [[nodiscard]] bool in_group(std::string_view group) const {
    return std::ranges::find(groups, group) != groups.end();
  }
};

// What the authorization decided.
struct Verdict {
  enum class Decision { allowed, denied, no_opinion };
  Decision decision = Decision::no_opinion;
  std::string reason;
};

// A client's path or name is cut to this length in a log line.
inline constexpr std::size_t kShownInLog = 200;

struct HeaderField {
  std::string name;
  std::string value;
};

struct Request {
  std::string method;
  std::string target;  // as in the request line
  std::string path;    // the target's, without query; percent-encoding as it came
  std::string query;   // without "?"
  std::vector<HeaderField> headers;
  std::string body;
  std::shared_ptr<const PeerCertificates> peer;  // null: the client showed none
  std::string machine;                           // the client's address; of IPv6 its first 64 bits
  User user;                                     // set by the authentication
  // Whether its user has a right to the page; unset for a page that everybody may see.
  std::optional<bool> by_right;
  bool sees_status = false;  // may know why a health check fails

  // The value of the first header of that name, compared without case; empty when absent.
  [[nodiscard]] std::string_view header(std::string_view name) const;
  [[nodiscard]] std::vector<std::string_view> headers_named(std::string_view name) const;
  // Names and values in the query, decoded, in their order; without "=" the value is empty.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const;
  // Removes headers that must not go further than authentication (API-127).
  void remove_header(std::string_view name);
  // Sets path and query from the target, which may be in the absolute form that proxies send.
  void split_target();
};

struct Answer {
  unsigned status = 200;
  std::string body;
  std::string_view allow{};  // the Allow header of a 405, else empty
  std::string content_type = "text/plain; charset=utf-8";
  unsigned retry_after = 0;                     // seconds; 0: no such header
  std::shared_ptr<const std::string> shared{};  // instead of `body`: a text that many clients get
  [[nodiscard]] const std::string& text() const { return shared ? *shared : body; }
};

// Compared as header names are: ASCII without case.
[[nodiscard]] bool same_header(std::string_view left, std::string_view right);

}  // namespace ccm::serving
