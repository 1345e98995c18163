#pragma once

#include "store/store.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sandbox {

struct User {
  std::string name;
  std::string uid;
  std::vector<std::string> groups;

  bool is_admin() const;
};

// The user of a bearer token: the administrator, or a service account whose token this server
// has issued and that still exists.
class Authenticator {
 public:
  // An empty `admin_token` is replaced by a random one.
  Authenticator(const Store& store, std::string admin_token);

  const std::string& admin_token() const { return admin_token_; }

  // `header` is the Authorization header. Nothing: no or no valid token.
  std::optional<User> authenticate(const std::string& header) const;
  // `audiences` as in TokenReview; empty = the server's own.
  std::optional<User> check_token(const std::string& token,
                                  const std::vector<std::string>& audiences) const;

  // Whether this user can have a token here: the administrators' group, or an existing service
  // account.
  bool knows(const User& user) const;

  struct IssuedToken {
    std::string token;
    std::string expires;  // RFC 3339
  };
  IssuedToken issue(const Json& service_account, std::chrono::seconds lifetime,
                    const std::vector<std::string>& audiences) const;

  static const std::string& default_audience();

 private:
  std::optional<User> check_service_account(const Json& claims) const;
  std::string sign(const std::string& text) const;

  const Store& store_;
  std::string admin_token_;
  std::string signing_key_;
};

// Random text that is hard to guess.
std::string random_token();

}  // namespace sandbox
