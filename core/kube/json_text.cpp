#include "kube/json_text.hpp"

#include "base/text.hpp"

#include <ccm/hexadecimal.hpp>

#include <algorithm>

namespace ccm::kube {
namespace {

void append_control(std::string& out, char c) {
  switch (c) {
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      append_hexadecimal(out, static_cast<unsigned char>(c));
  }
}

// Length of the front that needs no escaping.
std::size_t plain_length(std::string_view text) {
  const auto special = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte >= 0x80 || c == '"' || c == '\\';
  };
  return static_cast<std::size_t>(std::find_if(text.begin(), text.end(), special) - text.begin());
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::size_t plain = plain_length(text);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const char c = text.front();
    const std::size_t length = utf8_character(text).length;
    if (length == 0) {
      out += "\xef\xbf\xbd";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      append_control(out, c);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

void append_json_member(std::string& out, std::string_view key, std::string_view text) {
  if (text.empty()) return;
  if (!out.ends_with('{')) out += ',';
  append_json_string(out, key);
  out += ':';
  append_json_string(out, text);
}

}  // namespace ccm::kube
