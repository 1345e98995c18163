#include "name_pattern.hpp"

#include <ccm/percent_encode.hpp>

#include <fnmatch.h>
#include <regex.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace ccm::openstack {
namespace {

constexpr std::size_t kLongestPattern = 255;
constexpr std::size_t kMostChoices = 64;
// Each + doubles what it stands after in the C library's memory, so nested ones fill it.
constexpr int kMostRepeats = 10;

Status wrong_pattern(const std::string& text, const std::string& why) {
  return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                "floating-subnet \"" + text.substr(0, kLongestPattern) + "\": " + why);
}

class PosixRegex {
 public:
  explicit PosixRegex(const std::string& text) {
    compiled_ = regcomp(&regex_, text.c_str(), REG_EXTENDED | REG_NOSUB) == 0;
  }
  ~PosixRegex() {
    if (compiled_) regfree(&regex_);
  }
  PosixRegex(const PosixRegex&) = delete;
  PosixRegex& operator=(const PosixRegex&) = delete;

  [[nodiscard]] bool compiled() const { return compiled_; }
  [[nodiscard]] bool fits(const std::string& name) const {
    return compiled_ && regexec(&regex_, name.c_str(), 0, nullptr, 0) == 0;
  }

 private:
  regex_t regex_{};
  bool compiled_ = false;
};

// Users write these: counts and references to groups, which take time or memory without bound, are
// refused. "\d" is known to many, but not to POSIX.
Result<std::string> whole_regex(const std::string& text) {
  std::string out = "^(";
  int repeats = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && ++repeats > kMostRepeats) {
      return wrong_pattern(text, "a regular expression may have 10 + at most");
    }
    const char next = text[i] == '\\' && i + 1 < text.size() ? text[i + 1] : '\0';
    if (text[i] == '{' || (next >= '0' && next <= '9')) {
      return wrong_pattern(text, "{ and \\1 are not supported in regular expressions");
    }
    if (next == 'd') {
      out += "[0-9]";
      ++i;
    } else {
      out += text[i];
      if (next != '\0') out += text[++i];
    }
  }
  return out + ")$";
}

// "a{b,c}" -> "ab", "ac", for fnmatch(), which has no braces.
bool expand(const std::string& text, std::vector<std::string>& out) {
  const std::size_t open = text.find('{');
  const std::size_t close = text.find('}', open);
  if (open == std::string::npos || close == std::string::npos) {
    out.push_back(text);
    return out.size() <= kMostChoices;
  }
  std::size_t begin = open + 1;
  while (begin <= close) {
    const std::size_t end = std::min(text.find(',', begin), close);
    const std::string choice = text.substr(begin, end - begin);
    if (!expand(text.substr(0, open) + choice + text.substr(close + 1), out)) return false;
    begin = end + 1;
  }
  return true;
}

}  // namespace

Result<NamePattern> NamePattern::parse(std::string text) {
  NamePattern made;
  if (text.size() > kLongestPattern) return wrong_pattern(text, "is too long");
  if (text.starts_with('!')) {
    made.negated_ = true;
    text.erase(0, 1);
  }
  if (text.starts_with('~')) {
    auto regex = whole_regex(text.substr(1));
    if (!regex.ok()) return regex.status();
    if (!PosixRegex(*regex).compiled()) return wrong_pattern(text, "is no regular expression");
    made.regex_ = *std::move(regex);
  } else if (!expand(text, made.globs_)) {
    return wrong_pattern(text, "has too many choices");
  }
  return made;
}

bool NamePattern::fits(const std::string& name) const {
  bool found = false;
  if (!regex_.empty()) {
    found = PosixRegex(regex_).fits(name);
  } else {
    found = std::any_of(globs_.begin(), globs_.end(), [&](const std::string& glob) {
      return fnmatch(glob.c_str(), name.c_str(), 0) == 0;
    });
  }
  return found != negated_;
}

std::string tag_query(const std::string& tags) {
  std::string_view rest = tags;
  const bool negated = rest.starts_with('!');
  if (negated) rest.remove_prefix(1);
  const bool all = rest.starts_with('&');
  if (all) rest.remove_prefix(1);
  if (rest.empty()) return {};
  const char* name = all ? "tags" : "tags-any";
  if (negated) name = all ? "not-tags" : "not-tags-any";
  return "&" + std::string(name) + "=" + percent_encode(std::string(rest));
}

}  // namespace ccm::openstack
