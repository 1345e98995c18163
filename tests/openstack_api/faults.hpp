// Faults by rule: what happens to requests that fit, instead of or around the usual.
#pragma once

#include "openstack_api/http.hpp"

#include <map>
#include <optional>
#include <regex>
#include <string>
#include <vector>

namespace ccm::openstack_api {

struct Fault {
  std::string method;  // empty = any
  std::string path;    // a regular expression that is found in the path with its query; empty = any
  int skip = 0;        // how many requests that fit are spared first
  int count = 1;       // how many are met; -1 = all from then on
  int status = 0;  // answer this instead, in the service's form of an error; 0 = the usual answer
  std::optional<std::string> body;             // instead of the answer's own
  std::map<std::string, std::string> headers;  // added, such as retry-after
  milliseconds delay{0};
  bool cut = false;          // the connection ends before the request is looked at
  bool lose_answer = false;  // it is carried out, and the connection ends then
  bool cut_body = false;     // the answer ends in the middle

  // From the members of the same names; throws json::exception on what there is not.
  static Fault from_json(const json& text);
};

class Faults {
 public:
  // Throws std::regex_error.
  void add(Fault fault);
  void clear() { rules_.clear(); }
  // The first rule that the request meets.
  std::optional<Fault> meet(const std::string& method, const std::string& target);

 private:
  struct Rule {
    Fault fault;
    std::regex path;
  };
  std::vector<Rule> rules_;
};

}  // namespace ccm::openstack_api
