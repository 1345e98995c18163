#include "serving/auth/authority.hpp"

#include "net/tls_context.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <climits>

namespace ccm::serving {
namespace {

struct ChainDelete {
  void operator()(STACK_OF(X509) * chain) const { sk_X509_free(chain); }
};

using std::chrono::system_clock;

constexpr int kSecurityLevel = 2;  // 112 bits

system_clock::time_point first_end(const STACK_OF(X509) * chain) {
  auto first = system_clock::time_point::max();
  for (int i = 0; i < sk_X509_num(chain); ++i) {
    first = std::min(first, end_of(sk_X509_value(chain, i)));
  }
  return first;
}

Status bad_bundle(std::string_view what, const std::string& problem) {
  return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                std::string(what) + ": " + problem);
}

}  // namespace

Result<std::shared_ptr<const Authority>> Authority::parse(const std::string& pem,
                                                          std::string_view what) {
  auto result = std::make_shared<Authority>();
  result->store_.reset(X509_STORE_new());
  const int size = static_cast<int>(std::min<std::size_t>(pem.size(), INT_MAX));
  const net::Openssl<BIO> in(BIO_new_mem_buf(pem.data(), size));
  std::size_t count = 0;
  ERR_clear_error();
  while (true) {
    const net::Openssl<X509> certificate(PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr));
    if (!certificate) break;
    X509_STORE_add_cert(result->store_.get(), certificate.get());
    ++count;
  }
  const bool ended = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  const std::string problem = net::take_openssl_errors();
  if (!ended) return bad_bundle(what, "a certificate is damaged: " + problem);
  if (count == 0) return bad_bundle(what, "there is no PEM certificate in it");
  // An authority that is itself signed by another one is trusted too, as Go does.
  X509_STORE_set_flags(result->store_.get(), X509_V_FLAG_PARTIAL_CHAIN);
  X509_VERIFY_PARAM_set_auth_level(X509_STORE_get0_param(result->store_.get()), kSecurityLevel);
  return std::shared_ptr<const Authority>(std::move(result));
}

Status Authority::verify(const PeerCertificates& peer, system_clock::time_point* until) const {
  const std::unique_ptr<STACK_OF(X509), ChainDelete> chain(sk_X509_new_null());
  for (const auto& certificate : peer.intermediates()) sk_X509_push(chain.get(), certificate.get());
  const net::Openssl<X509_STORE_CTX> context(X509_STORE_CTX_new());
  ERR_clear_error();
  if (X509_STORE_CTX_init(context.get(), store_.get(), peer.leaf(), chain.get()) != 1) {
    return Status(Code::internal, "TLS: " + net::take_openssl_errors());
  }
  X509_STORE_CTX_set_purpose(context.get(), X509_PURPOSE_SSL_CLIENT);
  const bool good = X509_verify_cert(context.get()) == 1;
  ERR_clear_error();
  if (good) {
    *until = first_end(X509_STORE_CTX_get0_chain(context.get()));
    return {};
  }
  const int error = X509_STORE_CTX_get_error(context.get());
  return Status(Code::unauthenticated, ErrorClass::auth, X509_verify_cert_error_string(error));
}

}  // namespace ccm::serving
