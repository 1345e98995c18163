#include "kube/watch_decoder.hpp"

#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>

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
    const auto equal = [at](__m128i all, char wanted) {
      const int mask = _mm_movemask_epi8(_mm_cmpeq_epi8(all, _mm_set1_epi8(wanted)));
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

void PieceBuffer::feed(std::string_view bytes) {
  bytes_.resize(size_);
  bytes_.erase(0, std::exchange(begin_, 0));
  if (bytes_.empty() && bytes_.capacity() > kKeepCapacity && bytes.size() < kKeepCapacity / 4) {
    std::string().swap(bytes_);  // one huge object must not hold its memory for ever
  }
  bytes_.reserve(bytes_.size() + bytes.size() + kJsonPadding);
  bytes_.append(bytes);
  size_ = bytes_.size();
  bytes_.append(kJsonPadding, '\0');
}

PieceReader::Piece ObjectCutter::next(PieceBuffer& buffer, std::string_view& text) {
  using Piece = PieceReader::Piece;
  const std::string_view rest = buffer.rest();
  const std::size_t end = scanner_.scan(rest.data(), scanned_, rest.size());
  const bool open = end == JsonScanner::kOpen;
  scanned_ = open ? rest.size() : end;
  dropping_ = dropping_ || scanned_ > max_object_bytes_;
  if (open && !dropping_) return Piece::none;
  buffer.consume(std::exchange(scanned_, 0));
  if (open) return Piece::none;
  const bool dropped = std::exchange(dropping_, false);
  if (std::exchange(scanner_.broken, false)) return Piece::garbage;
  if (dropped) return Piece::oversized;
  text = rest.substr(0, end);
  return Piece::object;
}

WatchDecoder::Piece WatchDecoder::next(std::string_view& text) {
  text = {};
  if (!objects_.mid_object()) {
    const std::string_view rest = buffer_.rest();
    const std::string_view before = rest.substr(0, rest.find('{'));
    buffer_.consume(before.size());
    if (!std::all_of(before.begin(), before.end(), is_space)) return Piece::garbage;
    if (before.size() == rest.size()) return Piece::none;
  }
  return objects_.next(buffer_, text);
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
  const std::string_view rest = buffer_.rest();
  const std::string_view before = rest.substr(0, rest.find_first_of("{]"));
  if (before.size() < rest.size()) {
    state_ = rest[before.size()] == '{' ? State::item : State::envelope;  // which sees the bracket
  }
  buffer_.consume(before.size());
  const bool blank = std::ranges::all_of(before, [](char c) { return is_space(c) || c == ','; });
  return blank ? Piece::none : Piece::garbage;
}

ListDecoder::Piece ListDecoder::next(std::string_view& text) {
  text = {};
  Piece piece = Piece::none;
  while (piece == Piece::none && !buffer_.rest().empty()) {
    switch (state_) {
      case State::envelope:
        step_envelope(buffer_.rest().front());
        buffer_.consume(1);
        break;
      case State::items:
        piece = step_items();
        break;
      case State::item:
        piece = objects_.next(buffer_, text);
        if (piece == Piece::none) return piece;
        state_ = piece == Piece::garbage ? State::broken : State::items;
        break;
      case State::done:
      case State::broken:
        return Piece::none;
    }
  }
  return piece;
}

}  // namespace ccm::kube
