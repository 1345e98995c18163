// Keystone's answer to a log-in: a token, how long it holds, and where the services are (OS-82).
// Any thread.
#pragma once

#include <ccm/http.hpp>
#include <ccm/secret.hpp>
#include <ccm/status.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::openstack {

struct Endpoint {
  std::string service;    // its type: "compute"
  std::string interface;  // public, internal, admin
  std::string region;
  std::string region_id;
  std::string url;
};

struct Token {
  Secret id;
  std::chrono::milliseconds expires_at{0};  // since 1970
  std::vector<Endpoint> catalog;
};

// The token in the answer to POST auth/tokens. Failure: bad_answer().
Result<Token> parse_token(const HttpResponse& response);

// "2026-11-23T08:00:00.000000Z", with or without a fraction, as milliseconds since 1970.
Result<std::chrono::milliseconds> parse_keystone_time(std::string_view text);

}  // namespace ccm::openstack
