#include "api/reviews.hpp"

#include "api/body.hpp"
#include "api/times.hpp"

namespace sandbox {
namespace {

constexpr long long kShortestToken = 600;
constexpr long long kLongestToken = 1LL << 32;

std::vector<std::string> strings(const Json& list) {
  std::vector<std::string> result;
  for (const Json& item : list) {
    if (item.is_string()) result.push_back(item);
  }
  return result;
}

std::string text_member(const Json& object, const char* member) {
  const Json& value = member_or_null(object, member);
  return value.is_string() ? value.get<std::string>() : "";
}

http::Response created(const Json& body) {
  http::Response response;
  response.status = 201;
  response.body = body.dump() + "\n";
  return response;
}

Json user_info(const User& user) {
  Json info = {{"username", user.name}, {"groups", user.groups}};
  if (!user.uid.empty()) info["uid"] = user.uid;
  return info;
}

ApiError wrong(const std::string& group, const std::string& kind, Cause cause) {
  Resource resource;
  resource.group = group;
  resource.kind = kind;
  return invalid(resource, "", {std::move(cause)});
}

Json token_review(const Authenticator& authenticator, Json review) {
  Json& spec = review["spec"];
  std::string token = text_member(spec, "token");
  std::vector<std::string> audiences = strings(member_or_null(spec, "audiences"));
  auto user = authenticator.check_token(token, audiences);
  Json status = {{"user", Json::object()}};
  if (user) {
    status = {{"authenticated", true}, {"user", user_info(*user)}};
    status["audiences"] =
        audiences.empty() ? std::vector<std::string>{Authenticator::default_audience()} : audiences;
  } else if (!token.empty()) {
    status["error"] = "invalid bearer token";
  }
  review["status"] = status;
  return review;
}

Attributes attributes_of(const Json& spec) {
  Attributes attributes;
  const Json& resource = member_or_null(spec, "resourceAttributes");
  const Json& other = member_or_null(spec, "nonResourceAttributes");
  if (resource.is_object()) {
    attributes.verb = text_member(resource, "verb");
    attributes.group = text_member(resource, "group");
    attributes.resource = text_member(resource, "resource");
    attributes.subresource = text_member(resource, "subresource");
    attributes.name_space = text_member(resource, "namespace");
    attributes.name = text_member(resource, "name");
  } else {
    attributes.verb = text_member(other, "verb");
    attributes.path = text_member(other, "path");
  }
  return attributes;
}

Json access_review(const Authenticator& authenticator, const Authorizer& authorizer,
                   const User& user, Json review) {
  bool known = authenticator.knows(user);
  bool allowed = known && authorizer.allowed(user, attributes_of(review["spec"]));
  review["status"] = {{"allowed", allowed}};
  if (known && !allowed) review["status"]["reason"] = "a deny rule of the sandbox applies";
  return review;
}

// The server names no kind in these errors.
void check_access_spec(const Json& spec, bool needs_user) {
  bool resource = member_or_null(spec, "resourceAttributes").is_object();
  bool other = member_or_null(spec, "nonResourceAttributes").is_object();
  if (resource == other) {
    throw wrong("authorization.k8s.io", "",
                invalid_value("spec.resourceAttributes", nullptr,
                              "exactly one of nonResourceAttributes or resourceAttributes must "
                              "be specified"));
  }
  if (needs_user && text_member(spec, "user").empty() && member_or_null(spec, "groups").empty()) {
    throw wrong("authorization.k8s.io", "",
                invalid_value("spec.user", "", "at least one of user or group must be specified"));
  }
}

}  // namespace

std::optional<http::Response> review_answer(const Authenticator& authenticator,
                                            const Authorizer& authorizer, const User& user,
                                            const RequestInfo& info, const http::Request& request) {
  bool token = info.group == "authentication.k8s.io" && info.plural == "tokenreviews";
  bool subject = info.group == "authorization.k8s.io" && info.plural == "subjectaccessreviews";
  bool self = info.group == "authorization.k8s.io" && info.plural == "selfsubjectaccessreviews";
  if ((!token && !subject && !self) || info.version != "v1") return std::nullopt;
  if (info.verb != "create") throw method_not_allowed();
  Json review = parse_body(request);
  if (!review.is_object() || !member_or_null(review, "spec").is_object()) {
    throw bad_request("a review needs a spec");
  }
  std::string kind = token  ? "TokenReview"
                     : self ? "SelfSubjectAccessReview"
                            : "SubjectAccessReview";
  review["kind"] = kind;
  review["apiVersion"] = info.group + "/v1";
  if (!review.contains("metadata")) review["metadata"] = {{"creationTimestamp", nullptr}};
  if (token && text_member(review["spec"], "token").empty()) {
    throw bad_request("token is required for TokenReview in authentication");
  }
  if (token) return created(token_review(authenticator, std::move(review)));
  check_access_spec(review["spec"], subject);
  User who = user;
  if (subject) {
    who = User{text_member(review["spec"], "user"), text_member(review["spec"], "uid"),
               strings(member_or_null(review["spec"], "groups"))};
  }
  return created(access_review(authenticator, authorizer, who, std::move(review)));
}

http::Response token_request(const Store& store, const Authenticator& authenticator,
                             const RequestInfo& info, const http::Request& request) {
  if (info.verb != "create" || info.name.empty()) throw method_not_allowed();
  Json body = parse_body(request);
  if (!body.is_object()) throw bad_request("the object provided is unrecognized");
  ObjectPtr account =
      store.collection(info.resource->index).find(info.name_space + "/" + info.name);
  if (!account) throw not_found(*info.resource, info.name);
  Json spec = member_or_null(body, "spec");
  if (!spec.is_object()) spec = Json::object();
  const Json& wanted = member_or_null(spec, "expirationSeconds");
  long long seconds = wanted.is_number_integer() ? wanted.get<long long>() : 3600;
  if (seconds < kShortestToken || seconds > kLongestToken) {
    throw wrong("authentication.k8s.io", "TokenRequest",
                invalid_value("spec.expirationSeconds", seconds,
                              seconds < kShortestToken
                                  ? "may not specify a duration less than 10 minutes"
                                  : "may not specify a duration larger than 2^32 seconds"));
  }
  auto audiences = strings(member_or_null(spec, "audiences"));
  auto issued = authenticator.issue(account->value, std::chrono::seconds(seconds), audiences);
  if (audiences.empty()) audiences = {Authenticator::default_audience()};
  spec["audiences"] = audiences;
  spec["expirationSeconds"] = seconds;
  if (!spec.contains("boundObjectRef")) spec["boundObjectRef"] = nullptr;
  return created({{"kind", "TokenRequest"},
                  {"apiVersion", "authentication.k8s.io/v1"},
                  {"metadata",
                   {{"name", info.name},
                    {"namespace", info.name_space},
                    {"creationTimestamp", format_time(now())}}},
                  {"spec", spec},
                  {"status", {{"token", issued.token}, {"expirationTimestamp", issued.expires}}}});
}

}  // namespace sandbox
