#include "kube/watch_decoder.hpp"

#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

namespace ccm::kube {

namespace {

constexpr std::size_t kBlock = 64;

// Bytes that change step()'s state, outside of strings and inside.
constexpr std::array<bool, 256> table(std::string_view bytes) {
  std::array<bool, 256> result{};
  for (const char c : bytes) result[static_cast<unsigned char>(c)] = true;
  return result;
}
constexpr auto kOutside = table("{}[]\"");
constexpr auto kInside = table("\"\\\n");

}  // namespace

#ifdef __SSE2__

namespace {

// Bit i of each: whether byte i of a block is one of those.
struct Marks {
  uint64_t quotes = 0;
  uint64_t opening = 0;
  uint64_t closing = 0;
  uint64_t special = 0;  // a backslash or the end of a line
};

Marks marks_of(const char* block) {
  Marks marks;
  for (std::size_t at = 0; at < kBlock; at += sizeof(__m128i)) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + at));
    // This bit is the only difference between '[' and '{', and between ']' and '}'.
    const __m128i braces = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
    const auto equal = [at](__m128i all, char one) {
      const int mask = _mm_movemask_epi8(_mm_cmpeq_epi8(all, _mm_set1_epi8(one)));
      return static_cast<uint64_t>(static_cast<uint32_t>(mask)) << at;
    };
    marks.quotes |= equal(bytes, '"');
    marks.opening |= equal(braces, '{');
    marks.closing |= equal(braces, '}');
    marks.special |= equal(bytes, '\\') | equal(bytes, '\n');
  }
  return marks;
}

// Bit i: how many of the bits 0 to i are set, odd or even.
uint64_t parities(uint64_t bits) {
  for (unsigned shift = 1; shift < kBlock; shift *= 2) bits ^= bits << shift;
  return bits;
}

}  // namespace

bool JsonScanner::pass(const char* block) {
  const Marks marks = marks_of(block);
  if (escaped || marks.special != 0) return false;
  const uint64_t inside = parities(marks.quotes) ^ (in_string ? ~uint64_t{0} : 0);
  const auto closed = static_cast<uint32_t>(std::popcount(marks.closing & ~inside));
  if (closed >= depth) return false;
  depth += static_cast<uint32_t>(std::popcount(marks.opening & ~inside)) - closed;
  in_string = (inside >> (kBlock - 1)) != 0;
  return true;
}

#else

bool JsonScanner::pass(const char* /*block*/) { return false; }

#endif

std::size_t JsonScanner::step(const char* data, std::size_t from, std::size_t end) {
  std::size_t i = from;
  while (i < end) {
    if (in_string) {
      if (escaped) {
        escaped = false;
        ++i;
        continue;
      }
      while (i < end && !kInside[static_cast<unsigned char>(data[i])]) ++i;
      if (i == end) break;
      const char c = data[i++];
      if (c == '\n') {
        *this = {};
        broken = true;
        return i;
      }
      escaped = c == '\\';
      in_string = c != '"';
      continue;
    }
    while (i < end && !kOutside[static_cast<unsigned char>(data[i])]) ++i;
    if (i == end) break;
    const char c = data[i++];
    if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (--depth == 0) {
      return i;
    }
  }
  return kOpen;
}

std::size_t JsonScanner::scan(const char* data, std::size_t from, std::size_t end) {
  for (std::size_t at = from; at < end;) {
    const std::size_t stop = at + std::min(kBlock, end - at);
    if (stop - at < kBlock || !pass(data + at)) {
      const std::size_t found = step(data, at, stop);
      if (found != kOpen) return found;
    }
    at = stop;
  }
  return kOpen;
}

namespace {

constexpr std::size_t kKeepCapacity = 1u << 20;

constexpr bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

void JsonBuffer::append(std::string_view bytes) {
  bytes_.resize(size_);
  if (size_ == 0 && bytes_.capacity() > kKeepCapacity && bytes.size() < kKeepCapacity / 4) {
    std::string().swap(bytes_);  // one huge object must not hold its memory for ever
  }
  bytes_.reserve(size_ + bytes.size() + kJsonPadding);
  bytes_.append(bytes);
  size_ = bytes_.size();
  bytes_.append(kJsonPadding, '\0');
}

void JsonBuffer::drop(std::size_t count) {
  bytes_.erase(0, count);
  size_ -= count;
}

void WatchDecoder::feed(std::string_view bytes) {
  buffer_.drop(begin_);
  cursor_ -= begin_;
  begin_ = 0;
  buffer_.append(bytes);
}

// Stops at an opening brace or at the end; true when something else than white space was skipped.
bool WatchDecoder::skip_to_object() {
  bool garbage = false;
  for (; begin_ < buffer_.size() && buffer_.data()[begin_] != '{'; ++begin_) {
    garbage = garbage || !is_space(buffer_.data()[begin_]);
  }
  cursor_ = begin_;
  return garbage;
}

void WatchDecoder::drop_excess() {
  if (cursor_ - begin_ <= max_object_bytes_ && !dropping_) return;
  dropping_ = true;
  begin_ = cursor_;
}

WatchDecoder::Piece WatchDecoder::next(std::string_view& text) {
  text = {};
  if (scanner_.depth == 0) {
    begin_ = cursor_;
    if (skip_to_object()) return Piece::garbage;
    if (begin_ == buffer_.size()) return Piece::none;
  }
  const std::size_t end = scanner_.scan(buffer_.data(), cursor_, buffer_.size());
  cursor_ = end == JsonScanner::kOpen ? buffer_.size() : end;
  drop_excess();
  if (end == JsonScanner::kOpen) return Piece::none;
  const bool broken = std::exchange(scanner_.broken, false);
  if (std::exchange(dropping_, false)) return Piece::oversized;
  if (broken) return Piece::garbage;
  text = {buffer_.data() + begin_, end - begin_};
  begin_ = cursor_;
  return Piece::object;
}

void ListDecoder::feed(std::string_view bytes) {
  buffer_.drop(begin_);
  cursor_ -= begin_;
  begin_ = 0;
  if (state_ != State::done && state_ != State::broken) buffer_.append(bytes);
}

void ListDecoder::step_string(char c) {
  if (escaped_) {
    escaped_ = false;
  } else if (c == '\\') {
    escaped_ = true;
  } else if (c == '"') {
    in_string_ = false;
    return;
  }
  if (depth_ == 1 && token_.size() < 16) token_ += c;
}

void ListDecoder::step_envelope(char c) {
  if (envelope_.size() < max_object_bytes_) envelope_ += c;
  if (in_string_) return step_string(c);
  switch (c) {
    case '"':
      in_string_ = true;
      token_.clear();
      break;
    case ':':
      value_next_ = depth_ == 1;
      return;
    case '[':
      if (value_next_ && depth_ == 1 && token_ == "items") state_ = State::items;
      ++depth_;
      break;
    case '{':
      ++depth_;
      break;
    case '}':
    case ']':
      if (depth_ > 0 && --depth_ == 0) state_ = State::done;
      break;
    default:
      if (is_space(c)) return;
  }
  value_next_ = false;
}

ListDecoder::Piece ListDecoder::step_items() {
  bool garbage = false;
  for (; cursor_ < buffer_.size(); ++cursor_) {
    const char c = buffer_.data()[cursor_];
    if (c == '{') {
      state_ = State::item;
      break;
    }
    if (c == ']') {  // step_envelope() sees it
      state_ = State::envelope;
      break;
    }
    garbage = garbage || (!is_space(c) && c != ',');
  }
  begin_ = cursor_;
  return garbage ? Piece::garbage : Piece::none;
}

ListDecoder::Piece ListDecoder::step_item(std::string_view& text) {
  const std::size_t end = scanner_.scan(buffer_.data(), cursor_, buffer_.size());
  cursor_ = end == JsonScanner::kOpen ? buffer_.size() : end;
  if (cursor_ - begin_ > max_object_bytes_ || dropping_) {
    dropping_ = true;
    begin_ = cursor_;
  }
  if (end == JsonScanner::kOpen) return Piece::none;
  if (scanner_.broken) {
    state_ = State::broken;
    return Piece::garbage;
  }
  state_ = State::items;
  if (dropping_) {
    dropping_ = false;
    return Piece::oversized;
  }
  text = {buffer_.data() + begin_, end - begin_};
  begin_ = cursor_;
  return Piece::object;
}

ListDecoder::Piece ListDecoder::next(std::string_view& text) {
  text = {};
  while (cursor_ < buffer_.size() && state_ != State::done && state_ != State::broken) {
    Piece piece = Piece::none;
    if (state_ == State::envelope) {
      step_envelope(buffer_.data()[cursor_++]);
      begin_ = cursor_;
    } else if (state_ == State::items) {
      piece = step_items();
    } else {
      piece = step_item(text);
    }
    if (piece != Piece::none) return piece;
  }
  return Piece::none;
}

}  // namespace ccm::kube
