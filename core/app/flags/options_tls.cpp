#include "app/flags/options_tls.hpp"

#include <ccm/nearest.hpp>

#include <algorithm>
#include <array>

namespace ccm::app {
namespace {

struct CipherSuite {
  std::string_view name;     // IANA's, which Go uses
  std::string_view openssl;  // empty: OpenSSL 3 has dropped it
  bool tls13 = false;
};

constexpr std::array kCipherSuites = std::to_array<CipherSuite>({
    {"TLS_AES_128_GCM_SHA256", "TLS_AES_128_GCM_SHA256", true},
    {"TLS_AES_256_GCM_SHA384", "TLS_AES_256_GCM_SHA384", true},
    {"TLS_CHACHA20_POLY1305_SHA256", "TLS_CHACHA20_POLY1305_SHA256", true},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "ECDHE-ECDSA-AES128-SHA"},
    {"TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", "ECDHE-ECDSA-AES256-SHA"},
    {"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "ECDHE-RSA-AES128-SHA"},
    {"TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", "ECDHE-RSA-AES256-SHA"},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"},
    {"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384"},
    {"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256"},
    {"TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA-AES256-GCM-SHA384"},
    {"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305"},
    {"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305", "ECDHE-RSA-CHACHA20-POLY1305"},
    {"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"},
    {"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305", "ECDHE-ECDSA-CHACHA20-POLY1305"},
    {"TLS_RSA_WITH_AES_128_CBC_SHA", "AES128-SHA"},
    {"TLS_RSA_WITH_AES_256_CBC_SHA", "AES256-SHA"},
    {"TLS_RSA_WITH_AES_128_CBC_SHA256", "AES128-SHA256"},
    {"TLS_RSA_WITH_AES_128_GCM_SHA256", "AES128-GCM-SHA256"},
    {"TLS_RSA_WITH_AES_256_GCM_SHA384", "AES256-GCM-SHA384"},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256", "ECDHE-ECDSA-AES128-SHA256"},
    {"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", "ECDHE-RSA-AES128-SHA256"},
    {"TLS_RSA_WITH_RC4_128_SHA", ""},
    {"TLS_RSA_WITH_3DES_EDE_CBC_SHA", ""},
    {"TLS_ECDHE_ECDSA_WITH_RC4_128_SHA", ""},
    {"TLS_ECDHE_RSA_WITH_RC4_128_SHA", ""},
    {"TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA", ""},
});

struct Group {
  int32_t number;
  std::string_view openssl;  // empty: OpenSSL 3.0 does not have it
};

constexpr std::array kGroups = std::to_array<Group>({
    {23, "P-256"},
    {24, "P-384"},
    {25, "P-521"},
    {29, "X25519"},
    {4587, ""},  // SecP256r1MLKEM768
    {4588, ""},  // X25519MLKEM768
    {4589, ""},  // SecP384r1MLKEM1024
});

void append(std::string& list, std::string_view item) {
  if (!list.empty()) list += ':';
  list += item;
}

void read_cipher_suites(const TlsFlags& options, const std::string& flag, TlsParameters& parameters,
                        std::vector<std::string>& errors) {
  for (const std::string& name : options.cipher_suites) {
    const auto* const found = std::ranges::find(kCipherSuites, name, &CipherSuite::name);
    if (found == kCipherSuites.end()) {
      std::vector<std::string> names;
      for (const CipherSuite& suite : kCipherSuites) names.emplace_back(suite.name);
      errors.push_back(flag + ": there is no cipher suite \"" + name + "\"" +
                       did_you_mean(name, names));
    } else if (found->openssl.empty()) {
      errors.push_back(flag + ": " + name + " is broken, and OpenSSL 3 has dropped it");
    } else {
      append(found->tls13 ? parameters.ciphersuites : parameters.cipher_list, found->openssl);
    }
  }
}

void read_groups(const TlsFlags& options, const std::string& flag, TlsParameters& parameters,
                 std::vector<std::string>& errors) {
  for (const int32_t number : options.curve_preferences) {
    const auto* const found = std::ranges::find(kGroups, number, &Group::number);
    if (found == kGroups.end()) {
      errors.push_back(flag + ": there is no group " + std::to_string(number) +
                       "; known are 23 (P-256), 24 (P-384), 25 (P-521), 29 (X25519)");
    } else if (!found->openssl.empty()) {
      parameters.groups.emplace_back(found->openssl);
    }
  }
  if (!options.curve_preferences.empty() && parameters.groups.empty() && errors.empty()) {
    errors.push_back(flag + ": OpenSSL 3.0 has none of these groups; add 29 (X25519)");
  }
}

}  // namespace

TlsParameters tls_parameters(const TlsFlags& options, std::string_view prefix,
                             std::vector<std::string>& errors) {
  const std::string flags = "--" + std::string(prefix) + "tls-";
  TlsParameters parameters;
  read_cipher_suites(options, flags + "cipher-suites", parameters, errors);
  read_groups(options, flags + "curve-preferences", parameters, errors);
  constexpr std::array<std::string_view, 4> kVersions{"VersionTLS10", "VersionTLS11",
                                                      "VersionTLS12", "VersionTLS13"};
  const auto* const version = std::ranges::find(kVersions, options.min_version);
  if (version != kVersions.end()) {
    parameters.min_version = 0x0301 + static_cast<int>(version - kVersions.begin());
  } else if (!options.min_version.empty()) {
    errors.push_back(flags + "min-version: \"" + options.min_version +
                     "\" is not one of VersionTLS10, VersionTLS11, VersionTLS12, VersionTLS13");
  }
  // As Go: cipher suites of TLS 1.3 alone mean no TLS 1.2, instead of the library's choice of
  // suites.
  const bool only_tls13 = !parameters.ciphersuites.empty() && parameters.cipher_list.empty();
  if (only_tls13) parameters.min_version = 0x0304;
  return parameters;
}

}  // namespace ccm::app
