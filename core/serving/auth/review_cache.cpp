#include "serving/auth/review_cache.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

namespace ccm::serving {

namespace {
constexpr std::size_t kKeyBytes = 32;
}

ReviewCacheKey::ReviewCacheKey() : key_(kKeyBytes, '\0') {
  RAND_bytes(reinterpret_cast<unsigned char*>(key_.data()), static_cast<int>(key_.size()));
}

std::string ReviewCacheKey::operator()(std::string_view text) const {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest, &size);
  return std::string(reinterpret_cast<const char*>(digest), size);
}

}  // namespace ccm::serving
