// The table in docs/openstack.md of the requests that the manager's account has to be allowed.
#pragma once

#include "support/file.hpp"

#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace ccm::openstack_api {

class Rights {
 public:
  // Throws std::regex_error.
  explicit Rights(const std::string& page) {
    std::istringstream text(support::read_file(page));
    bool inside = false;
    for (std::string line; std::getline(text, line);) {
      if (line.starts_with("## ")) inside = line == "## Rights";
      if (!inside || !line.starts_with("| ")) continue;
      const std::string service = line.substr(2, line.find(" |", 2) - 2);
      static const std::regex kRequest("`([A-Z]+) (/[^`]*)`");
      for (std::sregex_iterator each(line.begin(), line.end(), kRequest), end; each != end;
           ++each) {
        rules_.emplace_back((*each)[1].str() + " " + prefix_of(service) + glob((*each)[2].str()));
      }
    }
  }
  // `target`: of the fake, with its query.
  [[nodiscard]] bool allow(const std::string& method, const std::string& target) const {
    const std::string request = method + " " + target.substr(0, target.find('?'));
    for (const std::regex& rule : rules_) {
      if (std::regex_match(request, rule)) return true;
    }
    return false;
  }
  [[nodiscard]] std::size_t size() const { return rules_.size(); }

 private:
  static std::string prefix_of(const std::string& service) {
    return service == "network" ? "/networking" : "/" + service;
  }
  // As Keystone reads access rules: * is a segment, ** whatever follows.
  static std::string glob(const std::string& path) {
    std::string out;
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (path.compare(i, 2, "**") == 0) {
        out += ".*";
        ++i;
      } else if (path[i] == '*') {
        out += "[^/]+";
      } else {
        out += path[i] == '.' ? std::string("\\.") : std::string(1, path[i]);
      }
    }
    return path == "/" ? "/?(v3/?)?" : out;
  }

  std::vector<std::regex> rules_;
};

}  // namespace ccm::openstack_api
