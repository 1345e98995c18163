#include "api_fixture.hpp"

#include <sstream>

namespace sandbox::testing {

std::string version_of(const Json& object) { return object.at("metadata").at("resourceVersion"); }

Answer ApiFixture::send(const std::string& method, const std::string& target, const Json& body,
                        const std::string& type) {
  http::Request request;
  std::size_t question = target.find('?');
  request.method = method;
  request.path = target.substr(0, question);
  if (question != std::string::npos) {
    request.query = http::Query::parse(target.substr(question + 1));
  }
  request.authorization = "Bearer " + server_.admin_token();
  if (!body.is_null()) {
    request.body = body.dump();
    request.content_type = type;
  }
  Answer answer;
  answer.reply = server_.handle(request);
  answer.status = answer.reply.response.status;
  answer.body = Json::parse(answer.reply.response.body, nullptr, false);
  return answer;
}

Answer ApiFixture::send_as(const std::string& token, const std::string& method,
                           const std::string& target, const Json& body) {
  http::Request request;
  request.method = method;
  request.path = target;
  if (!token.empty()) request.authorization = "Bearer " + token;
  if (!body.is_null()) {
    request.body = body.dump();
    request.content_type = "application/json";
  }
  Answer answer;
  answer.reply = server_.handle(request);
  answer.status = answer.reply.response.status;
  answer.body = Json::parse(answer.reply.response.body, nullptr, false);
  return answer;
}

Json ApiFixture::make_node(const std::string& name, const Json& labels) {
  Json node;
  node["metadata"] = {{"name", name}, {"labels", labels}};
  Answer answer = post(kNodes, node);
  EXPECT_EQ(answer.status, 201) << answer.body;
  return answer.body;
}

Json ApiFixture::make_config_map(const std::string& name) {
  Json map;
  map["metadata"]["name"] = name;
  Answer answer = post(kConfigMaps, map);
  EXPECT_EQ(answer.status, 201) << answer.body;
  return answer.body;
}

std::unique_ptr<http::BodyStream> ApiFixture::watch(const std::string& target) {
  Answer answer = get(target);
  EXPECT_TRUE(answer.reply.stream) << answer.body;
  return std::move(answer.reply.stream);
}

std::vector<Json> ApiFixture::drain(http::BodyStream& stream) {
  std::vector<Json> events;
  for (;;) {
    std::string text;
    auto state = stream.pull(text, 1 << 16);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) events.push_back(Json::parse(line));
    if (text.empty() || state != http::BodyStream::State::kMore) return events;
  }
}

}  // namespace sandbox::testing
