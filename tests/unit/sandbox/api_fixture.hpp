#pragma once

#include "api/api_server.hpp"

#include <gtest/gtest.h>

namespace sandbox::testing {

struct Answer {
  int status = 0;
  Json body;
  http::Reply reply;
  std::string reason() const { return body.value("reason", ""); }
};

// The API server without sockets: requests in, answers out.
class ApiFixture : public ::testing::Test {
 protected:
  static constexpr const char* kNodes = "/api/v1/nodes";
  static constexpr const char* kConfigMaps = "/api/v1/namespaces/default/configmaps";
  static constexpr const char* kMerge = "application/merge-patch+json";
  static constexpr const char* kStrategic = "application/strategic-merge-patch+json";

  // `target` with its query; `type` is the Content-Type.
  Answer send(const std::string& method, const std::string& target, const Json& body = nullptr,
              const std::string& type = "application/json");
  Answer get(const std::string& target) { return send("GET", target); }
  Answer post(const std::string& target, const Json& body) { return send("POST", target, body); }
  Answer put(const std::string& target, const Json& body) { return send("PUT", target, body); }
  Answer patch(const std::string& target, const Json& body, const std::string& type) {
    return send("PATCH", target, body, type);
  }
  // As another user, or as nobody when `token` is empty.
  Answer send_as(const std::string& token, const std::string& method, const std::string& target,
                 const Json& body = nullptr);

  Json make_node(const std::string& name, const Json& labels = Json::object());
  Json make_config_map(const std::string& name);

  // Opens a watch; fails the test if the answer is no stream.
  std::unique_ptr<http::BodyStream> watch(const std::string& target);
  // All events that are ready.
  static std::vector<Json> drain(http::BodyStream& stream);

  ApiServer server_{ApiServer::Options{"admin-token", 100}};
};

std::string version_of(const Json& object);

}  // namespace sandbox::testing
