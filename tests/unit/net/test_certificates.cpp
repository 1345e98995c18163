#include "test_certificates.hpp"

#include <arpa/inet.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

#include <cstdint>
#include <cstdio>
#include <stdexcept>

namespace ccm::test {
namespace {

template <auto fn>
struct Free {
  template <typename T>
  void operator()(T* p) const {
    fn(p);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using X509Ptr = std::unique_ptr<X509, Free<X509_free>>;
using BioPtr = std::unique_ptr<BIO, Free<BIO_free_all>>;

void must(bool good, const char* what) {
  if (!good) throw std::runtime_error(what);
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<std::size_t>(size));
}

void add_extension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  must(extension != nullptr, "X509V3_EXT_conf_nid");
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

X509Ptr blank(const std::string& common_name, EVP_PKEY* key, std::chrono::seconds from,
              std::chrono::seconds until) {
  X509Ptr certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  std::int64_t serial = 0;
  RAND_bytes(reinterpret_cast<unsigned char*>(&serial), 7);
  ASN1_INTEGER_set_int64(X509_get_serialNumber(certificate.get()), serial + 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), from.count());
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), until.count());
  X509_set_pubkey(certificate.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1,
                             0);
  return certificate;
}

Certificate to_pem(X509* certificate, EVP_PKEY* key) {
  BioPtr certificate_out(BIO_new(BIO_s_mem()));
  BioPtr key_out(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(certificate_out.get(), certificate);
  PEM_write_bio_PrivateKey(key_out.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return Certificate{text_of(certificate_out.get()), text_of(key_out.get())};
}

std::string alternative_names(const std::vector<std::string>& names) {
  std::string result;
  for (const std::string& name : names) {
    unsigned char bytes[16];
    const bool address = inet_pton(AF_INET, name.c_str(), bytes) == 1 ||
                         inet_pton(AF_INET6, name.c_str(), bytes) == 1;
    if (!result.empty()) result += ",";
    result += (address ? "IP:" : "DNS:") + name;
  }
  return result;
}

}  // namespace

Certificate make_authority(const std::string& common_name) {
  Key key(EVP_EC_gen("P-256"));
  must(key != nullptr, "EVP_EC_gen");
  X509Ptr certificate =
      blank(common_name, key.get(), std::chrono::hours(-24), std::chrono::hours(48));
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get()));
  add_extension(certificate.get(), certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  add_extension(certificate.get(), certificate.get(), NID_key_usage, "critical,keyCertSign");
  add_extension(certificate.get(), certificate.get(), NID_subject_key_identifier, "hash");
  must(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0, "X509_sign");
  return to_pem(certificate.get(), key.get());
}

Certificate issue(const Certificate& authority, const CertificateRequest& request) {
  BioPtr certificate_in(BIO_new_mem_buf(authority.certificate_pem.data(), -1));
  BioPtr key_in(BIO_new_mem_buf(authority.key_pem.data(), -1));
  X509Ptr issuer(PEM_read_bio_X509(certificate_in.get(), nullptr, nullptr, nullptr));
  Key issuer_key(PEM_read_bio_PrivateKey(key_in.get(), nullptr, nullptr, nullptr));
  must(issuer && issuer_key, "authority");

  Key key(request.rsa_bits == 0 ? EVP_EC_gen("P-256") : EVP_RSA_gen(request.rsa_bits));
  must(key != nullptr, "EVP_EC_gen or EVP_RSA_gen");
  X509Ptr certificate =
      blank(request.common_name, key.get(), request.not_before, request.not_after);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer.get()));
  add_extension(certificate.get(), issuer.get(), NID_ext_key_usage, "serverAuth,clientAuth");
  if (!request.names.empty()) {
    add_extension(certificate.get(), issuer.get(), NID_subject_alt_name,
                  alternative_names(request.names));
  }
  const EVP_MD* digest = request.sha1 ? EVP_sha1() : EVP_sha256();
  must(X509_sign(certificate.get(), issuer_key.get(), digest) > 0, "X509_sign");
  return to_pem(certificate.get(), key.get());
}

Certificate issue_for_loopback(const Certificate& authority) {
  CertificateRequest request;
  request.common_name = "loopback";
  request.names = {"localhost", "127.0.0.1", "::1"};
  return issue(authority, request);
}

std::string fingerprint_of(const Certificate& certificate) {
  const BioPtr in(BIO_new_mem_buf(certificate.certificate_pem.data(), -1));
  const X509Ptr parsed(PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr));
  must(parsed != nullptr, "certificate");
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  must(X509_digest(parsed.get(), EVP_sha256(), digest, &size) == 1, "X509_digest");
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    char byte[4];
    std::snprintf(byte, sizeof byte, i == 0 ? "%02X" : ":%02X", digest[i]);
    text += byte;
  }
  return text;
}

}  // namespace ccm::test
