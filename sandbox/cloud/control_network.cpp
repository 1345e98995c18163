// Changing load balancers and routes by hand, without a controller.
#include "cloud/cloud_server.hpp"

namespace sandbox::cloud {
namespace {

CloudError unknown_path() { return {404, "not_found", "no such path"}; }

}  // namespace

Json CloudServer::control_load_balancers(const std::string& method, const std::string& rest,
                                         const Json& body) {
  if (rest.empty()) {
    if (method == "DELETE") load_balancers_.clear();
    return {{"load_balancers", load_balancers_.list(now())}};
  }
  const std::size_t slash = rest.find('/', 1);
  const std::string id = http::percent_decode(rest.substr(1, slash - 1), false);
  if (slash != std::string::npos) {
    if (method != "POST" || rest.substr(slash + 1) != "activate") throw unknown_path();
    return load_balancers_.activate(id);
  }
  if (method == "PUT") return load_balancers_.force(id, body);
  Json balancer = load_balancers_.get(id, now());
  if (method == "DELETE") load_balancers_.erase(id);
  return balancer;
}

Json CloudServer::control_routes(const std::string& method, const std::string& rest,
                                 const Json& body) {
  if (rest.empty()) {
    if (method == "DELETE") routes_.clear();
    return {{"routes", routes_.list(machines_)}};
  }
  const std::string id = http::percent_decode(rest.substr(1), false);
  if (method == "PUT") return routes_.force(id, body);
  if (method != "DELETE" || !routes_.erase(id)) throw unknown_path();
  return Json::object();
}

Json CloudServer::set_settings(const Json& body) {
  settings_ = Settings::parse(body);
  return settings_.describe();
}

}  // namespace sandbox::cloud
