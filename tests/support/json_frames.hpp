// Splits a stream of concatenated JSON objects (API-6).
#pragma once

#include <optional>
#include <string>

namespace ccm::support {

// Feed bytes as they come, take whole objects out. Newlines between objects mean nothing.
class JsonFrames {
 public:
  std::string& input() { return pending_; }
  // The text of the next complete object, if there is one.
  std::optional<std::string> next();

 private:
  std::string pending_;
  std::size_t scanned_ = 0;
  int depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
};

}  // namespace ccm::support
