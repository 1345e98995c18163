#include "serving/self_signed.hpp"

#include "net/tls_context.hpp"

#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstdint>
#include <ctime>

namespace ccm::serving {
namespace {

using net::Openssl;

constexpr long kSecondsPerYear = 365L * 24 * 3600;

Status failed() {
  return Status(Code::internal,
                "cannot make a self-signed certificate: " + net::take_openssl_errors());
}

bool add_extension(X509* certificate, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  const bool added = extension != nullptr && X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return added;
}

bool fill(X509* certificate, EVP_PKEY* key, const std::string& names) {
  std::int64_t serial = 0;
  if (RAND_bytes(reinterpret_cast<unsigned char*>(&serial), 7) != 1) return false;
  // The time is part of the name as in Go's, so that people see which process start created it.
  const std::string common_name = "localhost@" + std::to_string(std::time(nullptr));
  X509_NAME* name = X509_get_subject_name(certificate);
  return X509_set_version(certificate, 2) == 1 &&
         ASN1_INTEGER_set_int64(X509_get_serialNumber(certificate), serial + 1) == 1 &&
         X509_gmtime_adj(X509_getm_notBefore(certificate), -3600) != nullptr &&
         X509_gmtime_adj(X509_getm_notAfter(certificate), kSecondsPerYear) != nullptr &&
         X509_set_pubkey(certificate, key) == 1 &&
         X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(common_name.c_str()), -1,
                                    -1, 0) == 1 &&
         X509_set_issuer_name(certificate, name) == 1 &&
         add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE") &&
         add_extension(certificate, NID_key_usage, "critical,digitalSignature,keyCertSign") &&
         add_extension(certificate, NID_ext_key_usage, "serverAuth") &&
         add_extension(certificate, NID_subject_alt_name, names) &&
         X509_sign(certificate, key, EVP_sha256()) > 0;
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<std::size_t>(size));
}

}  // namespace

Result<KeyPair> make_self_signed(const std::vector<std::string>& addresses) {
  std::string names = "DNS:localhost,IP:127.0.0.1";
  for (const std::string& address : addresses) {
    if (address != "127.0.0.1") names += ",IP:" + address.substr(0, address.find('%'));
  }
  const Openssl<EVP_PKEY> key(EVP_EC_gen("P-256"));
  const Openssl<X509> certificate(X509_new());
  if (!key || !certificate || !fill(certificate.get(), key.get(), names)) return failed();

  const Openssl<BIO> certificate_out(BIO_new(BIO_s_mem()));
  const Openssl<BIO> key_out(BIO_new(BIO_s_mem()));
  if (!certificate_out || !key_out ||
      PEM_write_bio_X509(certificate_out.get(), certificate.get()) != 1 ||
      PEM_write_bio_PrivateKey(key_out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) !=
          1) {
    return failed();
  }
  return KeyPair{text_of(certificate_out.get()), text_of(key_out.get())};
}

}  // namespace ccm::serving
