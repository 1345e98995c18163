#include "http/tls.hpp"

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <cstring>
#include <memory>
#include <stdexcept>

namespace sandbox::http {
namespace {

template <auto Free>
struct Deleter {
  template <typename T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Deleter<X509_free>>;
using Bio = std::unique_ptr<BIO, Deleter<BIO_free_all>>;

void check(bool good, const char* what) {
  if (!good) throw std::runtime_error(std::string("cannot make a certificate: ") + what);
}

void add_extension(X509* certificate, X509* issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value);
  check(extension != nullptr, value);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

Certificate new_certificate(const char* common_name, EVP_PKEY* key) {
  constexpr long kDay = 24 * 60 * 60;
  Certificate certificate(X509_new());
  check(certificate != nullptr, "X509_new");
  X509_set_version(certificate.get(), 2);
  std::uint64_t serial = 0;
  RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial);
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.get()), serial >> 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60 * 60);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 365 * kDay);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(common_name), -1, -1, 0);
  return certificate;
}

template <typename Write>
std::string to_pem(Write write) {
  Bio bio(BIO_new(BIO_s_mem()));
  check(bio && write(bio.get()) == 1, "PEM");
  char* data = nullptr;
  long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<std::size_t>(size));
}

std::string to_pem(X509* certificate) {
  return to_pem([&](BIO* bio) { return PEM_write_bio_X509(bio, certificate); });
}

int choose_protocol(SSL*, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* offered, unsigned int offered_size, void*) {
  static const unsigned char ours[] = "\x08http/1.1";
  int result = SSL_select_next_proto(const_cast<unsigned char**>(out), out_size, ours,
                                     sizeof ours - 1, offered, offered_size);
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

}  // namespace

ServingIdentity make_serving_identity() {
  Key ca_key(EVP_EC_gen("P-256"));
  Key key(EVP_EC_gen("P-256"));
  check(ca_key && key, "key generation");

  Certificate ca = new_certificate("ccm-sandbox-ca", ca_key.get());
  X509_set_issuer_name(ca.get(), X509_get_subject_name(ca.get()));
  add_extension(ca.get(), ca.get(), NID_basic_constraints, "critical,CA:TRUE");
  add_extension(ca.get(), ca.get(), NID_key_usage, "critical,keyCertSign,cRLSign");
  add_extension(ca.get(), ca.get(), NID_subject_key_identifier, "hash");
  check(X509_sign(ca.get(), ca_key.get(), EVP_sha256()) > 0, "signing the CA");

  Certificate leaf = new_certificate("ccm-sandbox", key.get());
  X509_set_issuer_name(leaf.get(), X509_get_subject_name(ca.get()));
  add_extension(leaf.get(), ca.get(), NID_basic_constraints, "critical,CA:FALSE");
  add_extension(leaf.get(), ca.get(), NID_key_usage, "critical,digitalSignature");
  add_extension(leaf.get(), ca.get(), NID_ext_key_usage, "serverAuth");
  add_extension(leaf.get(), ca.get(), NID_authority_key_identifier, "keyid");
  add_extension(leaf.get(), ca.get(), NID_subject_alt_name,
                "IP:127.0.0.1,IP:::1,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,"
                "DNS:kubernetes.default.svc");
  check(X509_sign(leaf.get(), ca_key.get(), EVP_sha256()) > 0, "signing the certificate");

  std::string key_pem = to_pem([&](BIO* bio) {
    return PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
  return {to_pem(ca.get()), to_pem(leaf.get()), key_pem};
}

boost::asio::ssl::context make_tls_context(const ServingIdentity& identity) {
  namespace ssl = boost::asio::ssl;
  ssl::context context(ssl::context::tls_server);
  SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
  SSL_CTX_set_alpn_select_cb(context.native_handle(), choose_protocol, nullptr);
  SSL_CTX_set_mode(context.native_handle(), SSL_MODE_RELEASE_BUFFERS);
  context.use_certificate_chain(boost::asio::buffer(identity.certificate_pem));
  context.use_private_key(boost::asio::buffer(identity.key_pem), ssl::context::pem);
  return context;
}

}  // namespace sandbox::http
