// The trust settings that identify a client without asking the API server: certificate authorities,
// and the headers in which front proxies name their users (API-125, 128). Pure; the server's
// thread.
#pragma once

#include "serving/auth/client_certificates.hpp"
#include "serving/message.hpp"

#include <ccm/status.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ccm::serving {

struct FrontProxyTrust {
  std::shared_ptr<const Authority> authority;  // null: no proxy is trusted
  std::vector<std::string> allowed_names;      // common names; empty: any
  std::vector<std::string> username_headers;
  std::vector<std::string> group_headers;
  std::vector<std::string> extra_prefixes;
  std::vector<std::string> uid_headers;
};

struct Trust {
  std::shared_ptr<const Authority> clients;  // null: client certificates are ignored
  FrontProxyTrust proxies;
};

// The keys of the ConfigMap; a missing key leaves its part empty. A failure names the key.
Result<Trust> trust_of_config_map(const std::map<std::string, std::string>& data);

// The result of one way of authentication: a user, a fault in the credentials, or neither.
struct Finding {
  std::optional<User> user;
  std::string fault;  // for the log
};

// The user whom a front proxy names in its headers (HOST-101).
Finding user_of_front_proxy(const FrontProxyTrust& trust, const Request& request);
// CN = name, O = groups (HOST-66).
Finding user_of_certificate(const std::shared_ptr<const Authority>& clients,
                            const Request& request);

// Removes credentials from the request, whatever client sent them (API-127).
void strip_credentials(const FrontProxyTrust& trust, Request* request);

}  // namespace ccm::serving
