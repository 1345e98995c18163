#include "gcfg.hpp"

#include <ccm/utf8.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace ccm {
namespace {

Status invalid_configuration(std::string message) {
  return Status(Code::invalid_argument, ErrorClass::invalid_spec, std::move(message))
      .with_reason("InvalidConfiguration");
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A byte of a name. A byte that is not ASCII counts as a letter when it can be one: no option has
// such a name, so all that matters is that a blank of another script or a byte-order mark is none.
bool is_letter(std::string_view rest) {
  if (rest.empty()) return false;
  if (static_cast<unsigned char>(rest.front()) < 0x80) return is_ascii_letter(rest.front());
  const uint32_t c = utf8_character(rest).value;
  const bool blank_or_mark =
      c <= 0xBF || (c >= 0x2000 && c <= 0x206F) || c == 0x3000 || c == 0xFEFF;
  return !blank_or_mark;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {
    for (size_t at = 0; at < text.size(); ++at) {
      if (text[at] == '\n') line_begins_.push_back(at + 1);
    }
  }

  Result<std::vector<GcfgSection>> parse() {
    if (Status status = check_encoding(); !status.ok()) return status;
    for (skip_blanks(); at_ < text_.size(); skip_blanks()) {
      Status status = line();
      if (!status.ok()) return status;
    }
    return std::move(sections_);
  }

 private:
  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
  [[nodiscard]] char next() const { return at_ < text_.size() ? text_[at_] : '\n'; }
  [[nodiscard]] bool at_end_of_line() const {
    return at_ >= text_.size() || next() == '\n' || next() == ';' || next() == '#';
  }
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  // 1 for the first line.
  [[nodiscard]] size_t line_number(size_t at) const {
    return static_cast<size_t>(std::upper_bound(line_begins_.begin(), line_begins_.end(), at) -
                               line_begins_.begin());
  }
  [[nodiscard]] Status fault(size_t at, std::string_view message) const {
    const size_t line = line_number(at);
    const size_t column = at - line_begins_[line - 1] + 1;
    std::string text = "line " + std::to_string(line) + ", column " + std::to_string(column) + ": ";
    text += message;
    return invalid_configuration(std::move(text));
  }

  [[nodiscard]] Status check_encoding() const {
    for (size_t at = 0; at < text_.size();) {
      const Utf8Character character = utf8_character(text_.substr(at));
      if (character.length == 0) return fault(at, "this is not UTF-8");
      if (character.value == 0) return fault(at, "a NUL byte");
      at += character.length;
    }
    if (text_.starts_with("\xEF\xBB\xBF")) {
      return fault(0, "a byte-order mark; save the file as UTF-8 without one");
    }
    return {};
  }

  // The rest of a line, from its first character that is no blank.
  Status line() {
    if (next() == '\n') return ++at_, Status();
    if (at_end_of_line()) return skip_line(), Status();
    if (next() == '[') return header();
    if (!is_letter(rest())) return fault(at_, "expected [section], a name or a comment");
    if (sections_.empty()) return fault(at_, "expected [section] before the first name");
    return variable();
  }

  std::string name() {
    const size_t begin = at_;
    while (is_letter(rest()) || (at_ < text_.size() && (is_digit(next()) || next() == '-'))) {
      at_ += utf8_character(rest()).length;
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  Status header() {
    GcfgSection section;
    section.line = line_number(at_);
    ++at_;
    skip_blanks();
    if (!is_letter(rest())) return fault(at_, "expected the name of a section");
    section.name = name();
    skip_blanks();
    if (next() == '"') {
      const size_t quote = at_;
      if (Status status = quoted(section.subsection); !status.ok()) return status;
      if (section.subsection.empty()) return fault(quote, "the name of a subsection is empty");
      skip_blanks();
    }
    if (next() != ']') return fault(at_, "expected ] or a subsection in double quotes");
    ++at_;
    skip_blanks();
    if (!at_end_of_line()) return fault(at_, "expected the end of the line after ]");
    sections_.push_back(std::move(section));
    return {};
  }

  // The name of a subsection (OS-22).
  Status quoted(std::string& into) {
    const size_t quote = at_++;
    for (; next() != '"'; ++at_) {
      if (next() == '\n') return fault(quote, "the closing quote is missing");
      if (next() == '\\') {
        ++at_;
        if (next() != '\\' && next() != '"') {
          return fault(at_ - 1, R"(a backslash here goes before \ or " only)");
        }
      }
      into += next();
    }
    ++at_;
    return {};
  }

  Status variable() {
    GcfgVariable variable;
    variable.line = line_number(at_);
    variable.name = name();
    skip_blanks();
    if (!at_end_of_line()) {
      if (next() != '=') {
        const char* hint = next() == '_' ? "; names have - instead of _" : "";
        return fault(at_, "expected = after " + variable.name + hint);
      }
      ++at_;
      skip_blanks();
      if (Status status = value(variable.value.emplace()); !status.ok()) return status;
    }
    sections_.back().variables.push_back(std::move(variable));
    return {};
  }

  // Up to the end of the line or a comment (OS-23..OS-26).
  Status value(std::string& into) {
    size_t quote = text_.npos;
    size_t significant = 0;  // the length without blanks at the end
    for (; quote != text_.npos || !at_end_of_line(); ++at_) {
      const char c = next();
      if (c == '\n') return fault(quote, "the closing quote is missing");
      if (c == '"') {
        quote = quote == text_.npos ? at_ : text_.npos;
        significant = into.size();
        continue;
      }
      if (c == '\\') {
        if (Status status = escape(quote != text_.npos, into); !status.ok()) return status;
        significant = into.size();
        continue;
      }
      if (c != '\r') into += c;
      if (quote != text_.npos || !is_blank(c)) significant = into.size();
    }
    into.resize(significant);
    return {};
  }

  // Leaves at_ at the last character that belongs to it.
  Status escape(bool in_quotes, std::string& into) {
    const size_t backslash = at_++;
    if (at_ < text_.size() && next() == '\r' && !in_quotes) ++at_;
    const char c = at_ < text_.size() ? next() : '\0';
    if (c == '"' || (in_quotes && c == '\\')) return into += c, Status();
    if (!in_quotes && c == '\n') return {};
    if (in_quotes && c == 'n') return into += '\n', Status();
    if (in_quotes && c == 't') return into += '\t', Status();
    return fault(backslash,
                 in_quotes
                     ? R"(in quotes a backslash goes before \, ", n or t only: write \\ for one)"
                     : R"(put the value into double quotes and write \\ for a backslash)");
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<size_t> line_begins_{0};
  std::vector<GcfgSection> sections_;
};

}  // namespace

Result<std::vector<GcfgSection>> parse_gcfg(std::string_view text) { return Parser(text).parse(); }

}  // namespace ccm
