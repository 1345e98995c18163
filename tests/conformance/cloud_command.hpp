// A cloud as a command of `ccmctl plugin check --cloud`: one JSON object in each line of standard
// input, one answer in each line of standard output, until the input ends.
// docs/provider-authors.md describes both.
#pragma once

#include <nlohmann/json.hpp>

#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <string>

namespace ccm::conformance_clouds {

using nlohmann::json;

// By the member "do".
using Answers = std::map<std::string, std::function<json(const json&)>>;

inline int serve(const Answers& answers) {
  for (std::string line; std::getline(std::cin, line);) {
    json answer;
    try {
      const json question = json::parse(line);
      const auto found = answers.find(question.at("do").get<std::string>());
      answer = found != answers.end() ? found->second(question) : json{{"unsupported", true}};
    } catch (const std::exception& fault) {
      answer = {{"error", fault.what()}};
    }
    std::cout << answer.dump(-1, ' ', true, json::error_handler_t::replace) << std::endl;
  }
  return 0;
}

// As serve(), for an object with a member function for each question. Not every cloud has routes,
// or a quota that can be exhausted.
template <typename Cloud>
int serve_cloud(Cloud& cloud) {
  Answers answers{
      {"start", [&](const json& question) { return cloud.start(question); }},
      {"http", [&](const json& question) { return cloud.http(question); }},
      {"add-machines", [&](const json& question) { return cloud.add_machines(question); }},
      {"remove-machine", [&](const json& question) { return cloud.remove_machine(question); }},
      {"switch-off-machine",
       [&](const json& question) { return cloud.switch_off_machine(question); }},
      {"plant-load-balancer",
       [&](const json& question) { return cloud.plant_load_balancer(question); }},
      {"remove-load-balancer",
       [&](const json& question) { return cloud.remove_load_balancer(question); }},
      {"snapshot", [&](const json&) { return cloud.snapshot(); }},
      {"secrets", [&](const json&) { return cloud.secrets(); }}};
  if constexpr (requires(const json& question) { cloud.plant_route(question); }) {
    answers["plant-route"] = [&](const json& question) { return cloud.plant_route(question); };
  }
  if constexpr (requires(const json& question) { cloud.exhaust_quota(question); }) {
    answers["exhaust-quota"] = [&](const json& question) { return cloud.exhaust_quota(question); };
  }
  return serve(answers);
}

// The header of that name, or nothing.
inline std::string header_of(const json& question, const std::string& name) {
  return question.at("headers").value(name, "");
}

// The path and query of the question's URL.
inline std::string target_of(const json& question) {
  const std::string url = question.at("url");
  const auto host = url.find("://");
  const auto path = url.find('/', host == std::string::npos ? 0 : host + 3);
  return path == std::string::npos ? "/" : url.substr(path);
}

}  // namespace ccm::conformance_clouds
