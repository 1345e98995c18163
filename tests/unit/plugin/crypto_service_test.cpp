// Digests by known vectors, signatures by OpenSSL's verification.
#include "plugin/host_services/crypto_service.hpp"

#include "test_runtime.hpp"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <array>
#include <atomic>
#include <set>
#include <thread>

namespace ccm::plugin {
namespace {

struct OpenSslDelete {
  void operator()(BIO* p) const { BIO_free_all(p); }
  void operator()(EVP_PKEY* p) const { EVP_PKEY_free(p); }
  void operator()(EVP_MD_CTX* p) const { EVP_MD_CTX_free(p); }
  void operator()(EVP_PKEY_CTX* p) const { EVP_PKEY_CTX_free(p); }
  void operator()(ECDSA_SIG* p) const { ECDSA_SIG_free(p); }
};
template <typename T>
using Owned = std::unique_ptr<T, OpenSslDelete>;
using Key = Owned<EVP_PKEY>;

std::string hex(const std::vector<uint8_t>& bytes) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : bytes) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

const unsigned char* raw(const std::string& text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// A key as PEM: PKCS #8, or the older form of its kind (PKCS #1, SEC 1).
std::string pem_of(const Key& key, bool pkcs8 = true, const char* passphrase = nullptr) {
  const Owned<BIO> out(BIO_new(BIO_s_mem()));
  const EVP_CIPHER* cipher = passphrase != nullptr ? EVP_aes_256_cbc() : nullptr;
  void* words = const_cast<char*>(passphrase);
  const int written = pkcs8 ? PEM_write_bio_PKCS8PrivateKey(out.get(), key.get(), cipher, nullptr,
                                                            0, nullptr, words)
                            : PEM_write_bio_PrivateKey_traditional(out.get(), key.get(), nullptr,
                                                                   nullptr, 0, nullptr, nullptr);
  EXPECT_EQ(written, 1);
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

Key rsa_key() {
  static const Key made(EVP_RSA_gen(2048U));
  EVP_PKEY_up_ref(made.get());
  return Key(made.get());
}

bool verify(EVP_PKEY* key, const std::string& message, const std::vector<uint8_t>& signature,
            bool pss = false) {
  const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new());
  EVP_PKEY_CTX* options = nullptr;
  EVP_DigestVerifyInit(context.get(), &options, EVP_sha256(), nullptr, key);
  if (pss) {
    EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING);
    EVP_PKEY_CTX_set_rsa_pss_saltlen(options, 32);  // as JWS has it (RFC 7518 3.5)
  }
  const int verified = EVP_DigestVerify(context.get(), signature.data(), signature.size(),
                                        raw(message), message.size());
  ERR_clear_error();
  return verified == 1;
}

// From r and s to the form that OpenSSL verifies.
std::vector<uint8_t> asn1(const std::vector<uint8_t>& flat) {
  const Owned<ECDSA_SIG> parsed(ECDSA_SIG_new());
  ECDSA_SIG_set0(parsed.get(), BN_bin2bn(flat.data(), 32, nullptr),
                 BN_bin2bn(flat.data() + 32, 32, nullptr));
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(parsed.get(), &der);
  std::vector<uint8_t> made(der, der + size);
  OPENSSL_free(der);
  return made;
}

class CryptoServiceTest : public PluginHostTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(create(true).ok());
    service_ = plugin_.service(CCM_HOST_CRYPTO, &crypto_);
  }
  void add_services(ComponentHost& host) override {
    host.add(std::make_unique<CryptoService>(component_));
  }
  // The bytes that `fill` gives, or its negative code alone.
  static std::vector<uint8_t> bytes(const std::function<int64_t(uint8_t*, std::size_t)>& fill) {
    const int64_t size = fill(nullptr, 0);
    EXPECT_GE(size, 0);
    std::vector<uint8_t> made(static_cast<std::size_t>(std::max<int64_t>(size, 0)));
    EXPECT_GE(fill(made.data(), made.size()), 0);
    return made;
  }
  std::string sha256(std::string_view text) {
    return hex(bytes([&](uint8_t* out, std::size_t capacity) {
      return crypto_->hash(service_.self, CCM_DIGEST_SHA256, c_str(text), out, capacity);
    }));
  }
  std::string hmac(std::string_view key, std::string_view text) {
    return hex(bytes([&](uint8_t* out, std::size_t capacity) {
      return crypto_->hmac(service_.self, CCM_DIGEST_SHA256, c_str(key), c_str(text), out,
                           capacity);
    }));
  }
  static ccm_sign_request request(int32_t algorithm, const std::string& key,
                                  const std::string& message) {
    auto made = sized<ccm_sign_request>();
    made.algorithm = algorithm;
    made.key = c_str(key);
    made.message = c_str(message);
    return made;
  }
  int64_t sign(const ccm_sign_request& wanted, uint8_t* out = nullptr, std::size_t capacity = 0) {
    return crypto_->sign(service_.self, &wanted, out, capacity);
  }
  std::vector<uint8_t> signature(int32_t algorithm, const std::string& key,
                                 const std::string& message) {
    std::vector<uint8_t> made(1'024);
    const auto wanted = request(algorithm, key, message);
    const int64_t size = sign(wanted, made.data(), made.size());
    EXPECT_GT(size, 0);
    made.resize(static_cast<std::size_t>(std::max<int64_t>(size, 0)));
    return made;
  }

  const ccm_host_crypto* crypto_ = nullptr;
  ccm_interface service_{};
};

// FIPS 180-2, and RFC 4231 4.2, 4.3, 4.7.
TEST_F(CryptoServiceTest, KnownVectors) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hmac(std::string(20, '\x0b'), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hmac("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(
      hmac(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First"),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  EXPECT_EQ(hmac("", ""), "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

TEST_F(CryptoServiceTest, NoMoreIsCopiedThanThereIsRoomFor) {
  std::array<uint8_t, 5> out{9, 9, 9, 9, 9};
  EXPECT_EQ(crypto_->hash(service_.self, CCM_DIGEST_SHA256, c_str("abc"), out.data(), 3), 32);
  EXPECT_EQ(out, (std::array<uint8_t, 5>{0xba, 0x78, 0x16, 9, 9}));
}

TEST_F(CryptoServiceTest, UnknownDigestsAreRefused) {
  uint8_t out[32] = {};
  EXPECT_EQ(crypto_->hash(service_.self, 0, c_str("abc"), out, 32), -CCM_CODE_UNIMPLEMENTED);
  EXPECT_EQ(crypto_->hmac(service_.self, 2, c_str("k"), c_str("abc"), out, 32),
            -CCM_CODE_UNIMPLEMENTED);
}

TEST_F(CryptoServiceTest, RsaSignsInBothWaysAndFromBothForms) {
  const Key key = rsa_key();
  const std::string message = "header.claims";
  for (const bool pkcs8 : {true, false}) {
    const std::string pem = pem_of(key, pkcs8);
    EXPECT_EQ(pem.find("BEGIN RSA") != std::string::npos, !pkcs8);
    const auto plain = signature(CCM_SIGN_RS256, pem, message);
    EXPECT_EQ(plain.size(), 256u);
    EXPECT_TRUE(verify(key.get(), message, plain));
    EXPECT_FALSE(verify(key.get(), message + "x", plain));
    const auto pss = signature(CCM_SIGN_PS256, pem, message);
    EXPECT_TRUE(verify(key.get(), message, pss, true));
    EXPECT_FALSE(verify(key.get(), message, pss));
  }
}

// In one of 128 signatures r or s begins with a zero byte, which has to be there.
TEST_F(CryptoServiceTest, EllipticSignaturesHaveTheirFullLength) {
  const Key key(EVP_EC_gen("P-256"));
  for (const bool pkcs8 : {true, false}) {
    const std::string pem = pem_of(key, pkcs8);
    EXPECT_EQ(pem.find("BEGIN EC") != std::string::npos, !pkcs8);
    for (int round = 0; round < 300; ++round) {
      const std::string message = "message " + std::to_string(round);
      const auto flat = signature(CCM_SIGN_ES256, pem, message);
      ASSERT_EQ(flat.size(), 64u);
      ASSERT_TRUE(verify(key.get(), message, asn1(flat))) << round;
    }
  }
}

TEST_F(CryptoServiceTest, WrongKeysAreRefused) {
  const std::string rsa = pem_of(rsa_key());
  const std::string p256 = pem_of(Key(EVP_EC_gen("P-256")));
  const std::string p384 = pem_of(Key(EVP_EC_gen("P-384")));
  const std::string edwards = pem_of(Key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519")));
  const std::string locked = pem_of(rsa_key(), true, "passphrase");
  const struct {
    const char* what;
    int32_t algorithm;
    std::string key;
  } wrong[] = {{"RSA for ES256", CCM_SIGN_ES256, rsa},
               {"P-256 for RS256", CCM_SIGN_RS256, p256},
               {"P-256 for PS256", CCM_SIGN_PS256, p256},
               {"P-384 for ES256", CCM_SIGN_ES256, p384},
               {"Ed25519", CCM_SIGN_ES256, edwards},
               {"encrypted", CCM_SIGN_RS256, locked},
               {"empty", CCM_SIGN_RS256, ""},
               {"no PEM", CCM_SIGN_RS256, "key"},
               {"cut off", CCM_SIGN_RS256, rsa.substr(0, rsa.size() / 2)}};
  for (const auto& one : wrong) {
    EXPECT_EQ(sign(request(one.algorithm, one.key, "m")), -CCM_CODE_INVALID_ARGUMENT) << one.what;
    EXPECT_EQ(ERR_peek_error(), 0u) << "the next user of OpenSSL would find it: " << one.what;
  }
}

TEST_F(CryptoServiceTest, R_6_UnknownPartsOfARequestAreRefused) {
  const std::string key = pem_of(Key(EVP_EC_gen("P-256")));
  const std::string message = "m";
  for (const int32_t algorithm : {0, 4, -1}) {
    EXPECT_EQ(sign(request(algorithm, key, message)), -CCM_CODE_UNIMPLEMENTED) << algorithm;
  }
  struct {
    ccm_sign_request known;
    uint64_t news;
  } later{request(CCM_SIGN_ES256, key, message), 0};
  later.known.size = sizeof(later);
  EXPECT_EQ(sign(later.known), 64);
  later.news = 1;
  EXPECT_EQ(sign(later.known), -CCM_CODE_UNIMPLEMENTED);
  auto flagged = request(CCM_SIGN_ES256, key, message);
  flagged.flags = 1;
  EXPECT_EQ(sign(flagged), -CCM_CODE_UNIMPLEMENTED);
  EXPECT_EQ(crypto_->sign(service_.self, nullptr, nullptr, 0), -CCM_CODE_INVALID_ARGUMENT);
}

TEST_F(CryptoServiceTest, RandomBytesAreRandom) {
  std::set<std::string> seen;
  for (int round = 0; round < 64; ++round) {
    std::vector<uint8_t> out(32);
    ASSERT_EQ(crypto_->random(service_.self, out.data(), out.size()), 32);
    seen.insert(hex(out));
  }
  EXPECT_EQ(seen.size(), 64u);
  EXPECT_EQ(crypto_->random(service_.self, nullptr, 0), 0);
  EXPECT_EQ(crypto_->random(service_.self, nullptr, 8), -CCM_CODE_INVALID_ARGUMENT);
}

TEST_F(CryptoServiceTest, ManyThreadsSignAtOnce) {
  const Key key(EVP_EC_gen("P-256"));
  const std::string pem = pem_of(key);
  std::array<std::thread, 4> threads;
  std::atomic<int> verified{0};
  for (std::thread& thread : threads) {
    thread = std::thread([&] {
      const std::string message = "m";
      const auto wanted = request(CCM_SIGN_ES256, pem, message);
      for (int round = 0; round < 50; ++round) {
        std::vector<uint8_t> flat(64);
        const bool whole = sign(wanted, flat.data(), flat.size()) == 64;
        if (whole && verify(key.get(), message, asn1(flat))) ++verified;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(verified, 200);
}

}  // namespace
}  // namespace ccm::plugin
