// The contract of OpenStack's APIs: the requests of contract/requests, sent to the services or to
// their fake, get the answers of contract/answers, which the services gave. CCM_OPENSTACK names the
// file `ready` of services.py, or is empty for the fake. CCM_OPENSTACK_RECORD=1: what the services
// answer is written down instead of compared.
#include "openstack/cloud.hpp"
#include "openstack/runner.hpp"
#include "support/file.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace ccm::openstack_contract {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = CCM_OPENSTACK_CONTRACT;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// The places where two answers differ, one line each.
void differences(const json& wanted, const json& answered, const std::string& place,
                 std::vector<std::string>& found) {
  if (wanted == answered) return;
  if (wanted.is_object() && answered.is_object()) {
    for (const auto& [name, value] : wanted.items()) {
      if (answered.contains(name)) {
        differences(value, answered.at(name), place + "/" + name, found);
      } else {
        found.push_back(place + "/" + name + ": missing, wanted " + value.dump());
      }
    }
    for (const auto& [name, value] : answered.items()) {
      if (!wanted.contains(name))
        found.push_back(place + "/" + name + ": not wanted, is " + value.dump());
    }
    return;
  }
  if (wanted.is_array() && answered.is_array() && wanted.size() == answered.size()) {
    for (size_t i = 0; i < wanted.size(); ++i) {
      differences(wanted[i], answered[i], place + "/" + std::to_string(i), found);
    }
    return;
  }
  found.push_back(place + ": wanted " + wanted.dump() + ", is " + answered.dump());
}

class ContractTest : public ::testing::TestWithParam<std::string> {};

TEST_P(ContractTest, AnswersAreThoseOfTheServices) {
  const std::string ready = variable("CCM_OPENSTACK");
  const bool record = !variable("CCM_OPENSTACK_RECORD").empty();
  const std::unique_ptr<Cloud> cloud = ready.empty() ? fake() : services(ready);
  const fs::path answers = kFolder / "answers" / (GetParam() + ".json");
  const json recorded = record ? json() : json::parse(support::read_file(answers));
  json now = json::array();
  Runner runner(*cloud);
  size_t index = 0;
  for (const Step& step : read_script(kFolder / "requests" / (GetParam() + ".yaml"))) {
    const Outcome outcome = runner.run(step);
    EXPECT_EQ(outcome.status, step.status) << step.what << ": " << outcome.answer.dump();
    json answer = {{"what", step.what}, {"answer", outcome.answer}};
    if (!record) {
      ASSERT_LT(index, recorded.size()) << step.what << " has no recorded answer";
      std::vector<std::string> found;
      differences(recorded[index], answer, "", found);
      for (const std::string& difference : found) ADD_FAILURE() << step.what << ": " << difference;
    }
    now.push_back(std::move(answer));
    ++index;
  }
  if (record) {
    // A line for each, for the sake of diffs.
    std::ofstream file(answers);
    for (size_t i = 0; i < now.size(); ++i) file << (i == 0 ? "[" : ",\n") << now[i].dump();
    file << "]\n";
  }
}

std::vector<std::string> scripts() {
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(kFolder / "requests"))
    names.push_back(file.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Scripts, ContractTest, ::testing::ValuesIn(scripts()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ccm::openstack_contract
