#include "net/certificates.hpp"

#include "net/tls_context.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <algorithm>
#include <ctime>
#include <functional>

namespace ccm::net {
using std::chrono::system_clock;

namespace {

std::optional<system_clock::time_point> moment_of(const ASN1_TIME* time) {
  tm parts{};
  if (time == nullptr || ASN1_TIME_to_tm(time, &parts) != 1) return std::nullopt;
  return system_clock::from_time_t(timegm(&parts));
}

// Calls `visit` with each certificate until it returns false.
void each_certificate(std::string_view pem, const std::function<bool(const X509*)>& visit) {
  const Openssl<BIO> text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  while (text) {
    const Openssl<X509> certificate(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr));
    if (!certificate || !visit(certificate.get())) break;
  }
  ERR_clear_error();  // the error of the text's end
}

}  // namespace

std::optional<CertificateTimes> times_of(const X509* certificate) {
  const auto begin = moment_of(X509_get0_notBefore(certificate));
  const auto end = moment_of(X509_get0_notAfter(certificate));
  if (!begin || !end) return std::nullopt;
  return CertificateTimes{*begin, *end};
}

std::optional<CertificateTimes> times_of_first(std::string_view pem) {
  std::optional<CertificateTimes> times;
  each_certificate(pem, [&times](const X509* certificate) {
    times = times_of(certificate);
    return false;
  });
  return times;
}

std::optional<system_clock::time_point> last_expiry(std::string_view pem) {
  std::optional<system_clock::time_point> last;
  each_certificate(pem, [&last](const X509* certificate) {
    const auto times = times_of(certificate);
    if (times) last = std::max(last.value_or(times->not_after), times->not_after);
    return true;
  });
  return last;
}

}  // namespace ccm::net
