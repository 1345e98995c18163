#include "openstack/runner.hpp"

#include <set>
#include <stdexcept>

namespace ccm::openstack_contract {
namespace {

// The headers that mean something to a client.
const std::set<std::string> kHeaders = {"content-type",
                                        "www-authenticate",
                                        "location",
                                        "openstack-api-version",
                                        "x-openstack-nova-api-version",
                                        "vary",
                                        "retry-after",
                                        "x-subject-token",
                                        "etag"};
constexpr int kMostLooks = 300;

json parsed(const std::string& body) {
  const json parsed = json::parse(body, nullptr, false);
  return parsed.is_discarded() ? json(body) : parsed;
}

// Puts the type of a value into its place. A * in the pointer is any element of a list.
void hide(json& body, const std::string& place) {
  const size_t star = place.find("/*");
  const json::json_pointer pointer(place.substr(0, star));
  if (!body.contains(pointer)) return;
  json& value = body[pointer];
  if (star == place.npos) {
    value = std::string("<") + value.type_name() + ">";
    return;
  }
  for (json& item : value) hide(item, place.substr(star + 2));
}

json value_at(const std::string& place, const Answer& answer) {
  if (place.starts_with("header ")) {
    const auto header = answer.headers.find(place.substr(7));
    if (header == answer.headers.end()) throw std::runtime_error("no " + place + " in the answer");
    return header->second;
  }
  const json body = parsed(answer.body);
  const json::json_pointer pointer(place);
  if (!body.contains(pointer)) throw std::runtime_error("no " + place + " in " + answer.body);
  return body.at(pointer);
}

}  // namespace

Runner::Runner(Cloud& cloud) : cloud_(cloud) {
  const json& facts = cloud.facts();
  const std::string identity = facts.at("auth_url");
  values_["identity"] = identity.substr(0, identity.rfind("/v3"));
  values_["password"] = facts.at("password");
  for (const auto& [kind, members] :
       {std::pair{"", "ids"}, {"project ", "projects"}, {"user ", "users"}}) {
    for (const auto& [name, id] : facts.at(members).items()) values_[kind + name] = id;
  }
  for (const auto& [name, value] : values_) {
    if (name != "password") form_.name(value, name);
  }
}

Outcome Runner::run(const Step& step) {
  if (tokens_.empty()) log_in("demo");  // whose catalog names the services
  if (!step.set.empty()) {
    set_status(step.set);
    return {};
  }
  Answer answer = send(step);
  for (int looks = 1; !as_wanted(step, answer); ++looks) {
    if (looks == kMostLooks) {
      throw std::runtime_error(step.what + ": waited for " + step.until.dump() + ", last answer: " +
                               std::to_string(answer.status) + " " + answer.body);
    }
    cloud_.wait();
    answer = send(step);
  }
  keep(step, answer);
  return {answer.status, normal(step, answer)};
}

void Runner::set_status(const std::string& step) {
  const std::string text = filled(step);
  const size_t slash = text.find('/');
  const size_t blank = text.find(' ');
  if (slash == text.npos || blank == text.npos || blank < slash)
    throw std::runtime_error("\"" + text + "\" is no collection, slash, ID, blank and status");
  cloud_.set_status(text.substr(0, slash), text.substr(slash + 1, blank - slash - 1),
                    text.substr(blank + 1));
}

Answer Runner::send(const Step& step) {
  Request request;
  request.method = step.method;
  request.url = filled("{" + step.service + "}" + step.path);
  request.headers = {{"Accept", "application/json"}};
  if (!step.user.empty()) request.headers["X-Auth-Token"] = token_of(step.user);
  for (const auto& [name, value] : step.headers.items())
    request.headers[name] = filled(value.get<std::string>());
  if (!step.body.is_null()) {
    request.headers.try_emplace("Content-Type", "application/json");
    request.body =
        step.body.is_string() ? filled(step.body.get<std::string>()) : filled(step.body).dump();
  }
  return cloud_.send(request);
}

const std::string& Runner::token_of(const std::string& user) {
  if (!tokens_.contains(user)) log_in(user);
  return tokens_.at(user);
}

// The catalog of the first who logs in says where the services are.
void Runner::log_in(const std::string& user) {
  const json project = user == "reader" ? "demo" : user == "trustee" ? "alt_demo" : user;
  const json body = {
      {"auth",
       {{"identity",
         {{"methods", {"password"}},
          {"password",
           {{"user",
             {{"name", user},
              {"password", values_.at("password")},
              {"domain", {{"id", "default"}}}}}}}}},
        {"scope", {{"project", {{"name", project}, {"domain", {{"id", "default"}}}}}}}}}};
  const Answer answer = cloud_.send({"POST",
                                     values_.at("identity").get<std::string>() + "/v3/auth/tokens",
                                     {{"Content-Type", "application/json"}},
                                     body.dump()});
  if (answer.status != 201) throw std::runtime_error(user + " cannot log in: " + answer.body);
  tokens_[user] = answer.headers.at("x-subject-token");
  const json catalog = json::parse(answer.body).at("token").at("catalog");
  for (const json& service : catalog) {
    for (const json& endpoint : service.at("endpoints")) {
      if (endpoint.at("interface") != "public" || values_.contains(service.at("type"))) continue;
      const std::string type = service.at("type");
      const std::string url = endpoint.at("url");
      values_[type] = url;
      form_.name(url, type);
      // Nova's is the only one with a version in it.
      values_[type + " root"] = url.substr(0, url.rfind("/v2.1"));
      form_.name(values_[type + " root"], type + " root");
    }
  }
}

std::string Runner::filled(const std::string& text) const {
  std::string out = text;
  for (size_t open = out.find('{'); open != out.npos; open = out.find('{', open + 1)) {
    const size_t close = out.find('}', open);
    if (close == out.npos) break;
    const auto value = values_.find(out.substr(open + 1, close - open - 1));
    if (value == values_.end()) continue;
    const std::string inserted =
        value->second.is_string() ? value->second.get<std::string>() : value->second.dump();
    out.replace(open, close - open + 1, inserted);
    open += inserted.size() - 1;
  }
  return out;
}

json Runner::filled(const json& value) const {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    const bool one_name = text.starts_with('{') && text.find('}') == text.size() - 1;
    const auto known = one_name ? values_.find(text.substr(1, text.size() - 2)) : values_.end();
    return known != values_.end() ? known->second : json(filled(text));
  }
  if (!value.is_structured()) return value;
  json out = value;
  for (json& member : out) member = filled(member);
  return out;
}

bool Runner::as_wanted(const Step& step, const Answer& answer) const {
  if (!step.until.is_object() || step.until.empty()) return true;
  const json body = parsed(answer.body);
  for (const auto& [place, wanted] : step.until.items()) {
    if (place == "status") {
      if (answer.status != wanted.get<int>()) return false;
      continue;
    }
    const json::json_pointer pointer(place);
    if (!body.contains(pointer) || body.at(pointer) != filled(wanted)) return false;
  }
  return true;
}

void Runner::keep(const Step& step, const Answer& answer) {
  for (const auto& [name, place] : step.keep.items()) {
    const json value = value_at(place, answer);
    values_[name] = value;
    if (value.is_string()) form_.name(value, name);
  }
}

json Runner::normal(const Step& step, const Answer& answer) const {
  json headers = json::object();
  for (const auto& [name, value] : answer.headers) {
    if (kHeaders.contains(name)) headers[name] = form_.of(value);
  }
  json body = parsed(answer.body);
  for (const std::string& place : step.made_up) hide(body, place);
  return {{"status", answer.status}, {"headers", headers}, {"body", form_.of(body)}};
}

}  // namespace ccm::openstack_contract
