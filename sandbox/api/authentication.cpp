#include "api/authentication.hpp"

#include "api/continue_token.hpp"
#include "api/resource.hpp"
#include "api/times.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>

namespace sandbox {
namespace {

// Both service-account claims that name the object of a token.
constexpr const char* kPrivateClaims = "kubernetes.io";

long long unix_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(now().time_since_epoch()).count();
}

bool audience_matches(const Json& claims, const std::vector<std::string>& wanted) {
  const Json& granted = member_or_null(claims, "aud");
  auto has = [&](const std::string& name) {
    return std::find(granted.begin(), granted.end(), name) != granted.end();
  };
  if (wanted.empty()) return has(Authenticator::default_audience());
  return std::any_of(wanted.begin(), wanted.end(), has);
}

}  // namespace

bool User::is_admin() const {
  return std::find(groups.begin(), groups.end(), "system:masters") != groups.end();
}

std::string random_token() {
  unsigned char bytes[24];
  RAND_bytes(bytes, sizeof bytes);
  return base64url_encode(std::string(reinterpret_cast<const char*>(bytes), sizeof bytes));
}

const std::string& Authenticator::default_audience() {
  static const std::string& audience = *new std::string("https://kubernetes.default.svc");
  return audience;
}

Authenticator::Authenticator(const Store& store, std::string admin_token)
    : store_(store),
      admin_token_(admin_token.empty() ? random_token() : std::move(admin_token)),
      signing_key_(random_token()) {}

std::string Authenticator::sign(const std::string& text) const {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  HMAC(EVP_sha256(), signing_key_.data(), static_cast<int>(signing_key_.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest, &size);
  return base64url_encode(std::string(reinterpret_cast<const char*>(digest), size));
}

std::optional<User> Authenticator::authenticate(const std::string& header) const {
  constexpr std::string_view kBearer = "Bearer ";
  if (header.compare(0, kBearer.size(), kBearer) != 0) return std::nullopt;
  return check_token(header.substr(kBearer.size()), {});
}

std::optional<User> Authenticator::check_token(const std::string& token,
                                               const std::vector<std::string>& audiences) const {
  if (token == admin_token_) {
    bool ours = audiences.empty() || std::find(audiences.begin(), audiences.end(),
                                               default_audience()) != audiences.end();
    if (!ours) return std::nullopt;
    return User{"admin", "", {"system:masters", "system:authenticated"}};
  }
  std::size_t last = token.rfind('.');
  std::size_t first = token.find('.');
  if (first == std::string::npos || first == last) return std::nullopt;
  if (sign(token.substr(0, last)) != token.substr(last + 1)) return std::nullopt;
  auto payload = base64url_decode(token.substr(first + 1, last - first - 1));
  Json claims = payload ? Json::parse(*payload, nullptr, false) : Json();
  if (!claims.is_object() || claims.value("exp", 0LL) <= unix_now()) return std::nullopt;
  if (!audience_matches(claims, audiences)) return std::nullopt;
  return check_service_account(claims);
}

bool Authenticator::knows(const User& user) const {
  constexpr std::string_view kPrefix = "system:serviceaccount:";
  if (user.is_admin()) return true;
  if (!user.name.starts_with(kPrefix)) return false;
  std::string account = user.name.substr(kPrefix.size());
  std::size_t colon = account.find(':');
  if (colon == std::string::npos) return false;
  account[colon] = '/';
  return store_.collection(resource_named("serviceaccounts").index).find(account) != nullptr;
}

std::optional<User> Authenticator::check_service_account(const Json& claims) const {
  const Json& bound = member_or_null(claims, kPrivateClaims);
  std::string name_space = bound.value("namespace", "");
  const Json& account = member_or_null(bound, "serviceaccount");
  std::string name = account.value("name", "");
  const Resource& resource = resource_named("serviceaccounts");
  ObjectPtr found = store_.collection(resource.index).find(name_space + "/" + name);
  if (!found || metadata_text(found->value, "uid") != account.value("uid", "")) {
    return std::nullopt;
  }
  return User{
      "system:serviceaccount:" + name_space + ":" + name,
      account.value("uid", ""),
      {"system:serviceaccounts", "system:serviceaccounts:" + name_space, "system:authenticated"}};
}

Authenticator::IssuedToken Authenticator::issue(const Json& service_account,
                                                std::chrono::seconds lifetime,
                                                const std::vector<std::string>& audiences) const {
  std::string name = metadata_text(service_account, "name");
  std::string name_space = metadata_text(service_account, "namespace");
  long long issued = unix_now();
  long long expires = issued + lifetime.count();
  Json header = {{"alg", "HS256"}, {"typ", "JWT"}};
  Json claims = {
      {"iss", default_audience()},
      {"aud", audiences.empty() ? std::vector<std::string>{default_audience()} : audiences},
      {"iat", issued},
      {"nbf", issued},
      {"exp", expires},
      {"jti", random_token()},
      {"sub", "system:serviceaccount:" + name_space + ":" + name},
      {kPrivateClaims,
       {{"namespace", name_space},
        {"serviceaccount", {{"name", name}, {"uid", metadata_text(service_account, "uid")}}}}}};
  std::string text = base64url_encode(header.dump()) + "." + base64url_encode(claims.dump());
  return {text + "." + sign(text), format_time(Time(std::chrono::seconds(expires)))};
}

}  // namespace sandbox
