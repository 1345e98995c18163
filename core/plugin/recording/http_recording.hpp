// --record: the HTTP exchanges of all plugins as lines of JSON, without credentials, for a report
// that `ccm-sandbox --replay` can run.
#pragma once

#include "net/http_client.hpp"
#include "plugin/recording/redactor.hpp"

#include <ccm/status.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin {

// One try of a request. Valid during the call.
struct RecordedExchange {
  std::string_view component;
  std::string_view operation;
  const net::Request& request;
  const Result<net::Response>& response;
  std::chrono::nanoseconds duration{0};
  const std::vector<std::string>& secrets;  // that the plugin named
};

// Any thread.
class HttpRecording {
 public:
  // Makes the file, or empties one that is this user's alone: its own, without a second name, and
  // closed to others. Fails with a line for the user.
  static Result<std::shared_ptr<HttpRecording>> open(const std::string& path,
                                                     std::size_t limit = 64u << 20);
  ~HttpRecording();
  HttpRecording(const HttpRecording&) = delete;
  HttpRecording& operator=(const HttpRecording&) = delete;

  // Secrets of the host's configuration: removed from all that follows.
  void learn_secret(std::string_view secret) { redactor_.learn(secret); }
  // Writes one line. When the file has reached its limit or the disk is full, the recording ends
  // with whole lines, and one warning says so.
  void add(const RecordedExchange& exchange);

 private:
  HttpRecording(int file, std::string path, std::size_t limit);
  void end(const char* why);

  Redactor redactor_;
  std::mutex mutex_;
  int file_;
  const std::string path_;
  const std::size_t limit_;
  std::size_t written_ = 0;
};

}  // namespace ccm::plugin
