#include "serving/auth/peer_certificates.hpp"

#include "serving/auth/authority.hpp"

#include <openssl/x509.h>

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

}  // namespace ccm::serving
