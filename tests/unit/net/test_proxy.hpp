// A proxy on loopback for tests: CONNECT and absolute form over HTTP or HTTPS, and SOCKS5.
#pragma once

#include "test_certificates.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ccm::test {

struct ProxyOptions {
  bool socks5 = false;
  std::optional<Certificate> certificate;  // the proxy itself speaks TLS
  std::string user;                        // not empty = demands user and password
  std::string password;
  unsigned refuse_with = 0;  // HTTP status, or SOCKS5 reply code
  bool talk_early = false;   // sends a byte of its own right after its answer
};

class TestProxy {
 public:
  explicit TestProxy(ProxyOptions options);
  ~TestProxy();
  TestProxy(const TestProxy&) = delete;
  TestProxy& operator=(const TestProxy&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  // The requested targets: "host:port" of each tunnel.
  [[nodiscard]] std::vector<std::string> targets() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ccm::test
