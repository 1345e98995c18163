// Errors and oddities of cloud.conf, each with its line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::openstack {

struct Finding {
  size_t line = 0;  // 0 = of no line: something is missing
  std::string text;
};

struct Findings {
  std::vector<Finding> faults;    // the configuration cannot be used
  std::vector<Finding> warnings;  // it can
};

// Where each option was set, the last time.
class OptionLines {
 public:
  void note(std::string_view section, std::string_view option, size_t line) {
    for (Place& place : places_) {
      if (place.section == section && place.option == option) return void(place.line = line);
    }
    places_.push_back({section, option, line});
  }
  // 0 when it was not set.
  [[nodiscard]] size_t of(std::string_view section, std::string_view option) const {
    for (const Place& place : places_) {
      if (place.section == section && place.option == option) return place.line;
    }
    return 0;
  }

 private:
  struct Place {
    std::string_view section;  // both from the table of options
    std::string_view option;
    size_t line;
  };
  std::vector<Place> places_;
};

// A value or name for a message: in quotes, short and on one line.
std::string in_quotes(std::string_view text);

// "line 3: ..." each, in the order of the file.
std::vector<std::string> in_order(std::vector<Finding> findings);

}  // namespace ccm::openstack
