#include "openstack/script.hpp"

#include "support/file.hpp"
#include "support/yaml.hpp"

#include <set>
#include <stdexcept>

namespace ccm::openstack_contract {
namespace {

Step read_step(const json& written) {
  static const std::set<std::string> kMembers = {"what",   "as",    "send", "headers", "body",
                                                 "status", "until", "keep", "made_up", "set"};
  for (const auto& [name, value] : written.items()) {
    if (!kMembers.contains(name)) throw std::runtime_error("a step has no \"" + name + "\"");
  }
  Step step;
  if (written.contains("set")) {
    step.set = written.at("set");
    step.what = written.value("what", step.set);
    return step;
  }
  const std::string send = written.at("send");
  const size_t blank = send.find(' ');
  const size_t slash = std::min(send.find('/', blank), send.size());
  if (blank == send.npos)
    throw std::runtime_error("\"" + send + "\" is no method, blank, service and path");
  step.method = send.substr(0, blank);
  step.service = send.substr(blank + 1, slash - blank - 1);
  step.path = send.substr(slash);
  step.what = written.value("what", send);
  step.user = written.value("as", "demo");
  if (step.user == "nobody") step.user.clear();
  step.headers = written.value("headers", json::object());
  step.body = written.value("body", json());
  step.status = written.at("status");
  step.until = written.value("until", json::object());
  step.keep = written.value("keep", json::object());
  step.made_up = written.value("made_up", std::vector<std::string>());
  return step;
}

}  // namespace

std::vector<Step> read_script(const std::filesystem::path& file) {
  try {
    std::vector<Step> steps;
    for (const json& written : support::parse_yaml(support::read_file(file))) {
      try {
        steps.push_back(read_step(written));
      } catch (const std::exception& fault) {
        throw std::runtime_error(written.value("what", written.value("send", "a step")) + ": " +
                                 fault.what());
      }
    }
    return steps;
  } catch (const std::exception& fault) {
    throw std::runtime_error(file.string() + ": " + fault.what());
  }
}

}  // namespace ccm::openstack_contract
