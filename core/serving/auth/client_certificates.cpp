#include "serving/auth/client_certificates.hpp"

#include "net/tls_context.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <climits>
#include <ctime>
#include <utility>

namespace ccm::serving {

namespace {

constexpr std::chrono::minutes kFailureHolds{1};

std::vector<std::string> subject_values(X509* certificate, int what) {
  std::vector<std::string> values;
  const X509_NAME* subject = X509_get_subject_name(certificate);
  for (int at = X509_NAME_get_index_by_NID(subject, what, -1); at >= 0;
       at = X509_NAME_get_index_by_NID(subject, what, at)) {
    unsigned char* text = nullptr;
    const int size =
        ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
    if (size < 0) continue;
    values.emplace_back(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
    OPENSSL_free(text);
  }
  return values;
}

}  // namespace

std::chrono::system_clock::time_point end_of(const X509* certificate) {
  tm parts{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &parts) != 1) return {};
  return std::chrono::system_clock::from_time_t(::timegm(&parts));
}

std::shared_ptr<const PeerCertificates> PeerCertificates::of(const SSL* session) {
  X509* leaf = SSL_get1_peer_certificate(session);
  if (leaf == nullptr) return nullptr;
  auto result = std::make_shared<PeerCertificates>();
  result->leaf_.reset(leaf);
  const STACK_OF(X509)* chain = SSL_get_peer_cert_chain(session);
  for (int i = 0; chain != nullptr && i < sk_X509_num(chain); ++i) {
    X509* certificate = sk_X509_value(chain, i);
    X509_up_ref(certificate);
    result->rest_.emplace_back(certificate);
  }
  return result;
}

Status PeerCertificates::verified_by(const std::shared_ptr<const Authority>& authority) const {
  const auto now = std::chrono::system_clock::now();
  std::erase_if(known_, [now](const Known& known) {
    return known.authority.expired() || known.until <= now;
  });
  for (const Known& known : known_) {
    if (known.authority.lock() == authority) return known.status;
  }
  auto until = now + kFailureHolds;
  Status status = authority->verify(*this, &until);
  known_.push_back({authority, status, until});
  return status;
}

std::string PeerCertificates::common_name() const {
  auto names = subject_values(leaf_.get(), NID_commonName);
  return names.empty() ? std::string() : std::move(names.back());
}

std::vector<std::string> PeerCertificates::organizations() const {
  return subject_values(leaf_.get(), NID_organizationName);
}

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
