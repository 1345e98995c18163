// Values as Go's strconv, net, encoding/csv and pflag read and write them. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::app {

// 1, t, T, TRUE, true, True and their opposites.
std::optional<bool> parse_bool(std::string_view text);

// Decimal, 0x, 0o, 0b or a leading 0 for octal; underscores between digits. nullopt when malformed
// or beyond 64 bits.
std::optional<int64_t> parse_integer(std::string_view text);

// Decimal; nullopt also for what is not finite.
std::optional<float> parse_float(std::string_view text);

// A quantity as Kubernetes writes it: a decimal number with an optional suffix (n, u, m, k, M, G,
// T, P, E, Ki, Mi, Gi, Ti, Pi, Ei) or exponent.
bool is_quantity(std::string_view text);

// One line of CSV: commas, fields in double quotes, "" inside them. An empty text is an empty list.
std::optional<std::vector<std::string>> parse_csv(std::string_view text);
// The inverse; fields are quoted when they must be.
std::string format_csv(std::span<const std::string> fields);

// IPv4 or IPv6, without a zone.
bool is_ip_address(std::string_view text);

}  // namespace ccm::app
