#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sandbox::http {

// Decoded query parameters, in order. Names may repeat.
class Query {
 public:
  // Splits "a=1&b=x%20y". A malformed escape is kept unchanged.
  static Query parse(std::string_view text);

  // First value of `name`; "" when the parameter is absent.
  const std::string& get(std::string_view name) const;
  bool has(std::string_view name) const;
  // True for "true" and "1", the two spellings that clients use.
  bool flag(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::string>> items_;
};

// Resolves %XX (and '+' when `plus_is_space`, as in queries).
std::string percent_decode(std::string_view text, bool plus_is_space);

struct Request {
  std::string method;
  std::string target;  // path and query, as they came
  std::string path;    // raw, without the query
  Query query;
  std::string authorization;
  std::string accept;
  std::string content_type;  // media type only, lower case, without parameters
  std::string user_agent;
  std::string body;
  bool body_too_large = false;
  // How long this request has been held back by Reply::again so far.
  std::chrono::milliseconds waited{0};
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

// A body that grows while the request is open, as a watch does.
class BodyStream {
 public:
  enum class State {
    kMore,   // call again when woken or at next_deadline()
    kEnded,  // finish the body properly
    kCut,    // reset the connection without finishing the body
  };
  virtual ~BodyStream() = default;
  // Appends available bytes to `out`, roughly up to `limit` bytes.
  virtual State pull(std::string& out, std::size_t limit) = 0;
  // When pull() wants to be called even if nothing wakes it.
  virtual std::chrono::steady_clock::time_point next_deadline() const = 0;
  // `wake` is called, on the loop thread, whenever pull() may have more.
  virtual void on_ready(std::function<void()> wake) = 0;
};

struct Reply {
  Response response;
  std::unique_ptr<BodyStream> stream;  // set: `response.body` is unused
  std::chrono::milliseconds delay{0};  // answer later
  bool again = false;                  // after `delay`, ask the handler again
  bool hang = false;                   // never answer; the client has to give up
  bool cut = false;                    // end the connection without an answer
};

// The handler that a listener calls, on the loop thread only.
class Handler {
 public:
  virtual ~Handler() = default;
  virtual Reply handle(Request& request) = 0;
};

const char* reason_phrase(int status);

}  // namespace sandbox::http
