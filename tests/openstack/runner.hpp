// Sends the requests of a script to a cloud.
#pragma once

#include "openstack/cloud.hpp"
#include "openstack/normal_form.hpp"
#include "openstack/script.hpp"

#include <map>
#include <string>

namespace ccm::openstack_contract {

// An answer in the form in which answers are kept in contract/answers.
struct Outcome {
  int status = 0;
  json answer;  // {"status", "headers", "body"}, in normal form
};

class Runner {
 public:
  // Logs the users in that cloud.facts() names, when they are first needed. Borrows the cloud.
  explicit Runner(Cloud& cloud);

  // Throws std::runtime_error when the cloud does not answer, or when what the step waits for does
  // not come.
  Outcome run(const Step& step);

 private:
  void set_status(const std::string& step);
  Answer send(const Step& step);
  const std::string& token_of(const std::string& user);
  void log_in(const std::string& user);
  [[nodiscard]] json filled(const json& value) const;
  [[nodiscard]] std::string filled(const std::string& text) const;
  [[nodiscard]] bool as_wanted(const Step& step, const Answer& answer) const;
  void keep(const Step& step, const Answer& answer);
  [[nodiscard]] json normal(const Step& step, const Answer& answer) const;

  Cloud& cloud_;
  std::map<std::string, std::string> tokens_;  // of users
  std::map<std::string, json> values_;         // of {name}
  NormalForm form_;
};

}  // namespace ccm::openstack_contract
