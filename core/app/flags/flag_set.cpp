#include "app/flags/flag_set.hpp"

#include "base/text.hpp"

#include <ccm/nearest.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace ccm::app {

namespace {

std::string normal(std::string_view name) {
  std::string result(name);
  std::replace(result.begin(), result.end(), '_', '-');
  return result;
}

Status fault(std::string message) { return {Code::invalid_argument, std::move(message)}; }

// The text after a hyphen and all dashes into which word processors and web pages turn hyphens.
std::string_view after_dashes(std::string_view argument) {
  constexpr std::string_view kDashes[] = {"-",      "\u2010", "\u2011", "\u2012",
                                          "\u2013", "\u2014", "\u2212"};
  for (std::size_t before = 0; before != argument.size();) {
    before = argument.size();
    for (const std::string_view dash : kDashes) {
      if (argument.starts_with(dash)) argument.remove_prefix(dash.size());
    }
  }
  return argument;
}

constexpr std::size_t kIndent = 16;

// Appends `text` in lines of at most `width` columns, each indented; its own newlines stay.
void append_wrapped(std::string& out, std::string_view text, std::size_t width) {
  const std::size_t room = width > kIndent + 20 ? width - kIndent : 20;
  while (!text.empty()) {
    std::size_t length = std::min(text.find('\n'), text.size());
    if (length > room) {
      const std::size_t space = text.substr(0, room + 1).rfind(' ');
      length = space == std::string_view::npos || space == 0 ? std::min(text.find(' '), text.size())
                                                             : space;
    }
    out.append(kIndent, ' ').append(text.substr(0, length)).append("\n");
    text.remove_prefix(std::min(length + 1, text.size()));
  }
}

// Defaults that say nothing are not shown, nor those that the usage explains.
bool is_empty_default(const Flag& flag) {
  if (flag.usage.find("If unset, ") != std::string::npos) return true;
  const std::string& text = flag.default_text;
  return text.empty() || (flag.value->type() == "bool" && text == "false") ||
         (flag.value->type() == "int" && text == "0") || text == "0s";
}

void append_flag(std::string& out, const Flag& flag, std::size_t width) {
  out += flag.shorthand == 0 ? "      --" : std::string("  -") + flag.shorthand + ", --";
  out += flag.name;
  const std::string_view type = flag.value->type();
  if (type == "bool") {
    if (!is_empty_default(flag)) out += "[=true|false]";
  } else if (!flag.value->implied().empty()) {
    out.append("[=").append(type).append("]");
  } else {
    out.append(" ").append(type);
  }
  out += "\n";
  std::string usage = flag.usage;
  if (!is_empty_default(flag)) {
    const bool quoted = type == "string";
    usage += quoted ? " (default \"" + flag.default_text + "\")"
                    : " (default " + flag.default_text + ")";
  }
  append_wrapped(out, usage, width);
}

}  // namespace

// Secrets by their names, for flags whose author did not mark them.
std::string Flag::shown(const std::string& text) const {
  const bool hidden =
      secret || name.ends_with("token") || name.ends_with("password") || name.ends_with("secret");
  return hidden ? "(not shown)" : without_user_info(text);
}

Flag& FlagGroup::add(std::string name, std::unique_ptr<FlagValue> value, std::string usage) {
  auto& sections = flags_.sections_;
  if (std::ranges::find(sections, section_) == sections.end()) sections.push_back(section_);
  auto flag = std::make_unique<Flag>();
  flag->name = std::move(name);
  flag->section = section_;
  flag->usage = std::move(usage);
  flag->default_text = value->text();
  flag->value = std::move(value);
  flags_.flags_.push_back(std::move(flag));
  return *flags_.flags_.back();
}

Flag* FlagSet::find(std::string_view name) {
  const auto found = std::ranges::find(flags_, normal(name), [](auto& flag) { return flag->name; });
  return found == flags_.end() ? nullptr : found->get();
}

const Flag* FlagSet::find(std::string_view name) const {
  return const_cast<FlagSet*>(this)->find(name);  // NOLINT: find() changes nothing
}

Flag* FlagSet::find_shorthand(char shorthand) {
  const auto found =
      std::ranges::find(flags_, shorthand, [](auto& flag) { return flag->shorthand; });
  return shorthand == 0 || found == flags_.end() ? nullptr : found->get();
}

std::vector<const Flag*> FlagSet::sorted() const {
  std::vector<const Flag*> result;
  for (const std::string& section : sections_) {
    const auto begin = static_cast<std::ptrdiff_t>(result.size());
    for (const auto& flag : flags_) {
      if (flag->section == section) result.push_back(flag.get());
    }
    std::ranges::sort(result.begin() + begin, result.end(), {}, &Flag::name);
  }
  return result;
}

// One pass over the arguments. Faults are returned, or skipped when `lenient_`.
class FlagSet::Parser {
 public:
  Parser(FlagSet& flags, std::span<const std::string> arguments, bool lenient)
      : flags_(flags), rest_(arguments), lenient_(lenient) {}

  Status run() {
    bool positional = false;
    while (!rest_.empty()) {
      const std::string argument = take();
      Status status;
      if (!positional && argument == "--") {
        positional = true;
      } else if (positional || argument.size() < 2 || argument[0] != '-') {
        status = unexpected(argument);
      } else {
        status = argument[1] == '-' ? long_flag(argument) : short_flags(argument);
      }
      if (!status.ok() && !lenient_) return status;
    }
    return {};
  }

 private:
  std::string take() {
    std::string argument = rest_.front();
    rest_ = rest_.subspan(1);
    return argument;
  }

  Status unexpected(const std::string& argument) const {
    const std::string_view flag = after_dashes(argument);
    if (!argument.starts_with('-') && flag.size() < argument.size()) {
      return fault("unexpected argument \"" + argument +
                   "\": it begins with a dash that is no hyphen, as web pages have them; write --" +
                   std::string(flag));
    }
    std::string message = "unexpected argument \"" + argument + "\": there are flags only";
    if (last_implied_ != nullptr) {
      message += "; a value of --" + last_implied_->name + " needs an equals sign: --" +
                 last_implied_->name + "=" + argument;
    }
    return fault(message);
  }

  Status long_flag(const std::string& argument) {
    const std::string_view body = std::string_view(argument).substr(2);
    const std::size_t equals = body.find('=');
    const std::string_view name = body.substr(0, equals);
    if (name.empty() || name[0] == '-') return fault("\"" + argument + "\" is not a flag");
    Flag* flag = flags_.find(name);
    if (flag == nullptr) return unknown(name);
    std::optional<std::string> value;
    if (equals != std::string_view::npos) value = body.substr(equals + 1);
    return assign(*flag, "--" + flag->name, std::move(value));
  }

  // "-v2", "-v=2", "-v 2", "-hv2": letters until one takes a value.
  Status short_flags(const std::string& argument) {
    std::string_view letters = std::string_view(argument).substr(1);
    while (!letters.empty()) {
      const char letter = letters[0];
      letters.remove_prefix(1);
      Flag* flag = flags_.find_shorthand(letter);
      const std::string shown = std::string("-") + letter;
      if (flag == nullptr) return unknown_shorthand(shown, argument);
      std::optional<std::string> value;
      if (letters.size() > 1 && letters[0] == '=') {
        value = letters.substr(1);
      } else if (!letters.empty() && flag->value->implied().empty()) {
        value = letters;
      } else {
        const Status status = assign(*flag, shown, std::nullopt);
        if (!status.ok()) return status;
        continue;
      }
      return assign(*flag, shown, std::move(value));
    }
    return {};
  }

  Status assign(Flag& flag, const std::string& shown, std::optional<std::string> value) {
    last_implied_ = nullptr;
    if (!value && !flag.value->implied().empty()) {
      value = flag.value->implied();
      last_implied_ = &flag;
    }
    if (!value) {
      if (rest_.empty()) return fault(shown + " needs a value: " + shown + " " + "VALUE");
      value = take();
    }
    const Status status = flag.value->set(*value, !flag.set);
    if (!status.ok()) {
      return fault("invalid value \"" + flag.shown(*value) + "\" for " + shown + ": " +
                   status.message());
    }
    flag.set = true;
    return {};
  }

  Status unknown(std::string_view name) const {
    std::vector<std::string> names;
    for (const auto& flag : flags_.flags_) names.push_back(flag->name);
    const std::string typed = normal(name);
    const auto absent = flags_.absent_.find(typed);
    std::string message =
        absent != flags_.absent_.end()
            ? "unknown flag --" + typed + ": " + absent->second
            : "unknown flag --" + std::string(name) + did_you_mean(typed, names, "--");
    if (!flags_.incomplete_.empty()) message += "; " + flags_.incomplete_;
    return fault(message);
  }

  Status unknown_shorthand(const std::string& shown, const std::string& argument) const {
    std::string message = "unknown flag " + shown;
    if (argument.size() > 2) message += " in " + argument;
    const std::string name = argument.substr(1, argument.find('=') - 1);
    if (flags_.find(name) != nullptr) message += " (did you mean --" + name + "?)";
    return fault(message);
  }

  FlagSet& flags_;
  std::span<const std::string> rest_;
  bool lenient_;
  const Flag* last_implied_ = nullptr;  // the flag before this argument, given without a value
};

Status FlagSet::parse(std::span<const std::string> arguments) {
  return Parser(*this, arguments, false).run();
}

void FlagSet::parse_known(std::span<const std::string> arguments) {
  static_cast<void>(Parser(*this, arguments, true).run());
}

std::string FlagSet::help(std::size_t width) const {
  std::string out;
  const std::string* section = nullptr;
  for (const Flag* flag : sorted()) {
    if (!flag->deprecated.empty()) continue;
    if (section == nullptr || *section != flag->section) {
      out += "\n" + flag->section + ":\n\n";
      section = &flag->section;
    }
    append_flag(out, *flag, width);
  }
  return out;
}

}  // namespace ccm::app
