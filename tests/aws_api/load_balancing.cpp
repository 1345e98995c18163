#include "load_balancing.hpp"

#include <algorithm>
#include <utility>

namespace ccm::aws_api {
namespace {

const std::map<std::string, std::string>& api_of_version() {
  static const std::map<std::string, std::string> apis{
      {"2012-06-01", "elb"}, {"2015-12-01", "elbv2"}, {"2016-11-15", "ec2"}};
  return apis;
}

Reply failure(const std::string& api, const Error& error) {
  const std::string inner = element("Code", error.code) + element("Message", error.message);
  if (api == "ec2") {
    return {error.status,
            tree("Response", tree("Errors", tree("Error", inner)) + element("RequestID", "r-1"))};
  }
  return {error.status, tree("ErrorResponse", tree("Error", inner) + element("RequestId", "r-1"))};
}

Reply success(const std::string& api, const std::string& action, const std::string& xml) {
  if (api == "ec2") return {200, tree(action + "Response", xml)};
  return {200, tree(action + "Response", tree(action + "Result", xml))};
}

}  // namespace

void LoadBalancing::add(const std::string& api, const std::string& action, Action run) {
  actions_[api + " " + action] = std::move(run);
}

std::string LoadBalancing::new_id(const std::string& prefix) {
  std::string digits = std::to_string(next_++);
  return prefix + std::string(17 - digits.size(), '0') + digits;
}

std::string LoadBalancing::new_arn(const std::string& kind, const std::string& name) {
  return "arn:aws:elasticloadbalancing:us-east-1:123456789012:" + kind + "/" + name + "/" +
         new_id("");
}

int LoadBalancing::writes() const {
  int sum = 0;
  for (const auto& [action, count] : calls) sum += action.starts_with("Describe") ? 0 : count;
  return sum;
}

int LoadBalancing::reads() const {
  int sum = 0;
  for (const auto& [action, count] : calls) sum += action.starts_with("Describe") ? count : 0;
  return sum;
}

int LoadBalancing::count(const std::string& action) const {
  const auto found = calls.find(action);
  return found != calls.end() ? found->second : 0;
}

Reply LoadBalancing::handle(std::string_view body) {
  if (!std::exchange(ready_, true)) {
    add_network_actions();
    add_classic_actions();
    add_ec2_actions();
  }
  const Form form = Form::parse(body);
  const std::string name = form.text("Action");
  const auto api = api_of_version().find(form.text("Version"));
  if (api == api_of_version().end()) return failure("ec2", {400, "InvalidAction", "version"});
  ++calls[name];
  journal.push_back(name);
  last[name] = form;
  const auto fault = std::find_if(faults.begin(), faults.end(), [&](const Fault& one) {
    return one.count > 0 && one.action == name;
  });
  if (fault != faults.end()) --fault->count;
  if (fault != faults.end() && !fault->after_effect) return failure(api->second, fault->error);
  const auto run = actions_.find(api->second + " " + name);
  if (run == actions_.end()) return failure(api->second, {400, "InvalidAction", name});
  const Outcome outcome = run->second(form);
  if (fault != faults.end()) return failure(api->second, fault->error);
  if (const Error* error = std::get_if<Error>(&outcome)) return failure(api->second, *error);
  return success(api->second, name, std::get<std::string>(outcome));
}

std::optional<Error> LoadBalancing::bad_targets(const std::vector<Form>& named,
                                                const std::string& code) const {
  std::string bad;
  for (const Form& one : named) {
    const std::string id = one.has("Id") ? one.text("Id") : one.text("InstanceId");
    const auto found = instances.find(id);
    if (found == instances.end() || found->second.state != "running") {
      bad += (bad.empty() ? "" : ", ") + id;
    }
  }
  if (bad.empty()) return std::nullopt;
  return Error{400, code, "The following targets are not in a running state: '" + bad + "'"};
}

}  // namespace ccm::aws_api
