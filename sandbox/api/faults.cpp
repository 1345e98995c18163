#include "api/faults.hpp"

#include "api/status_reason.hpp"

namespace sandbox {
namespace {

ApiError injected(int status, int retry_after_s) {
  std::string message = status == 429   ? "Too many requests, please try again later."
                        : status == 410 ? "too old resource version (injected)"
                                        : "injected fault";
  ApiError error{status, status_reason(status), message};
  error.retry_after_s = retry_after_s;
  return error;
}

int number(const Json& json, const char* member, int otherwise) {
  auto found = json.find(member);
  if (found == json.end()) return otherwise;
  if (!found->is_number_integer()) {
    throw bad_request(std::string(member) + " has to be an integer");
  }
  return *found;
}

std::string text(const Json& json, const char* member) {
  auto found = json.find(member);
  if (found == json.end()) return "*";
  if (!found->is_string()) throw bad_request(std::string(member) + " has to be a string");
  return *found;
}

}  // namespace

Faults::Rule Faults::parse(const Json& json) {
  if (!json.is_object()) throw bad_request("a fault rule has to be an object");
  static const char* const known[] = {"latency_ms", "status",   "retry_after_s",
                                      "verb",       "resource", "count"};
  for (auto item = json.begin(); item != json.end(); ++item) {
    if (std::find(std::begin(known), std::end(known), item.key()) == std::end(known)) {
      throw bad_request("unknown member of a fault rule: " + item.key());
    }
  }
  Rule rule;
  rule.verb = text(json, "verb");
  rule.resource = text(json, "resource");
  rule.latency_ms = number(json, "latency_ms", 0);
  rule.status = number(json, "status", 0);
  rule.retry_after_s = number(json, "retry_after_s", -1);
  rule.count = number(json, "count", -1);
  if (rule.status != 0 && (rule.status < 400 || rule.status > 599)) {
    throw bad_request("status has to be between 400 and 599");
  }
  return rule;
}

void Faults::set_rules(const Json& rules) {
  std::vector<Rule> parsed;
  if (rules.is_array()) {
    for (const Json& rule : rules) parsed.push_back(parse(rule));
  } else {
    parsed.push_back(parse(rules));
  }
  rules_ = std::move(parsed);
}

Json Faults::describe() const {
  Json list = Json::array();
  for (const Rule& rule : rules_) {
    Json item = {{"verb", rule.verb}, {"resource", rule.resource}};
    if (rule.latency_ms != 0) item["latency_ms"] = rule.latency_ms;
    if (rule.status != 0) item["status"] = rule.status;
    if (rule.retry_after_s >= 0) item["retry_after_s"] = rule.retry_after_s;
    if (rule.count >= 0) item["count"] = rule.count;
    list.push_back(item);
  }
  return list;
}

Faults::Effect Faults::apply(const RequestInfo& info) {
  Effect effect;
  for (Rule& rule : rules_) {
    bool fits = (rule.verb == "*" || rule.verb == info.verb) &&
                (rule.resource == "*" || rule.resource == info.plural) && rule.count != 0;
    if (!fits) continue;
    if (rule.count > 0) --rule.count;
    effect.latency += std::chrono::milliseconds(rule.latency_ms);
    if (rule.status == 0) continue;
    effect.error = injected(rule.status, rule.retry_after_s);
    break;
  }
  return effect;
}

void RequestCounters::count(const std::string& verb, const std::string& resource,
                            const std::string& user_agent, int status) {
  ++total_;
  ++by_verb_[verb];
  ++by_resource_[resource];
  ++by_user_agent_[user_agent];
  ++by_status_[std::to_string(status)];
  ++by_resource_and_verb_[resource][verb];
}

Json RequestCounters::describe() const {
  return {{"total", total_},
          {"by_verb", by_verb_},
          {"by_resource", by_resource_},
          {"by_user_agent", by_user_agent_},
          {"by_status", by_status_},
          {"by_resource_and_verb", by_resource_and_verb_}};
}

}  // namespace sandbox
