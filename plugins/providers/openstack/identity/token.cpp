#include "token.hpp"

#include "openstack/answer.hpp"
#include "openstack/json_answer.hpp"

#include <ccm/timestamp.hpp>

#include <nlohmann/json.hpp>

#include <utility>

namespace ccm::openstack {
namespace {

using nlohmann::json;

void add_endpoints(const json& service, std::vector<Endpoint>& catalog) {
  const std::string type = text_of(service, "type");
  for (const json& entry : part_of(service, "endpoints")) {
    catalog.push_back({type, text_of(entry, "interface"), text_of(entry, "region"),
                       text_of(entry, "region_id"), text_of(entry, "url")});
  }
}

Result<Token> read_token(const json& document) {
  const json& body = document.at("token");
  Token token;
  auto expires = parse_keystone_time(body.at("expires_at").get<std::string>());
  if (!expires.ok()) return expires.status();
  token.expires_at = *expires;
  for (const json& service : part_of(body, "catalog")) add_endpoints(service, token.catalog);
  return token;
}

}  // namespace

Result<std::chrono::milliseconds> parse_keystone_time(std::string_view text) {
  std::string whole(text.substr(0, text.find('.')));
  if (!whole.empty() && whole.back() != 'Z') whole += 'Z';
  const auto time = parse_timestamp(whole);
  if (!time) return bad_answer("has a time that is none");
  return *time;
}

Result<Token> parse_token(const HttpResponse& response) {
  const auto id = response.header("x-subject-token");
  if (id.empty()) return bad_answer("has no header X-Subject-Token");
  auto token = read_answer(response.body, &read_token);
  if (token.ok()) token->id = Secret(std::string(id));
  return token;
}

}  // namespace ccm::openstack
