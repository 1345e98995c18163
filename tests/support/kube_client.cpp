#include "support/kube_client.hpp"

namespace ccm::support {

using nlohmann::json;

namespace {

std::string text_at(const json& value, const json::json_pointer& at) {
  return value.is_object() && value.contains(at) && value.at(at).is_string()
             ? value.at(at).get<std::string>()
             : std::string();
}

HttpRequest with_body(const std::string& method, const std::string& target, const json& body,
                      const std::string& type) {
  HttpRequest request;
  request.method = method;
  request.target = target;
  request.body = body.dump();
  request.headers = {{"Content-Type", type}};
  return request;
}

}  // namespace

std::string KubeResponse::reason() const {
  return text_at(body, json::json_pointer("/kind")) == "Status"
             ? text_at(body, json::json_pointer("/reason"))
             : std::string();
}

std::string KubeResponse::message() const { return text_at(body, json::json_pointer("/message")); }

bool KubeResponse::has_cause(const std::string& cause) const {
  const json::json_pointer at("/details/causes");
  if (!body.is_object() || !body.contains(at)) return false;
  for (const json& entry : body.at(at)) {
    if (entry.value("reason", "") == cause) return true;
  }
  return false;
}

std::string KubeResponse::resource_version() const {
  return text_at(body, json::json_pointer("/metadata/resourceVersion"));
}

KubeClient::KubeClient(const std::filesystem::path& kubeconfig)
    : http_(read_kubeconfig(kubeconfig)) {}
KubeClient::KubeClient(Credentials credentials) : http_(std::move(credentials)) {}

KubeResponse KubeClient::send(const HttpRequest& request) {
  KubeResponse response;
  response.http = http_.send(request);
  response.status = response.http.status;
  response.body = json::parse(response.http.body, nullptr, false);
  if (response.body.is_discarded()) response.body = nullptr;
  return response;
}

KubeResponse KubeClient::get(const std::string& target) {
  HttpRequest request;
  request.target = target;
  request.headers = {{"Accept", "application/json"}};
  return send(request);
}

KubeResponse KubeClient::create(const std::string& target, const json& object) {
  return send(with_body("POST", target, object, "application/json"));
}

KubeResponse KubeClient::replace(const std::string& target, const json& object) {
  return send(with_body("PUT", target, object, "application/json"));
}

KubeResponse KubeClient::patch(const std::string& target, const std::string& type,
                               const json& patch) {
  return send(with_body("PATCH", target, patch, type));
}

KubeResponse KubeClient::remove(const std::string& target, const json& options) {
  if (!options.is_null()) return send(with_body("DELETE", target, options, "application/json"));
  HttpRequest request;
  request.method = "DELETE";
  request.target = target;
  return send(request);
}

WatchStream KubeClient::watch(const std::string& target) const {
  const char separator = target.find('?') == std::string::npos ? '?' : '&';
  return {http_.credentials(), target + separator + "watch=true"};
}

}  // namespace ccm::support
