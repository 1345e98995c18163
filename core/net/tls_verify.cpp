#include "net/tls_context.hpp"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

namespace ccm::net {
namespace {

constexpr int kNamesShown = 8;

std::string printable(const unsigned char* data, int length) {
  std::string text(reinterpret_cast<const char*>(data), static_cast<std::size_t>(length));
  for (char& c : text) {
    if (c < 0x20 || c == 0x7f) c = '?';
  }
  return text;
}

std::string name_text(const X509_NAME* name) {
  Openssl<BIO> out(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(out.get(), name, 0, XN_FLAG_RFC2253);
  char* data = nullptr;
  const long length = BIO_get_mem_data(out.get(), &data);
  return std::string(data, static_cast<std::size_t>(length));
}

std::string time_text(const ASN1_TIME* time) {
  tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return "an unreadable date";
  char text[40];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
  return text;
}

std::string general_name_text(const GENERAL_NAME* name) {
  if (name->type == GEN_DNS) {
    return printable(ASN1_STRING_get0_data(name->d.dNSName), ASN1_STRING_length(name->d.dNSName));
  }
  if (name->type != GEN_IPADD) return {};
  const unsigned char* bytes = ASN1_STRING_get0_data(name->d.iPAddress);
  const int length = ASN1_STRING_length(name->d.iPAddress);
  char text[INET6_ADDRSTRLEN] = {};
  if (length == 4) inet_ntop(AF_INET, bytes, text, sizeof text);
  if (length == 16) inet_ntop(AF_INET6, bytes, text, sizeof text);
  return text;
}

std::string alternative_names(X509* certificate) {
  auto* names = static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  std::string result;
  const int count = names == nullptr ? 0 : sk_GENERAL_NAME_num(names);
  int shown = 0;
  for (int i = 0; i < count; ++i) {
    const std::string name = general_name_text(sk_GENERAL_NAME_value(names, i));
    if (name.empty()) continue;
    if (shown++ == kNamesShown) {
      result += ", …";
      break;
    }
    if (!result.empty()) result += ", ";
    result += name;
  }
  GENERAL_NAMES_free(names);
  if (!result.empty()) return result;
  return "no name at all (subject " + name_text(X509_get_subject_name(certificate)) + ")";
}

std::string whose(int depth, X509* certificate) {
  if (depth == 0) return "the certificate";
  return "the issuing certificate " + name_text(X509_get_subject_name(certificate));
}

}  // namespace

std::string describe_certificate_problem(int error, int depth, X509* certificate,
                                         std::string_view wanted) {
  if (certificate == nullptr) return X509_verify_cert_error_string(error);
  switch (error) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return "the certificate is for " + alternative_names(certificate) + "; wanted " +
             std::string(wanted);
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return whose(depth, certificate) + " expired on " +
             time_text(X509_get0_notAfter(certificate));
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return whose(depth, certificate) + " is not valid before " +
             time_text(X509_get0_notBefore(certificate));
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
    case X509_V_ERR_CERT_UNTRUSTED:
      return "the certificate was signed by an unknown authority (issuer " +
             name_text(X509_get_issuer_name(certificate)) + ")";
    default:
      return whose(depth, certificate) + ": " + X509_verify_cert_error_string(error);
  }
}

std::string take_openssl_errors() {
  std::string result;
  while (const unsigned long code = ERR_get_error()) {
    if (!result.empty()) result += "; ";
    const char* reason = ERR_reason_error_string(code);
    if (reason != nullptr) {
      result += reason;
    } else {
      char text[160];
      ERR_error_string_n(code, text, sizeof text);
      result += text;
    }
  }
  return result;
}

}  // namespace ccm::net
