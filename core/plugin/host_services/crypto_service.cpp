#include "plugin/host_services/crypto_service.hpp"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <vector>

namespace ccm::plugin {

namespace {

struct CryptoDelete {
  void operator()(BIO* p) const { BIO_free_all(p); }
  void operator()(EVP_PKEY* p) const { EVP_PKEY_free(p); }
  void operator()(EVP_MD_CTX* p) const { EVP_MD_CTX_free(p); }
  void operator()(ECDSA_SIG* p) const { ECDSA_SIG_free(p); }
};
template <typename T>
using Crypto = std::unique_ptr<T, CryptoDelete>;

constexpr std::size_t kSha256 = 32;
constexpr std::size_t kP256 = 32;  // bytes of r, and of s

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

int64_t give_bytes(const unsigned char* bytes, std::size_t size, uint8_t* out, size_t capacity) {
  if (out != nullptr) std::memcpy(out, bytes, std::min(capacity, size));
  return static_cast<int64_t>(size);
}

// OpenSSL keeps its errors for the thread; the next user of it must not find ours.
int64_t refuse(int32_t code) {
  ERR_clear_error();
  return -int64_t{code};
}

int no_passphrase(char*, int, int, void*) { return -1; }

Crypto<EVP_PKEY> read_key(std::string_view pem) {
  if (pem.empty() || pem.size() > INT_MAX) return nullptr;
  const Crypto<BIO> in(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  if (!in) return nullptr;
  return Crypto<EVP_PKEY>(PEM_read_bio_PrivateKey(in.get(), nullptr, no_passphrase, nullptr));
}

bool fits(const EVP_PKEY* key, int32_t algorithm) {
  const int kind = EVP_PKEY_get_base_id(key);
  if (algorithm != CCM_SIGN_ES256) return kind == EVP_PKEY_RSA;
  return kind == EVP_PKEY_EC && EVP_PKEY_get_bits(key) == 256;
}

// The signature as OpenSSL makes it; empty when that failed.
std::vector<unsigned char> sign_message(EVP_PKEY* key, int32_t algorithm,
                                        std::string_view message) {
  const Crypto<EVP_MD_CTX> context(EVP_MD_CTX_new());
  EVP_PKEY_CTX* options = nullptr;  // the context's own
  if (!context || EVP_DigestSignInit(context.get(), &options, EVP_sha256(), nullptr, key) != 1) {
    return {};
  }
  if (algorithm == CCM_SIGN_PS256 &&
      (EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) != 1 ||
       EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) != 1)) {
    return {};
  }
  std::size_t size = 0;
  if (EVP_DigestSign(context.get(), nullptr, &size, bytes_of(message), message.size()) != 1) {
    return {};
  }
  std::vector<unsigned char> signature(size);
  if (EVP_DigestSign(context.get(), signature.data(), &size, bytes_of(message), message.size()) !=
      1) {
    return {};
  }
  signature.resize(size);
  return signature;
}

// From ASN.1 to r and s, as JWS has them.
std::vector<unsigned char> flat_signature(const std::vector<unsigned char>& der) {
  const unsigned char* place = der.data();
  const Crypto<ECDSA_SIG> parsed(d2i_ECDSA_SIG(nullptr, &place, static_cast<long>(der.size())));
  if (!parsed) return {};
  std::vector<unsigned char> flat(2 * kP256);
  const bool whole =
      BN_bn2binpad(ECDSA_SIG_get0_r(parsed.get()), flat.data(), kP256) == int{kP256} &&
      BN_bn2binpad(ECDSA_SIG_get0_s(parsed.get()), flat.data() + kP256, kP256) == int{kP256};
  return whole ? flat : std::vector<unsigned char>();
}

}  // namespace

int64_t CryptoService::hash(void*, int32_t digest, ccm_str message, uint8_t* out,
                            size_t capacity) noexcept {
  if (digest != CCM_DIGEST_SHA256) return -CCM_CODE_UNIMPLEMENTED;
  const std::string_view text = view(message);
  std::array<unsigned char, kSha256> made{};
  if (EVP_Digest(text.data(), text.size(), made.data(), nullptr, EVP_sha256(), nullptr) != 1) {
    return refuse(CCM_CODE_INTERNAL);
  }
  return give_bytes(made.data(), made.size(), out, capacity);
}

int64_t CryptoService::hmac(void*, int32_t digest, ccm_str key, ccm_str message, uint8_t* out,
                            size_t capacity) noexcept {
  if (digest != CCM_DIGEST_SHA256) return -CCM_CODE_UNIMPLEMENTED;
  const std::string_view secret = view(key);
  const std::string_view text = view(message);
  if (secret.size() > INT_MAX) return -CCM_CODE_INVALID_ARGUMENT;
  std::array<unsigned char, kSha256> made{};
  const void* const begin = secret.empty() ? "" : secret.data();
  if (HMAC(EVP_sha256(), begin, static_cast<int>(secret.size()), bytes_of(text), text.size(),
           made.data(), nullptr) == nullptr) {
    return refuse(CCM_CODE_INTERNAL);
  }
  return give_bytes(made.data(), made.size(), out, capacity);
}

int64_t CryptoService::sign(void*, const ccm_sign_request* given, uint8_t* out,
                            size_t capacity) noexcept {
  if (given == nullptr) return -CCM_CODE_INVALID_ARGUMENT;
  const ccm_sign_request request = known(given);
  if (!only_known(given) || request.algorithm < CCM_SIGN_RS256 ||
      request.algorithm > CCM_SIGN_ES256) {
    return -CCM_CODE_UNIMPLEMENTED;
  }
  const Crypto<EVP_PKEY> key = read_key(view(request.key));
  if (!key || !fits(key.get(), request.algorithm)) return refuse(CCM_CODE_INVALID_ARGUMENT);
  std::vector<unsigned char> signature =
      sign_message(key.get(), request.algorithm, view(request.message));
  if (request.algorithm == CCM_SIGN_ES256) signature = flat_signature(signature);
  if (signature.empty()) return refuse(CCM_CODE_INVALID_ARGUMENT);
  return give_bytes(signature.data(), signature.size(), out, capacity);
}

int64_t CryptoService::random(void*, uint8_t* out, size_t capacity) noexcept {
  if (capacity > INT_MAX || (out == nullptr && capacity > 0)) return -CCM_CODE_INVALID_ARGUMENT;
  if (capacity > 0 && RAND_bytes(out, static_cast<int>(capacity)) != 1) {
    return refuse(CCM_CODE_UNAVAILABLE);
  }
  return static_cast<int64_t>(capacity);
}

const ccm_host_crypto CryptoService::kTable{sizeof(kTable), 0, &hash, &hmac, &sign, &random};

}  // namespace ccm::plugin
