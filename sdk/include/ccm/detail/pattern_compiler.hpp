// How ccm::Pattern reads what a user wrote; include <ccm/pattern.hpp>. [any-thread]
#pragma once

#include <ccm/pattern.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm {
namespace detail {

// Writes the program while it reads the pattern. Each read_* function appends the steps of what it
// has read; jumps are relative, so that a part can be moved and copied.
class PatternCompiler {
 public:
  explicit PatternCompiler(std::string_view text) : rest_(text) {
    if (text.size() > Pattern::kLongest) fail("is too long");
  }

  Result<Pattern> regular_expression() {
    read_choice(0);
    if (fault_.empty() && !rest_.empty()) fail("has a ) without a (");
    return result();
  }

  Result<Pattern> glob() {
    find_closed_braces();
    read_glob(0);
    return result();
  }

 private:
  using Kind = Pattern::Kind;
  using Step = Pattern::Step;
  using Range = Pattern::Range;
  using Set = std::vector<Range>;
  struct Flags {
    bool any_case = false;
    bool lines = false;       // ^ and $ at the ends of lines
    bool dot_is_all = false;  // a new line too
  };

  static constexpr int kMostLevels = 50;
  static constexpr int kMostRepeats = 1'000;
  static constexpr char32_t kLastCharacter = kNoCharacter - 1;

  Result<Pattern> result() {
    if (fault_.empty()) return std::move(made_);
    return Status(Code::invalid_argument, ErrorClass::invalid_spec, std::move(fault_));
  }

  void fail(std::string why) {
    if (fault_.empty()) fault_ = std::move(why);
    rest_ = {};
  }

  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  // ---- the program ----

  [[nodiscard]] std::size_t here() const { return made_.program_.size(); }
  [[nodiscard]] static int32_t distance(std::size_t from, std::size_t to) {
    return static_cast<int32_t>(to) - static_cast<int32_t>(from);
  }

  bool room(std::size_t steps) {
    if (here() + steps <= Pattern::kMostSteps) return true;
    fail("is too large");
    return false;
  }

  void append(Step step) {
    if (room(1)) made_.program_.push_back(step);
  }

  void insert(std::size_t at, Step step) {
    if (!room(1)) return;
    made_.program_.insert(made_.program_.begin() + static_cast<std::ptrdiff_t>(at), step);
  }

  // Once more, what the program has from `begin` to `end`.
  void copy(std::size_t begin, std::size_t end) {
    if (!room(end - begin)) return;
    for (std::size_t at = begin; at < end; ++at) made_.program_.push_back(made_.program_[at]);
  }

  // From `begin` on: once or never.
  void make_optional(std::size_t begin) {
    insert(begin, {Kind::split, distance(begin, here() + 1)});
  }

  // From `begin` on: once or more.
  void make_repeated(std::size_t begin) { append({Kind::split, distance(here(), begin)}); }

  void make_any_number(std::size_t begin) {
    make_repeated(begin);
    make_optional(begin);
  }

  // From `begin` on: `least` to `most` times; most < 0: without an end.
  void repeat(std::size_t begin, int least, int most) {
    const std::size_t size = here() - begin;
    if (size == 0) return;  // nothing, however often
    if (most == 0) return made_.program_.resize(begin);
    if (least == 0 && most < 0) return make_any_number(begin);
    for (int times = 1; times < least && fault_.empty(); ++times) copy(begin, begin + size);
    if (most < 0) return make_repeated(here() - size);
    if (least == most) return;
    if (least > 0) copy(begin, begin + size);
    const std::size_t optional = here() - size;
    make_optional(optional);
    for (int more = most - least - 1; more > 0 && fault_.empty(); --more) {
      copy(optional, optional + size + 1);
    }
  }

  // A choice of what `read` appends: once, and again after each further `separator`.
  template <typename Read>
  void read_choices(std::string_view separator, Read read) {
    std::vector<std::size_t> jumps;
    std::size_t choice = here();
    for (read(); take(separator); read()) {
      insert(choice, {Kind::split, distance(choice, here() + 2)});
      jumps.push_back(here());
      append({Kind::jump});
      choice = here();
    }
    if (!fault_.empty()) return;
    for (const std::size_t jump : jumps) made_.program_[jump].to = distance(jump, here());
  }

  void append_set(Set set, bool negated) {
    if (flags_.any_case) add_other_case(set);
    std::sort(set.begin(), set.end());
    Set joined;
    for (const Range& range : set) {
      if (!joined.empty() && range.first <= joined.back().last + 1) {
        joined.back().last = std::max(joined.back().last, range.last);
      } else {
        joined.push_back(range);
      }
    }
    if (negated) joined = all_but(joined);
    const auto first = static_cast<uint32_t>(made_.ranges_.size());
    made_.ranges_.insert(made_.ranges_.end(), joined.begin(), joined.end());
    append({Kind::set, 0, first, static_cast<uint32_t>(made_.ranges_.size())});
  }

  // All characters outside of a set whose ranges are in order and do not touch each other.
  static Set all_but(const Set& set) {
    Set others;
    char32_t next = 0;
    for (const Range& range : set) {
      if (range.first > next) others.push_back({next, range.first - 1});
      next = range.last + 1;
    }
    if (next <= kLastCharacter) others.push_back({next, kLastCharacter});
    return others;
  }

  static void add_other_case(Set& set) {
    constexpr char32_t kBetween = 'a' - 'A';
    const auto add = [&set](Range range, char32_t first, char32_t last, bool up) {
      const Range both{std::max(range.first, first), std::min(range.last, last)};
      if (both.first > both.last) return;
      set.push_back(up ? Range{both.first - kBetween, both.last - kBetween}
                       : Range{both.first + kBetween, both.last + kBetween});
    };
    for (std::size_t at = 0, count = set.size(); at < count; ++at) {
      const Range range = set[at];
      add(range, 'a', 'z', true);
      add(range, 'A', 'Z', false);
    }
  }

  void append_character(char32_t c) { append_set({{c, c}}, false); }

  // ---- regular expressions ----

  void read_choice(int level) {
    if (level > kMostLevels) return fail("has too many parentheses in each other");
    read_choices("|", [&] { read_sequence(level); });
  }

  void read_sequence(int level) {
    while (!rest_.empty() && rest_.front() != '|' && rest_.front() != ')') {
      const std::size_t begin = here();
      if (read_part(level)) read_repetition(begin);
    }
  }

  // False: it was nothing that can be repeated.
  bool read_part(int level) {
    if (take("(?")) return read_special_group(level);
    if (take("(")) return read_group(level);
    if (take("[")) return read_class();
    if (take(".")) {
      append_set(flags_.dot_is_all ? Set() : Set{{'\n', '\n'}}, true);
      return true;
    }
    if (take("^")) return append_assertion(flags_.lines ? Kind::line_begin : Kind::begin);
    if (take("$")) return append_assertion(flags_.lines ? Kind::line_end : Kind::end);
    if (take("\\")) return read_escape();
    int least = 0;
    int most = 0;
    if (take("*") || take("+") || take("?") || take_count(least, most)) {
      fail("has a repetition with nothing before it");
      return false;
    }
    append_character(take_character(rest_));
    return true;
  }

  bool append_assertion(Kind kind) {
    append({kind});
    return true;
  }

  bool read_group(int level) {
    const Flags before = flags_;
    read_choice(level + 1);
    flags_ = before;
    if (!take(")")) fail("has a ( without a )");
    return true;
  }

  // After "(?": a name, flags, or flags for a group.
  bool read_special_group(int level) {
    if (take("P<") || (rest_.starts_with("<") && !rest_.starts_with("<=") &&
                       !rest_.starts_with("<!") && take("<"))) {
      const std::size_t end = rest_.find('>');
      const std::string_view name = rest_.substr(0, end);
      const bool right =
          end != std::string_view::npos && !name.empty() &&
          std::all_of(name.begin(), name.end(), [](unsigned char c) { return is_word(c); });
      if (!right) {
        fail("has a group whose name is none");
        return false;
      }
      rest_.remove_prefix(end + 1);
      return read_group(level);
    }
    const Flags before = flags_;
    if (!read_flags()) {
      fail("has a (? that is not known");
      return false;
    }
    if (take(")")) return false;  // for the rest of the group around it
    rest_.remove_prefix(1);       // the colon
    const bool group = read_group(level);
    flags_ = before;
    return group;
  }

  // "i-s" up to a colon or parenthesis, which stays.
  bool read_flags() {
    bool on = true;
    bool sign = false;
    for (; !rest_.empty(); rest_.remove_prefix(1)) {
      const char flag = rest_.front();
      if (flag == ':' || flag == ')') return true;
      if (flag == 'i') {
        flags_.any_case = on;
      } else if (flag == 'm') {
        flags_.lines = on;
      } else if (flag == 's') {
        flags_.dot_is_all = on;
      } else if (flag == '-' && !std::exchange(sign, true)) {
        on = false;
      } else if (flag != 'U') {  // which of two ways goes first means nothing for the whole text
        return false;
      }
    }
    return false;
  }

  // The repetition, if any, of the part that began at `begin`.
  void read_repetition(std::size_t begin) {
    bool again = false;
    while (!rest_.empty()) {
      int least = rest_.front() == '+' ? 1 : 0;
      int most = rest_.front() == '?' ? 1 : -1;
      if (!take("*") && !take("+") && !take("?") && !take_count(least, most)) return;
      if (!fault_.empty()) return;
      if (std::exchange(again, true)) return fail("repeats a repetition");
      take("?");  // lazy
      repeat(begin, least, most);
    }
  }

  // "{2}", "{2,}", "{2,5}". Anything else is text, as a brace is.
  bool take_count(int& least, int& most) {
    std::string_view text = rest_;
    if (!text.starts_with('{')) return false;
    text.remove_prefix(1);
    if (!take_number(text, least)) return false;
    most = least;
    if (text.starts_with(',')) {
      text.remove_prefix(1);
      most = -1;
      if (!text.starts_with('}') && !take_number(text, most)) return false;
    }
    if (!text.starts_with('}')) return false;
    rest_ = text.substr(1);
    if (least > kMostRepeats || most > kMostRepeats || (most >= 0 && most < least)) {
      fail("has a repetition count that is none");
    }
    return true;
  }

  static bool take_number(std::string_view& text, int& number) {
    std::size_t digits = 0;
    number = 0;
    while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
      number = std::min(number * 10 + (text[digits++] - '0'), kMostRepeats + 1);
    }
    text.remove_prefix(digits);
    return digits > 0;
  }

  // After a backslash.
  bool read_escape() {
    if (take("Q")) return read_quoted();
    if (take("A")) return append_assertion(Kind::begin);
    if (take("z")) return append_assertion(Kind::end);
    if (take("b")) return append_assertion(Kind::edge);
    if (take("B")) return append_assertion(Kind::no_edge);
    Set set;
    bool negated = false;
    if (take_perl_class(set, negated)) {
      append_set(std::move(set), negated);
      return true;
    }
    append_character(read_escaped_character());
    return true;
  }

  // After \Q: as it is, up to \E or the end. A repetition after it is one of the last character.
  bool read_quoted() {
    while (!rest_.empty() && !take("\\E")) {
      append_character(take_character(rest_));
      std::size_t begin = here() - 1;
      if (rest_.starts_with("\\E")) {
        rest_.remove_prefix(2);
        if (fault_.empty()) read_repetition(begin);
        break;
      }
    }
    return false;
  }

  // d, w, s and their opposites, of ASCII.
  bool take_perl_class(Set& set, bool& negated) {
    const char name = rest_.empty() ? '\0' : rest_.front();
    if (name == 'd' || name == 'D') {
      set = ranges_of("09");
    } else if (name == 'w' || name == 'W') {
      set = ranges_of("09AZ__az");
    } else if (name == 's' || name == 'S') {
      set = ranges_of("\t\n\f\r  ");
    } else {
      return false;
    }
    negated = name < 'a';
    rest_.remove_prefix(1);
    return true;
  }

  // "09az" -> 0 to 9, a to z.
  static Set ranges_of(std::string_view ends) {
    Set set;
    for (; ends.size() >= 2; ends.remove_prefix(2)) {
      set.push_back({static_cast<unsigned char>(ends[0]), static_cast<unsigned char>(ends[1])});
    }
    return set;
  }

  char32_t read_escaped_character() {
    if (rest_.empty()) {
      fail("ends with a backslash");
      return 0;
    }
    const char32_t c = take_character(rest_);
    constexpr std::string_view kNames = "afnrtv";
    constexpr std::string_view kMeant = "\a\f\n\r\t\v";
    const std::size_t known = c < 0x80 ? kNames.find(static_cast<char>(c)) : kNames.npos;
    if (known != kNames.npos) return static_cast<char32_t>(kMeant[known]);
    if (c == 'x') return read_hexadecimal();
    if (c == 'p' || c == 'P') {
      fail("uses a class of Unicode, which is not supported");
      return 0;
    }
    if (c >= '0' && c <= '7') return read_octal(c);
    if (c >= 0x80 || (is_word(c) && c != '_')) {
      fail(c == '8' || c == '9' ? "refers to a group, which is not supported"
                                : "has a \\ before a character that needs none");
    }
    return c;
  }

  // "\1" alone would be what the first group has found.
  char32_t read_octal(char32_t first) {
    const auto next_is_octal = [this] {
      return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '7';
    };
    if (first != '0' && !next_is_octal()) {
      fail("refers to a group, which is not supported");
      return 0;
    }
    char32_t value = first - '0';
    for (int digits = 1; digits < 3 && next_is_octal(); ++digits) {
      value = value * 8 + (take_character(rest_) - '0');
    }
    return value;
  }

  // After \x: two digits, or any number in braces.
  char32_t read_hexadecimal() {
    const bool braces = take("{");
    char32_t value = 0;
    int digits = 0;
    for (int digit = 0; (braces || digits < 2) && (digit = hexadecimal_digit()) >= 0; ++digits) {
      value = std::min<char32_t>(value * 16 + static_cast<char32_t>(digit), kNoCharacter);
      rest_.remove_prefix(1);
    }
    const bool right = braces ? digits > 0 && take("}") : digits == 2;
    if (!right || value > kLastCharacter) fail("has a \\x that is no character");
    return value;
  }

  [[nodiscard]] int hexadecimal_digit() const {
    if (rest_.empty()) return -1;
    const char c = rest_.front();
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  }

  // After "[".
  bool read_class() {
    const bool negated = take("^");
    Set set;
    bool first = true;
    for (; first || !take("]"); first = false) {
      if (rest_.empty()) {
        fail("has a [ without a ]");
        return false;
      }
      if (take_posix_class(set)) continue;
      if (rest_.starts_with('\\') && add_perl_class(set)) continue;
      const char32_t from = read_class_character();
      char32_t to = from;
      if (rest_.size() >= 2 && rest_[0] == '-' && rest_[1] != ']') {
        rest_.remove_prefix(1);
        to = read_class_character();
      }
      if (!fault_.empty()) return false;
      if (to < from) fail("has a range whose end is before its begin");
      set.push_back({from, to});
    }
    append_set(std::move(set), negated);
    return true;
  }

  bool add_perl_class(Set& set) {
    const std::string_view before = rest_;
    rest_.remove_prefix(1);
    Set chosen;
    bool opposite = false;
    if (!take_perl_class(chosen, opposite)) {
      rest_ = before;
      return false;
    }
    if (opposite) chosen = all_but(chosen);
    set.insert(set.end(), chosen.begin(), chosen.end());
    return true;
  }

  char32_t read_class_character() {
    return take("\\") ? read_escaped_character() : next_of_class();
  }

  char32_t next_of_class() {
    if (!rest_.empty()) return take_character(rest_);
    fail("has a [ without a ]");
    return 0;
  }

  // "[:alpha:]" and "[:^alpha:]", within a class.
  bool take_posix_class(Set& set) {
    if (!rest_.starts_with("[:")) return false;
    const std::size_t end = rest_.find(":]", 2);
    if (end == std::string_view::npos) return false;
    std::string_view name = rest_.substr(2, end - 2);
    const bool opposite = name.starts_with('^');
    if (opposite) name.remove_prefix(1);
    Set chosen = posix_class(name);
    if (chosen.empty()) {
      fail("has a [: :] that is not known");
      return true;
    }
    if (opposite) chosen = all_but(chosen);
    set.insert(set.end(), chosen.begin(), chosen.end());
    rest_.remove_prefix(end + 2);
    return true;
  }

  // In order; empty for an unknown one.
  static Set posix_class(std::string_view name) {
    using namespace std::string_view_literals;
    static constexpr std::pair<std::string_view, std::string_view> kClasses[] = {
        {"alnum", "09AZaz"},
        {"alpha", "AZaz"},
        {"ascii", "\0\x7F"sv},
        {"blank", "\t\t  "},
        {"cntrl", "\0\x1F\x7F\x7F"sv},
        {"digit", "09"},
        {"graph", "!~"},
        {"lower", "az"},
        {"print", " ~"},
        {"punct", "!/:@[`{~"},
        {"space", "\t\r  "},
        {"upper", "AZ"},
        {"word", "09AZ__az"},
        {"xdigit", "09AFaf"}};
    for (const auto& [known, ends] : kClasses) {
      if (known == name) return ranges_of(ends);
    }
    return {};
  }

  // ---- globs ----

  void find_closed_braces() {
    closed_.assign(rest_.size() + 1, false);
    std::vector<std::size_t> open;
    for (std::size_t at = 0; at < rest_.size(); ++at) {
      if (rest_[at] == '\\') {
        ++at;
      } else if (rest_[at] == '{') {
        open.push_back(rest_.size() - at);
      } else if (rest_[at] == '}' && !open.empty()) {
        closed_[open.back()] = true;
        open.pop_back();
      }
    }
  }

  // Within braces up to the comma or brace that ends a choice, which stays.
  void read_glob(int level) {
    while (!rest_.empty()) {
      if (level > 0 && (rest_.front() == ',' || rest_.front() == '}')) return;
      read_glob_part(level);
    }
  }

  void read_glob_part(int level) {
    const std::size_t begin = here();
    if (take("*")) {
      const bool slashes = take("*");
      append_set(slashes ? Set() : Set{{'/', '/'}}, true);
      return repeat(begin, 0, -1);
    }
    if (take("?")) return append_set({}, true);
    if (!unclosed_set_ && take("[")) return read_glob_set();
    if (rest_.starts_with('{') && closed_[rest_.size()]) return read_glob_choice(level);
    if (rest_.size() > 1) take("\\");
    append_character(take_character(rest_));
  }

  void read_glob_choice(int level) {
    if (level >= kMostLevels) return fail("has too many braces in each other");
    rest_.remove_prefix(1);
    read_choices(",", [&] { read_glob(level + 1); });
    take("}");
  }

  // After "[". One without an end is a character.
  void read_glob_set() {
    const std::string_view before = rest_;
    const bool negated = take("!") || take("^");
    Set set;
    for (bool first = true; first || !take("]"); first = false) {
      if (rest_.empty()) {
        unclosed_set_ = fault_.empty();
        rest_ = before;
        return append_character('[');
      }
      if (take_posix_class(set)) continue;
      const char32_t from = next_of_glob_set();
      char32_t to = from;
      if (rest_.size() >= 2 && rest_[0] == '-' && rest_[1] != ']') {
        rest_.remove_prefix(1);
        to = next_of_glob_set();
      }
      if (from <= to) set.push_back({from, to});
    }
    append_set(std::move(set), negated);
  }

  char32_t next_of_glob_set() {
    if (rest_.size() > 1) take("\\");
    return take_character(rest_);
  }

  std::string_view rest_;
  std::string fault_;  // empty = none
  Flags flags_;
  Pattern made_;
  std::vector<bool> closed_;   // of a glob, by what is left from a brace on
  bool unclosed_set_ = false;  // of a glob: then later ones are not closed either
};

}  // namespace detail

inline Result<Pattern> Pattern::regular_expression(std::string_view text) {
  return detail::PatternCompiler(text).regular_expression();
}

inline Result<Pattern> Pattern::glob(std::string_view text) {
  return detail::PatternCompiler(text).glob();
}

}  // namespace ccm
