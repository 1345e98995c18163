#include "openstack/client.hpp"

#include "support/http_client.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace ccm::openstack_contract {

Answer send_once(const Request& request) {
  const size_t slash =
      std::min(request.url.find('/', request.url.find("//") + 2), request.url.size());
  support::Credentials credentials;
  credentials.server = request.url.substr(0, slash);
  support::HttpRequest sent;
  sent.method = request.method;
  sent.target = slash == request.url.size() ? "/" : request.url.substr(slash);
  sent.headers = request.headers;
  sent.body = request.body;
  const support::HttpResponse response = support::HttpClient(std::move(credentials)).send(sent);
  return {response.status, response.headers, response.body};
}

Client::Client(const json& facts, const std::string& user, const std::string& project) {
  urls_["identity"] = facts.at("auth_url");
  const json account = {
      {"name", user}, {"password", facts.at("password")}, {"domain", {{"id", "default"}}}};
  const json body = {
      {"auth",
       {{"identity", {{"methods", {"password"}}, {"password", {{"user", account}}}}},
        {"scope", {{"project", {{"name", project}, {"domain", {{"id", "default"}}}}}}}}}};
  const Answer answer = send_once({"POST",
                                   urls_.at("identity") + "/auth/tokens",
                                   {{"Content-Type", "application/json"}},
                                   body.dump()});
  if (answer.status != 201) throw std::runtime_error(user + " cannot log in: " + answer.body);
  token_ = answer.headers.at("x-subject-token");
  const json catalog = json::parse(answer.body).at("token").at("catalog");
  for (const json& service : catalog) {
    for (const json& endpoint : service.at("endpoints")) {
      if (endpoint.at("interface") == "public" && endpoint.at("region") == facts.at("region"))
        urls_.try_emplace(service.at("type"), endpoint.at("url"));
    }
  }
}

Client::Reply Client::send(const std::string& method, const std::string& service,
                           const std::string& path, const json& body) const {
  Request request{method, urls_.at(service) + path, {{"X-Auth-Token", token_}}, {}};
  if (!body.is_null()) {
    request.headers["Content-Type"] = "application/json";
    request.body = body.dump();
  }
  const Answer answer = send_once(request);
  json parsed = json::parse(answer.body, nullptr, false);
  return {answer.status, parsed.is_discarded() ? json() : std::move(parsed)};
}

json Client::succeed(const std::string& method, const std::string& service, const std::string& path,
                     const json& body) const {
  Reply reply = send(method, service, path, body);
  if (reply.status >= 200 && reply.status < 300) return std::move(reply.body);
  throw std::runtime_error(method + " " + service + path + ": " + std::to_string(reply.status) +
                           " " + reply.body.dump());
}

json Client::get(const std::string& service, const std::string& path) const {
  return succeed("GET", service, path, nullptr);
}

json Client::make(const std::string& service, const std::string& path, const json& body) const {
  return succeed("POST", service, path, body);
}

void Client::remove(const std::string& service, const std::string& path) const {
  static_cast<void>(succeed("DELETE", service, path, nullptr));
}

}  // namespace ccm::openstack_contract
