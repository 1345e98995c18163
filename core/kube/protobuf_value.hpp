// The values of Kubernetes' protobuf messages as JSON shows them. Private to core/kube.
#pragma once

#include "kube/object_encoding.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace ccm::kube::protobuf {

// A metav1.Time or MicroTime.
struct Timestamp {
  int64_t seconds = 0;       // since 1970
  int64_t microseconds = 0;  // 0..999999; 0 in a Time
  bool zero = false;         // Go's zero time, null in JSON
};

// Nothing when the message is broken, or the year is none of RFC 3339's.
std::optional<Timestamp> read_timestamp(std::string_view message, bool micro);

// Each writes one value. Bytes that are no UTF-8 become U+FFFD, as in Go's JSON.
void write_text(encoding::Writer& writer, std::string_view text);
void write_integer(encoding::Writer& writer, int64_t value);
void write_timestamp(encoding::Writer& writer, const Timestamp& time, bool micro);
// False when the message is broken.
bool write_quantity(encoding::Writer& writer, std::string_view message);
bool write_int_or_string(encoding::Writer& writer, std::string_view message);

}  // namespace ccm::kube::protobuf
