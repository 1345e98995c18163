// Where a client gets its bearer token when neither file nor program has it. Home thread: the
// client's.
#pragma once

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>

#include <string>

namespace ccm::kube {

class TokenSource {
 public:
  virtual ~TokenSource() = default;
  // The token for a request. Asked before each one: answers at once while the token is good.
  virtual boost::asio::awaitable<Result<std::string>> token() = 0;
  // The API server refused (401) a request that carried this token.
  virtual void rejected(const std::string& token) = 0;
};

}  // namespace ccm::kube
