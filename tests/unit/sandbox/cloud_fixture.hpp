#pragma once

#include "cloud/cloud_server.hpp"

#include <gtest/gtest.h>

namespace sandbox::cloud::testing {

struct CloudAnswer {
  http::Reply reply;
  int status = 0;
  Json body;
  std::string header(const std::string& name) const {
    for (const auto& [key, value] : reply.response.headers) {
      if (key == name) return value;
    }
    return "";
  }
  std::string code() const { return body.at("error").at("code"); }
};

class CloudFixture : public ::testing::Test {
 protected:
  CloudAnswer send(const std::string& method, const std::string& target, const Json& body = nullptr,
                   const std::string& token = "secret") {
    http::Request request;
    std::size_t question = target.find('?');
    request.method = method;
    request.path = target.substr(0, question);
    if (question != std::string::npos) {
      request.query = http::Query::parse(target.substr(question + 1));
    }
    request.authorization = "Bearer " + token;
    if (!body.is_null()) request.body = body.dump();
    CloudAnswer answer;
    answer.reply = cloud_.handle(request);
    answer.status = answer.reply.response.status;
    answer.body = Json::parse(answer.reply.response.body, nullptr, false);
    return answer;
  }
  CloudAnswer faults(const Json& set) { return send("PUT", "/control/faults", set); }
  CloudAnswer list() { return send("GET", "/v1/machines"); }
  void generate(int count) { send("POST", "/control/machines/generate", {{"count", count}}); }

  CloudServer cloud_{"secret"};
};

}  // namespace sandbox::cloud::testing
