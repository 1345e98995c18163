// Cuts the bytes of a protobuf answer into messages as they arrive, as watch_decoder.hpp does for
// JSON: the items of a list, the events of a watch. Holds one message at a time, never a whole
// page. No network: fit for a fuzz target. One thread.
#pragma once

#include "kube/watch_decoder.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ccm::kube::protobuf {

// An envelope around a list: metadata = 1, items = 2.
class ListCutter : public ListReader {
 public:
  // A list of another type than `kind` in `api_version` is garbage.
  ListCutter(std::string_view api_version, std::string_view kind,
             std::size_t max_object_bytes = 8u << 20)
      : api_version_(api_version), kind_(kind), max_object_bytes_(max_object_bytes) {}

  void feed(std::string_view bytes) override;
  // Garbage ends the list: it will never be done().
  Piece next(std::string_view& message) override;
  [[nodiscard]] bool done() const override {
    return state_ == State::envelope && listed_ && begin_ == buffer_.size();
  }
  [[nodiscard]] std::string envelope() const override;

 private:
  // envelope, list: before a field of them. content: before the content of one that is read as a
  // whole. skip: within the content of one that is not.
  enum class State : uint8_t { magic, envelope, list, content, skip, broken };
  struct Field {
    bool in_list = false;
    uint32_t number = 0;
    std::size_t size = 0;  // of the content
    [[nodiscard]] bool item() const { return in_list && number == 2; }
  };

  [[nodiscard]] std::string_view waiting() const {
    return std::string_view(buffer_.data(), buffer_.size()).substr(begin_);
  }
  void consume(std::size_t size);
  // Each takes one step; false when more bytes are needed.
  bool take_magic();
  bool take_head();
  bool take_content(std::string_view& item, Piece& piece);
  bool take_skipped(Piece& piece);
  [[nodiscard]] bool good_type(std::string_view message) const;
  bool broken() { return state_ = State::broken, true; }

  std::string api_version_;
  std::string kind_;  // of the list
  std::size_t max_object_bytes_;
  JsonBuffer buffer_;
  std::size_t begin_ = 0;  // first byte that is not consumed
  State state_ = State::magic;
  Field field_;
  uint64_t list_left_ = 0;  // of the list's message
  bool typed_ = false;      // the list's type was seen
  bool listed_ = false;     // the list's message was there
  bool in_list_ = false;
  std::string metadata_;  // the ListMeta
};

// Frames: a length in four bytes, big endian, and a WatchEvent.
class FrameCutter : public WatchReader {
 public:
  explicit FrameCutter(std::size_t max_object_bytes = 8u << 20)
      : max_object_bytes_(max_object_bytes) {}

  void feed(std::string_view bytes) override;
  Piece next(std::string_view& message) override;
  [[nodiscard]] bool mid_object() const override {
    return skip_ > 0 || dropping_ || begin_ < buffer_.size();
  }

 private:
  JsonBuffer buffer_;
  std::size_t begin_ = 0;
  std::size_t max_object_bytes_;
  std::size_t skip_ = 0;   // bytes of a frame above the limit
  bool dropping_ = false;  // such a frame is under work
};

}  // namespace ccm::kube::protobuf
