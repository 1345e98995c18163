// ccm::Pattern: regular expressions and globs that users write into annotations. Their cost is
// bounded by their size and by the text's: no pattern takes long, whatever it is. [any-thread]
//
// A pattern becomes a program of steps (Thompson's construction), and a text is read once while all
// places that the program may be at are followed together. There is no backtracking.
#pragma once

#include <ccm/status.hpp>
#include <ccm/utf8.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm {

namespace detail {
class PatternCompiler;
}

class Pattern {
 public:
  static constexpr std::size_t kLongest = 1'024;  // bytes of a pattern
  static constexpr std::size_t kMostSteps = 500;  // of its program; x{3} counts x three times

  // A regular expression for the whole text, as Go's `regexp` and RE2 write them: . [a-z] [^a] * +
  // ? {2,5} | ( ) (?: ) (?P<name> ) (?i) ^ $ \A \z \b \B \d \w \s \D \W \S [[:alpha:]] \. \n \x7F
  // \x{10FFFF} \Q...\E, each repetition also with the ? of lazy ones. (?i) knows the letters of
  // ASCII. Failure: invalid_argument, class invalid_spec, as in "has a ( without a )"; also for
  // what needs more than linear time (\1, look-ahead), for classes of Unicode (\pL), and beyond the
  // limits.
  static Result<Pattern> regular_expression(std::string_view text);

  // A glob for the whole text: * is anything without a "/", ** anything, ? one character, [a-z] and
  // [!a-z] one of a set, {one,two*} either; \ takes the special meaning from what follows. A
  // bracket or brace that is never closed is itself. Failure: beyond the limits, as above.
  static Result<Pattern> glob(std::string_view text);

  // Whether the whole text is as the pattern says. Bytes that are no UTF-8 count as U+FFFD each.
  [[nodiscard]] bool fits(std::string_view text) const {
    uint64_t steps = 0;
    return fits(text, steps);
  }
  // As fits(text). Adds the steps that were taken to `steps`: at most size() + 1 for each character
  // and for the end, each of which looks at the ranges of one set by halving.
  bool fits(std::string_view text, uint64_t& steps) const;

  // Steps of the program.
  [[nodiscard]] std::size_t size() const { return program_.size(); }

 private:
  friend class detail::PatternCompiler;
  enum class Kind : uint8_t { set, split, jump, begin, end, line_begin, line_end, edge, no_edge };
  struct Range {
    char32_t first;
    char32_t last;
    bool operator<(const Range& other) const { return first < other.first; }
  };
  struct Step {
    Kind kind;
    int32_t to = 0;      // split, jump: from here; a split also goes on with the next step
    uint32_t first = 0;  // set: its ranges, in order
    uint32_t last = 0;
  };
  struct Where {  // in the text
    char32_t before;
    char32_t after;
    bool at_begin;
    bool at_end;
  };
  class Places;

  [[nodiscard]] bool in_set(const Step& step, char32_t c) const {
    const auto begin = ranges_.begin() + step.first;
    const auto end = ranges_.begin() + step.last;
    const auto after = std::upper_bound(begin, end, Range{c, c});
    return after != begin && std::prev(after)->last >= c;
  }
  [[nodiscard]] static bool holds(Kind assertion, const Where& where);

  std::vector<Step> program_;  // its end is where the text fits
  std::vector<Range> ranges_;
};

namespace detail {

inline constexpr char32_t kNoCharacter = 0x110000;
inline constexpr char32_t kBadCharacter = 0xFFFD;

// Takes one character off the front of `text`, which is not empty.
inline char32_t take_character(std::string_view& text) {
  const Utf8Character character = utf8_character(text);
  text.remove_prefix(character.length == 0 ? 1 : character.length);
  return character.length == 0 ? kBadCharacter : char32_t{character.value};
}

inline bool is_word(char32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace detail

// Steps that are followed at one place of the text, each once.
class Pattern::Places {
 public:
  explicit Places(std::size_t steps) : among_(steps + 1, false) { all_.reserve(steps + 1); }

  [[nodiscard]] const std::vector<std::size_t>& all() const { return all_; }
  [[nodiscard]] bool has(std::size_t step) const { return among_[step]; }
  void clear() {
    for (const std::size_t step : all_) among_[step] = false;
    all_.clear();
  }
  void add(std::size_t step) {
    if (among_[step]) return;
    among_[step] = true;
    all_.push_back(step);
  }

  // Adds the steps that are reached from `all()` without a character of the text.
  void follow(const std::vector<Step>& program, const Where& where) {
    for (std::size_t at = 0; at < all_.size(); ++at) {  // which grows meanwhile
      const std::size_t here = all_[at];
      if (here == program.size()) continue;
      const Step& step = program[here];
      const auto target = static_cast<std::size_t>(static_cast<int64_t>(here) + step.to);
      if (step.kind == Kind::set) continue;
      if (step.kind == Kind::split || step.kind == Kind::jump) add(target);
      if (step.kind == Kind::split || (step.kind != Kind::jump && holds(step.kind, where))) {
        add(here + 1);
      }
    }
  }

 private:
  std::vector<std::size_t> all_;
  std::vector<bool> among_;
};

inline bool Pattern::holds(Kind assertion, const Where& where) {
  switch (assertion) {
    case Kind::begin:
      return where.at_begin;
    case Kind::end:
      return where.at_end;
    case Kind::line_begin:
      return where.at_begin || where.before == '\n';
    case Kind::line_end:
      return where.at_end || where.after == '\n';
    case Kind::edge:
    case Kind::no_edge:
      return (detail::is_word(where.before) != detail::is_word(where.after)) ==
             (assertion == Kind::edge);
    default:
      return false;
  }
}

inline bool Pattern::fits(std::string_view text, uint64_t& steps) const {
  Places now(program_.size());
  Places next(program_.size());
  now.add(0);
  char32_t before = detail::kNoCharacter;
  for (bool begin = true;; begin = false) {
    const bool end = text.empty();
    const char32_t c = end ? detail::kNoCharacter : detail::take_character(text);
    now.follow(program_, {before, c, begin, end});
    steps += now.all().size();
    if (end) return now.has(program_.size());
    for (const std::size_t at : now.all()) {
      const bool goes_on =
          at < program_.size() && program_[at].kind == Kind::set && in_set(program_[at], c);
      if (goes_on) next.add(at + 1);
    }
    if (next.all().empty()) return false;
    std::swap(now, next);
    next.clear();
    before = c;
  }
}

}  // namespace ccm

#include <ccm/detail/pattern_compiler.hpp>
