// Cryptography of the fake host: real SHA-256 and HMAC; random bytes that are the same in each run;
// a signature is the HMAC of the message by the key, so that a test can tell what was signed.
#pragma once

#include <ccm/abi/crypto.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace ccm::testing {

std::string sha256(std::string_view message);
std::string hmac_sha256(std::string_view key, std::string_view message);

class FakeCrypto {
 public:
  FakeCrypto();
  FakeCrypto(const FakeCrypto&) = delete;
  FakeCrypto& operator=(const FakeCrypto&) = delete;

  [[nodiscard]] const ccm_host_crypto* table() const { return &table_; }

 private:
  struct Table;
  ccm_host_crypto table_{};
  std::mutex mutex_;
  uint64_t drawn_ = 0;
};

}  // namespace ccm::testing
