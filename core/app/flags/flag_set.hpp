// A command line in pflag's syntax (HOST-1, HOST-3): --name=value, --name value, -v2, -v=2, -v 2,
// booleans without a value, `_` for `-` in names, "--" ends the flags. Home thread: whichever uses
// it; reading is any-thread once parsing is over.
#pragma once

#include "app/flags/flag_value.hpp"

#include <ccm/status.hpp>

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::app {

struct Flag {
  std::string name;     // without dashes
  char shorthand = 0;   // 'v' for -v
  std::string section;  // heading in --help
  std::string usage;
  std::string deprecated;  // what to do instead; empty: not deprecated. Not shown in --help
  std::string default_text;
  std::unique_ptr<FlagValue> value;
  bool set = false;     // by the command line
  bool secret = false;  // its value is shown nowhere

  // The value as messages, pages and logs may show it: `text`, unless it is a secret.
  [[nodiscard]] std::string shown(const std::string& text) const;
};

class FlagSet;

// Adds flags under one heading: group.add("cloud-config", &path, "usage").
class FlagGroup {
 public:
  Flag& add(std::string name, std::unique_ptr<FlagValue> value, std::string usage);
  template <typename T>
  Flag& add(std::string name, T* variable, std::string usage) {
    return add(std::move(name), flag_value(variable), std::move(usage));
  }

 private:
  friend class FlagSet;
  FlagGroup(FlagSet& flags, std::string section) : flags_(flags), section_(std::move(section)) {}
  FlagSet& flags_;
  std::string section_;
};

class FlagSet {
 public:
  [[nodiscard]] FlagGroup group(std::string section) { return {*this, std::move(section)}; }

  // nullptr when there is none; `_` counts as `-`.
  [[nodiscard]] Flag* find(std::string_view name);
  [[nodiscard]] const Flag* find(std::string_view name) const;

  // A flag that is unknown for a known reason: "unknown flag --name: WHY".
  void add_absent(std::string name, std::string why) {
    absent_.emplace(std::move(name), std::move(why));
  }

  // Why flags may be missing; stands with any unknown flag.
  void set_incomplete(std::string why) { incomplete_ = std::move(why); }

  // Stops at the first fault, in one line: what was given, what is wrong, what would be right.
  // `arguments` are those after the program's name.
  Status parse(std::span<const std::string> arguments);

  // Sets flags that are known and well-formed and skips the rest. For a first look at a command
  // line with flags that are not known yet.
  void parse_known(std::span<const std::string> arguments);

  // In order of sections, then of names.
  [[nodiscard]] std::vector<const Flag*> sorted() const;

  // All flags with their sections, wrapped to `width` columns.
  [[nodiscard]] std::string help(std::size_t width) const;

 private:
  friend class FlagGroup;
  class Parser;
  [[nodiscard]] Flag* find_shorthand(char shorthand);
  std::vector<std::string> sections_;  // in order of their first use
  std::vector<std::unique_ptr<Flag>> flags_;
  std::map<std::string, std::string, std::less<>> absent_;
  std::string incomplete_;
};

}  // namespace ccm::app
