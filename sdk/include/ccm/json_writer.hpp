// ccm::JsonWriter: renders JSON for patches and request bodies without a library.
//   JsonWriter json;
//   json.object([&] { json.member("spec").object([&] { json.member("providerID").text(id); }); });
// Any thread; owns its text.
#pragma once

#include <ccm/hexadecimal.hpp>
#include <ccm/object.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace ccm {

class JsonWriter {
 public:
  JsonWriter() { text_.reserve(kTypicalSize); }

  template <typename Members>
  JsonWriter& object(Members&& members) {
    return container('{', '}', std::forward<Members>(members));
  }
  template <typename Elements>
  JsonWriter& array(Elements&& elements) {
    return container('[', ']', std::forward<Elements>(elements));
  }
  // The name of the member whose value is written next.
  JsonWriter& member(std::string_view name) {
    text(name);
    text_ += ':';
    first_ = true;
    return *this;
  }

  JsonWriter& text(std::string_view value) {
    separate();
    text_ += '"';
    size_t done = 0;
    for (size_t i = 0; i < value.size(); ++i) {
      if (!special(value[i])) continue;
      text_ += value.substr(done, i - done);
      escape(value[i]);
      done = i + 1;
    }
    text_ += value.substr(done);
    text_ += '"';
    return *this;
  }
  JsonWriter& number(int64_t value) { return raw(std::to_string(value)); }
  JsonWriter& boolean(bool value) { return raw(value ? "true" : "false"); }
  JsonWriter& null() { return raw("null"); }
  // A piece of JSON that is already rendered.
  JsonWriter& raw(std::string_view json) {
    separate();
    text_ += json;
    return *this;
  }
  // A part of a Kubernetes object, unknown members included.
  JsonWriter& value(const Value& value) {
    switch (value.kind()) {
      case ValueKind::object:
        return object([&] {
          value.each([&](std::string_view key, const Value& inner) { member(key).value(inner); });
        });
      case ValueKind::array:
        return array(
            [&] { value.each([&](std::string_view, const Value& inner) { this->value(inner); }); });
      case ValueKind::string:
        return text(value.text().value_or(std::string_view()));
      case ValueKind::boolean:
      case ValueKind::number:
        return raw(value.text().value_or("null"));
      case ValueKind::null:
      case ValueKind::absent:
        return null();
    }
    return null();
  }

  [[nodiscard]] const std::string& str() const& { return text_; }
  [[nodiscard]] std::string str() && { return std::move(text_); }

 private:
  template <typename Inner>
  JsonWriter& container(char open, char close, Inner&& inner) {
    separate();
    text_ += open;
    first_ = true;
    inner();
    text_ += close;
    first_ = false;
    return *this;
  }
  void separate() {
    if (!first_) text_ += ',';
    first_ = false;
  }
  static bool special(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
  }
  void escape(char c) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20) {
      text_ += '\\';
      text_ += c;
    } else {
      text_ += "\\u00";
      append_hexadecimal(text_, byte);
    }
  }

  static constexpr size_t kTypicalSize = 240;  // most patches grow no further

  std::string text_;
  bool first_ = true;  // nothing was written in this container yet
};

}  // namespace ccm
