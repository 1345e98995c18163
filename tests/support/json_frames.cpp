#include "support/json_frames.hpp"

namespace ccm::support {

std::optional<std::string> JsonFrames::next() {
  for (; scanned_ < pending_.size(); ++scanned_) {
    const char c = pending_[scanned_];
    if (in_string_) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        in_string_ = false;
      }
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{') {
      ++depth_;
    } else if (c == '}' && --depth_ == 0) {
      std::string frame = pending_.substr(0, scanned_ + 1);
      pending_.erase(0, scanned_ + 1);
      scanned_ = 0;
      return frame;
    }
  }
  return std::nullopt;
}

}  // namespace ccm::support
