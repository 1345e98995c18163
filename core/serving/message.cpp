#include "serving/message.hpp"

#include "net/url.hpp"

#include <ccm/lower_case.hpp>

namespace ccm::serving {

bool same_header(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](char a, char b) { return lower_case(a) == lower_case(b); });
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

std::vector<std::pair<std::string, std::string>> Request::parameters() const {
  std::vector<std::pair<std::string, std::string>> found;
  for (std::string_view rest = query; !rest.empty();) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
    const std::string_view name = pair.substr(0, pair.find('='));
    const std::string_view value = pair.substr(std::min(name.size() + 1, pair.size()));
    found.emplace_back(net::percent_decoded(name, true), net::percent_decoded(value, true));
  }
  return found;
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
