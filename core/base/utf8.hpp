// UTF-8 at the borders of the process: texts from outside may hold any bytes. Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ccm {

// Length of the well-formed sequence at the front of `text` (RFC 3629); 0 when there is none.
std::size_t utf8_length(std::string_view text);

[[nodiscard]] bool is_utf8(std::string_view text);

// A copy in which U+FFFD stands for each byte that belongs to no well-formed sequence.
std::string utf8_text(std::string_view text);

// The front of `text`, not longer than `limit` bytes and not cut within a character.
std::string_view utf8_front(std::string_view text, std::size_t limit);

}  // namespace ccm
