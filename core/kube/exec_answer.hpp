// The output of an exec plugin: an ExecCredential (API-86..88). Private to core/kube.
#pragma once

#include <ccm/status.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace ccm::kube {

// At least one of a token and a certificate with its key. Secrets.
struct ExecAnswer {
  std::string token;
  std::string certificate_pem;
  std::string private_key_pem;
  std::optional<std::chrono::system_clock::time_point> expires;
};

// `api_version`: the one in the kubeconfig. Takes any bytes. Failure: unauthenticated, class auth;
// the message is a clause that never quotes the answer.
Result<ExecAnswer> parse_exec_answer(std::string_view text, std::string_view api_version);

}  // namespace ccm::kube
