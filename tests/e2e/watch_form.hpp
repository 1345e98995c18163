// The form in which a watch is written: lines of JSON, or frames of Kubernetes' protobuf. For a
// proxy that writes events of its own into one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ccm::e2e {

class WatchForm {
 public:
  // content_type: of the answer.
  explicit WatchForm(std::string_view content_type)
      : protobuf_(content_type.find("protobuf") != std::string_view::npos) {}

  // The server sent this.
  void passed(std::string_view bytes);
  // No event is under way, so that another one can be put in.
  [[nodiscard]] bool between() const { return between_; }

  // `text` where an event would be: a line, or the content of a frame.
  [[nodiscard]] std::string event(const std::string& text) const;
  // An event of type ERROR with a Status.
  [[nodiscard]] std::string error(int code, const std::string& reason,
                                  const std::string& message) const;

 private:
  bool protobuf_;
  bool between_ = true;
  std::string head_;      // of a frame: its length in four bytes
  std::size_t left_ = 0;  // of its content
};

}  // namespace ccm::e2e
