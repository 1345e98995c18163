// A request to DigitalOcean's API and the answer to it, without sockets.
#pragma once

#include <nlohmann/json.hpp>

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ccm::digitalocean_api {

using Milliseconds = std::chrono::milliseconds;
using nlohmann::json;

struct ApiRequest {
  std::string method;
  std::string target;  // path and query
  std::string authorization;
  std::string content_type;
  std::string body;
};

struct ApiAnswer {
  int status = 200;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  Milliseconds delay{0};  // before it is sent
  bool cut = false;       // the connection ends instead of an answer
};

// What a request is about.
struct Route {
  std::string path;
  std::map<std::string, std::string> query;
  std::vector<std::string> parts;  // of the path after /v2
  json body;
};

// The route of a request but for its body.
Route parse_target(const std::string& target);

ApiAnswer ok(int status, const json& body);
ApiAnswer error(int status, const std::string& message);
// DO-326: page from 1, per_page 1 to 200, 20 by default; links only where there is somewhere to go.
ApiAnswer page(const std::string& name, const std::vector<const json*>& items, const Route& route);

}  // namespace ccm::digitalocean_api
