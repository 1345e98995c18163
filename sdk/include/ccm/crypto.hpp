// ccm::Crypto: digests, signatures and random bytes for the log-in to a cloud, done on the calling
// thread. [any-thread]
#pragma once

#include <ccm/abi/crypto.h>
#include <ccm/service.hpp>
#include <ccm/status.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace ccm {

enum class SignAlgorithm : int32_t {
  rs256 = CCM_SIGN_RS256,  // RSASSA-PKCS1-v1_5 with SHA-256
  ps256 = CCM_SIGN_PS256,  // RSASSA-PSS with SHA-256
  es256 = CCM_SIGN_ES256,  // ECDSA with P-256 and SHA-256: r and s, 32 bytes each
};

// Bytes are kept in strings.
class Crypto {
 public:
  Crypto() = default;
  explicit Crypto(Service<ccm_host_crypto> host) : host_(host) {}

  [[nodiscard]] Result<std::string> sha256(std::string_view message) const {
    return run("hash", &ccm_host_crypto::hash, kDigestSize,
               [&](auto fn, uint8_t* out, std::size_t capacity) {
                 return fn(host_.self(), CCM_DIGEST_SHA256, c_str(message), out, capacity);
               });
  }
  [[nodiscard]] Result<std::string> hmac_sha256(std::string_view key,
                                                std::string_view message) const {
    return run("hmac", &ccm_host_crypto::hmac, kDigestSize,
               [&](auto fn, uint8_t* out, std::size_t capacity) {
                 return fn(host_.self(), CCM_DIGEST_SHA256, c_str(key), c_str(message), out,
                           capacity);
               });
  }
  // `key`: the private key, PEM. invalid_argument when it cannot be read or does not fit.
  [[nodiscard]] Result<std::string> sign(SignAlgorithm algorithm, std::string_view key,
                                         std::string_view message) const {
    ccm_sign_request request = sized<ccm_sign_request>();
    request.algorithm = static_cast<int32_t>(algorithm);
    request.key = c_str(key);
    request.message = c_str(message);
    return run("sign", &ccm_host_crypto::sign, kSignatureSize,
               [&](auto fn, uint8_t* out, std::size_t capacity) {
                 return fn(host_.self(), &request, out, capacity);
               });
  }
  [[nodiscard]] Result<std::string> random(std::size_t count) const {
    return run("random", &ccm_host_crypto::random, count,
               [&](auto fn, uint8_t* out, std::size_t capacity) {
                 return fn(host_.self(), out, capacity);
               });
  }

 private:
  static constexpr std::size_t kDigestSize = 32;
  static constexpr std::size_t kSignatureSize = 1'024;  // of RSA keys up to 8,192 bits

  template <typename Function, typename Call>
  [[nodiscard]] Result<std::string> run(const char* name, Function ccm_host_crypto::*member,
                                        std::size_t capacity, Call call) const {
    const auto fn = host_.get(member);
    if (fn == nullptr) return detail::missing(CCM_HOST_CRYPTO, name);
    std::string out(capacity, '\0');
    const int64_t length = call(fn, reinterpret_cast<uint8_t*>(out.data()), out.size());
    if (length < 0 || static_cast<std::size_t>(length) > out.size()) {
      const auto code = length < 0 ? static_cast<Code>(-length) : Code::internal;
      return Status(code, std::string("the host could not ") + name);
    }
    out.resize(static_cast<std::size_t>(length));
    return out;
  }

  Service<ccm_host_crypto> host_;
};

}  // namespace ccm
