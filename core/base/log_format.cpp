#include "base/log_format.hpp"

#include "base/duration.hpp"
#include "base/utf8.hpp"

#include <ccm/shown_text.hpp>

#include <fmt/format.h>
#include <time.h>

#include <array>
#include <cmath>
#include <iterator>

namespace ccm::log {
namespace {

using Buffer = fmt::memory_buffer;

void append(Buffer& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

// A character by its number, as Go quotes what cannot be shown.
void append_code(Buffer& out, std::string_view character, bool json) {
  constexpr std::array<unsigned, 5> kLeadBits{0, 0, 0x1F, 0x0F, 0x07};
  unsigned code = static_cast<unsigned char>(character.front()) & kLeadBits.at(character.size());
  for (const char c : character.substr(1))
    code = code << 6U | (static_cast<unsigned char>(c) & 0x3FU);
  if (code < 0x10000) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", code);
  } else if (json) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}\\u{:04x}",
                   0xD800 + ((code - 0x10000) >> 10U), 0xDC00 + ((code - 0x10000) & 0x3FFU));
  } else {
    fmt::format_to(std::back_inserter(out), "\\U{:08x}", code);
  }
}

// A quoted string. JSON and Go's quoting differ in how they write what cannot be shown.
void append_quoted(Buffer& out, std::string_view text, bool json) {
  out.push_back('"');
  while (!text.empty()) {
    const char c = text[0];
    const std::size_t length = utf8_length(text);
    if (length > 1 && hidden_length(text) != 0) {
      append_code(out, text.substr(0, length), json);
      text.remove_prefix(length);
      continue;
    }
    if (length > 1) {
      append(out, text.substr(0, length));
      text.remove_prefix(length);
      continue;
    }
    if (length == 0) {
      if (json) {
        append(out, "\\ufffd");
      } else {
        fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
      }
    } else if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (c == '\n') {
      append(out, "\\n");
    } else if (c == '\t') {
      append(out, "\\t");
    } else if (c == '\r') {
      append(out, "\\r");
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      append(out, json ? "\\u00" : "\\x");
      fmt::format_to(std::back_inserter(out), "{:02x}", static_cast<unsigned>(c));
    } else {
      out.push_back(c);
    }
    text.remove_prefix(1);
  }
  out.push_back('"');
}

struct ValueWriter {
  Buffer& out;
  bool json;

  void operator()(std::string_view text) const { append_quoted(out, text, json); }
  void operator()(bool value) const { append(out, value ? "true" : "false"); }
  void operator()(int64_t value) const { fmt::format_to(std::back_inserter(out), "{}", value); }
  void operator()(uint64_t value) const { fmt::format_to(std::back_inserter(out), "{}", value); }
  void operator()(double value) const {
    const std::string text = fmt::format("{}", value);
    if (json && !std::isfinite(value)) return append_quoted(out, text, true);
    append(out, text);
  }
  void operator()(std::chrono::nanoseconds value) const {
    append_quoted(out, format_duration(value), json);
  }
  void operator()(std::span<const std::string> list) const {
    out.push_back('[');
    bool first = true;
    for (const std::string& item : list) {
      if (!first) out.push_back(',');
      first = false;
      append_quoted(out, item, json);
    }
    out.push_back(']');
  }
};

// The last folder and the file.
std::string_view short_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos || slash == 0) return path;
  const std::size_t before = path.rfind('/', slash - 1);
  return before == std::string_view::npos ? path : path.substr(before + 1);
}

char letter(Severity severity) {
  switch (severity) {
    case Severity::info:
      return 'I';
    case Severity::warning:
      return 'W';
    case Severity::error:
      return 'E';
  }
  return 'I';
}

}  // namespace

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view without_extension(std::string_view path) {
  const std::size_t point = path.rfind('.');
  if (point == std::string_view::npos) return path;
  const std::size_t slash = path.rfind('/');
  return slash != std::string_view::npos && slash > point ? path : path.substr(0, point);
}

std::string format_text(const Record& record, std::chrono::system_clock::time_point time, int pid) {
  const auto since_epoch =
      std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
  const time_t seconds = since_epoch / 1'000'000;
  tm local{};
  ::localtime_r(&seconds, &local);
  Buffer out;
  fmt::format_to(std::back_inserter(out), "{}{:02}{:02} {:02}:{:02}:{:02}.{:06} {:7} {}:{}] ",
                 letter(record.severity), local.tm_mon + 1, local.tm_mday, local.tm_hour,
                 local.tm_min, local.tm_sec, since_epoch % 1'000'000, pid,
                 record.file.empty() ? std::string_view("???") : base_name(record.file),
                 record.line);
  append_quoted(out, record.message, false);
  if (!record.logger.empty()) {
    append(out, " logger=");
    append_quoted(out, record.logger, false);
  }
  for (const Field& field : record.fields) {
    out.push_back(' ');
    append(out, field.key);
    out.push_back('=');
    std::visit(ValueWriter{out, false}, field.value.data());
  }
  return fmt::to_string(out);
}

std::string format_json(const Record& record, std::chrono::system_clock::time_point time) {
  const auto since_epoch =
      std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
  Buffer out;
  fmt::format_to(std::back_inserter(out), "{{\"ts\":{}.{:03}", since_epoch / 1000,
                 since_epoch % 1000);
  if (!record.logger.empty()) {
    append(out, ",\"logger\":");
    append_quoted(out, record.logger, true);
  }
  if (!record.file.empty()) {
    append(out, ",\"caller\":");
    append_quoted(out, fmt::format("{}:{}", short_path(record.file), record.line), true);
  }
  append(out, ",\"msg\":");
  append_quoted(out, record.message, true);
  if (record.severity != Severity::error) {
    fmt::format_to(std::back_inserter(out), ",\"v\":{}", record.verbosity);
  }
  if (record.severity == Severity::warning) append(out, ",\"severity\":\"warning\"");
  for (const Field& field : record.fields) {
    out.push_back(',');
    append_quoted(out, field.key, true);
    out.push_back(':');
    std::visit(ValueWriter{out, true}, field.value.data());
  }
  out.push_back('}');
  return fmt::to_string(out);
}

}  // namespace ccm::log
