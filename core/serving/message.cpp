#include "serving/message.hpp"

#include <ccm/lower_case.hpp>

#include <algorithm>

namespace ccm::serving {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

bool same_header(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](char a, char b) { return lower_case(a) == lower_case(b); });
}

std::string percent_decode(std::string_view text, bool plus_is_space) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      result += ' ';
    } else if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
               hex_digit(text[i + 2]) >= 0) {
      result += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::string_view Request::header(std::string_view name) const {
  for (const HeaderField& field : headers) {
    if (same_header(field.name, name)) return field.value;
  }
  return {};
}

std::vector<std::string_view> Request::headers_named(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const HeaderField& field : headers) {
    if (same_header(field.name, name)) values.emplace_back(field.value);
  }
  return values;
}

void Request::remove_header(std::string_view name) {
  std::erase_if(headers,
                [name](const HeaderField& field) { return same_header(field.name, name); });
}

void Request::split_target() {
  std::string_view rest = target;
  const auto question = rest.find('?');
  query = question == std::string_view::npos ? "" : std::string(rest.substr(question + 1));
  rest = rest.substr(0, question);
  if (const auto scheme = rest.find("://"); scheme != std::string_view::npos && rest[0] != '/') {
    const auto start = rest.find('/', scheme + 3);
    rest = start == std::string_view::npos ? std::string_view("/") : rest.substr(start);
  }
  path = std::string(rest);
}

}  // namespace ccm::serving
