#include "kube/protobuf_value.hpp"

#include "base/utf8.hpp"
#include "kube/protobuf_wire.hpp"

#include <array>
#include <charconv>
#include <chrono>

namespace ccm::kube::protobuf {
namespace {

constexpr int64_t kYear0 = -62'167'219'200;
constexpr int64_t kYear1 = -62'135'596'800;  // Go's zero time
constexpr int64_t kYear10000 = 253'402'300'800;
constexpr int64_t kMicroseconds = 1'000'000;

// Digits with leading zeros, `end` exclusive.
void put_digits(char* end, std::size_t digits, uint64_t value) {
  for (std::size_t i = 0; i < digits; ++i, value /= 10) {
    *--end = static_cast<char>('0' + value % 10);
  }
}

}  // namespace

// seconds = 1, nanos = 2. The zero time is an empty message.
std::optional<Timestamp> read_timestamp(std::string_view message, bool micro) {
  int64_t seconds = 0;
  int32_t nanoseconds = 0;
  WireReader fields(message);
  while (fields.next()) {
    if (fields.number() > 2) continue;
    if (fields.type() != WireType::varint) return std::nullopt;
    if (fields.number() == 1) seconds = static_cast<int64_t>(fields.integer());
    if (fields.number() == 2) nanoseconds = static_cast<int32_t>(fields.integer());
  }
  if (fields.broken() || seconds < kYear0 || seconds >= kYear10000) return std::nullopt;
  Timestamp time;
  // Cut towards zero, then made positive, as Go does.
  time.microseconds = micro ? nanoseconds / 1000 : 0;
  time.seconds = seconds + time.microseconds / kMicroseconds;
  time.microseconds %= kMicroseconds;
  if (time.microseconds < 0) {
    time.microseconds += kMicroseconds;
    --time.seconds;
  }
  if (time.seconds < kYear0 || time.seconds >= kYear10000) return std::nullopt;
  time.zero = message.empty() || (time.seconds == kYear1 && time.microseconds == 0);
  return time;
}

void write_text(encoding::Writer& writer, std::string_view text) {
  if (is_utf8(text)) return writer.string(text);
  writer.string(utf8_text(text));
}

void write_integer(encoding::Writer& writer, int64_t value) {
  std::array<char, 24> text{};
  const char* end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  writer.number({text.data(), static_cast<std::size_t>(end - text.data())});
}

void write_timestamp(encoding::Writer& writer, const Timestamp& time, bool micro) {
  using std::chrono::days;
  using std::chrono::floor;
  using std::chrono::seconds;
  using std::chrono::sys_days;
  using std::chrono::sys_seconds;
  using std::chrono::year_month_day;
  if (time.zero) return writer.null();
  const sys_seconds at{seconds(time.seconds)};
  const sys_days midnight = floor<days>(at);
  const year_month_day date{midnight};
  const auto second = static_cast<uint64_t>((at - midnight).count());
  std::array<char, 27> text{"0000-00-00T00:00:00.000000"};
  char* const front = text.data();
  put_digits(front + 4, 4, static_cast<uint64_t>(static_cast<int>(date.year())));
  put_digits(front + 7, 2, static_cast<unsigned>(date.month()));
  put_digits(front + 10, 2, static_cast<unsigned>(date.day()));
  put_digits(front + 13, 2, second / 3600);
  put_digits(front + 16, 2, second / 60 % 60);
  put_digits(front + 19, 2, second % 60);
  std::size_t length = 19;
  if (micro) {
    put_digits(front + 26, 6, static_cast<uint64_t>(time.microseconds));
    length = 26;
  }
  text[length] = 'Z';
  writer.string({front, length + 1});
}

// string = 1. A quantity that was never set is "0".
bool write_quantity(encoding::Writer& writer, std::string_view message) {
  std::string_view text;
  WireReader fields(message);
  while (fields.next()) {
    if (fields.number() != 1) continue;
    if (fields.type() != WireType::bytes) return false;
    text = fields.bytes();
  }
  write_text(writer, text.empty() ? "0" : text);
  return !fields.broken();
}

// type = 1 (0: integer, 1: string), intVal = 2, strVal = 3.
bool write_int_or_string(encoding::Writer& writer, std::string_view message) {
  bool string = false;
  int32_t integer = 0;
  std::string_view text;
  WireReader fields(message);
  while (fields.next()) {
    const bool bytes = fields.number() == 3;
    if (fields.number() > 3) continue;
    if (fields.type() != (bytes ? WireType::bytes : WireType::varint)) return false;
    if (fields.number() == 1) string = fields.integer() != 0;
    if (fields.number() == 2) integer = static_cast<int32_t>(fields.integer());
    if (bytes) text = fields.bytes();
  }
  if (string) {
    write_text(writer, text);
  } else {
    write_integer(writer, integer);
  }
  return !fields.broken();
}

}  // namespace ccm::kube::protobuf
