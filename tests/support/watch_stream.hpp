// A watch, read event by event with deadlines.
#pragma once

#include "support/json_frames.hpp"
#include "support/kubeconfig.hpp"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace ccm::support {

class HttpConnection;

// Has a connection of its own. One thread at a time.
class WatchStream {
 public:
  // Sends the request; target holds watch=true. Throws std::runtime_error without an answer.
  WatchStream(const Credentials& credentials, const std::string& target);
  ~WatchStream();
  WatchStream(WatchStream&&) noexcept;
  WatchStream& operator=(WatchStream&&) = delete;

  int status() const { return status_; }
  const std::string& content_type() const { return content_type_; }
  bool chunked() const { return chunked_; }
  // The next event {"type","object"}; empty if none came in time or the stream is at its end.
  std::optional<nlohmann::json> next(std::chrono::milliseconds timeout = std::chrono::seconds(20));
  // The next event that is no bookmark.
  std::optional<nlohmann::json> next_change(
      std::chrono::milliseconds timeout = std::chrono::seconds(20));
  // Reads until the server ends the stream; false if it does not within timeout.
  bool wait_for_end(std::chrono::milliseconds timeout);
  // True at the stream's end; events may still be there for next().
  bool finished() const;
  // True if the stream ended in the middle of the HTTP message.
  bool cut() const;

 private:
  std::unique_ptr<Credentials> credentials_;
  std::unique_ptr<HttpConnection> connection_;
  JsonFrames frames_;
  int status_ = 0;
  std::string content_type_;
  bool chunked_ = false;
};

}  // namespace ccm::support
