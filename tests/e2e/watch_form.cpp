#include "watch_form.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ccm::e2e {
namespace {

constexpr std::size_t kHead = 4;

std::string varint(std::size_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
  return out + static_cast<char>(value);
}

std::string field(std::size_t number, const std::string& bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + bytes;
}

std::string frame(const std::string& content) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) {
    out += static_cast<char>(content.size() >> shift & 0xff);
  }
  return out + content;
}

}  // namespace

void WatchForm::passed(std::string_view bytes) {
  if (bytes.empty()) return;
  if (!protobuf_) {
    between_ = bytes.back() == '\n';
    return;
  }
  while (!bytes.empty()) {
    if (left_ == 0) {
      head_ += bytes.front();
      bytes.remove_prefix(1);
      if (head_.size() < kHead) continue;
      for (const char c : head_) left_ = left_ << 8 | static_cast<unsigned char>(c);
      head_.clear();
    }
    const std::size_t size = std::min(left_, bytes.size());
    bytes.remove_prefix(size);
    left_ -= size;
  }
  between_ = left_ == 0 && head_.empty();
}

std::string WatchForm::event(const std::string& text) const {
  return protobuf_ ? frame(text) : text + "\n";
}

std::string WatchForm::error(int code, const std::string& reason,
                             const std::string& message) const {
  if (!protobuf_) {
    const nlohmann::json status = {
        {"kind", "Status"},    {"apiVersion", "v1"}, {"metadata", nlohmann::json::object()},
        {"status", "Failure"}, {"message", message}, {"reason", reason},
        {"code", code}};
    return event(nlohmann::json{{"type", "ERROR"}, {"object", status}}.dump());
  }
  const std::string status = field(2, "Failure") + field(3, message) + field(4, reason) +
                             varint(6 << 3) + varint(static_cast<std::size_t>(code));
  const std::string object =
      std::string("k8s\0", 4) + field(1, field(1, "v1") + field(2, "Status")) + field(2, status);
  return event(field(1, "ERROR") + field(2, field(1, object)));
}

}  // namespace ccm::e2e
