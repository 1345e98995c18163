// Certificates made at run time, so that no key lies in the tree and none expires.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace ccm::test {

// A certificate with its key, as PEM.
struct Certificate {
  std::string certificate_pem;
  std::string key_pem;
};

struct CertificateRequest {
  std::string common_name = "test";
  std::vector<std::string> names;                            // of hosts, or IP addresses
  std::chrono::seconds not_before = std::chrono::hours(-1);  // from now
  std::chrono::seconds not_after = std::chrono::hours(24);
  unsigned rsa_bits = 0;  // 0: a key on the curve P-256
  bool sha1 = false;      // signed with it instead of SHA-256
};

// An authority that signs itself.
Certificate make_authority(const std::string& common_name);

// A certificate for servers and clients, signed by `authority`.
Certificate issue(const Certificate& authority, const CertificateRequest& request);

// A server's one for 127.0.0.1, ::1 and localhost.
Certificate issue_for_loopback(const Certificate& authority);

// SHA-256 of it, as `openssl x509 -fingerprint -sha256` prints it: "AB:CD:...".
std::string fingerprint_of(const Certificate& certificate);

}  // namespace ccm::test
