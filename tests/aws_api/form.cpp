#include "form.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace ccm::aws_api {
namespace {

int hexadecimal_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 0;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      out +=
          static_cast<char>(hexadecimal_digit(text[i + 1]) * 16 + hexadecimal_digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

}  // namespace

Form Form::parse(std::string_view body) {
  Form form;
  while (!body.empty()) {
    const std::string_view pair = body.substr(0, body.find('&'));
    const std::size_t equals = pair.find('=');
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    form.values_[percent_decoded(pair.substr(0, equals))] = percent_decoded(value);
    body.remove_prefix(std::min(body.size(), pair.size() + 1));
  }
  return form;
}

std::string Form::text(const std::string& name) const {
  const auto found = values_.find(name);
  return found != values_.end() ? found->second : std::string();
}

int64_t Form::number(const std::string& name) const {
  const std::string digits = text(name);
  int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

Form Form::below(const std::string& prefix) const {
  Form out;
  const std::string start = prefix + ".";
  for (auto one = values_.lower_bound(start); one != values_.end() && one->first.starts_with(start);
       ++one) {
    out.values_[one->first.substr(start.size())] = one->second;
  }
  return out;
}

std::vector<Form> Form::structures(const std::string& name) const {
  Form inside = below(name + ".member");
  if (inside.empty()) inside = below(name);
  std::vector<Form> out;
  for (int i = 1;; ++i) {
    Form one = inside.below(std::to_string(i));
    if (one.empty()) return out;
    out.push_back(std::move(one));
  }
}

std::vector<std::string> Form::list(const std::string& name) const {
  Form inside = below(name + ".member");
  if (inside.empty()) inside = below(name);
  std::vector<std::string> out;
  for (int i = 1; inside.has(std::to_string(i)); ++i) out.push_back(inside.text(std::to_string(i)));
  return out;
}

std::vector<std::string> Form::filter(const std::string& name) const {
  for (const Form& filter : structures("Filter")) {
    if (filter.text("Name") == name) return filter.list("Value");
  }
  return {};
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string tree(std::string_view name, const std::string& inner) {
  return "<" + std::string(name) + ">" + inner + "</" + std::string(name) + ">";
}

std::string element(std::string_view name, std::string_view text) {
  return tree(name, escaped(text));
}

std::string element(std::string_view name, int64_t number) {
  return tree(name, std::to_string(number));
}

}  // namespace ccm::aws_api
