#include "app/flags/options_tls.hpp"

#include <gtest/gtest.h>

namespace ccm::app {
namespace {

using Strings = std::vector<std::string>;

TEST(TlsFlags, HOST_56_DefaultsToTls12AndTheLibrarysChoice) {
  Strings errors;
  const TlsParameters parameters = tls_parameters({}, "", errors);
  EXPECT_TRUE(errors.empty());
  EXPECT_EQ(parameters.min_version, 0x0303);
  EXPECT_TRUE(parameters.cipher_list.empty());
  EXPECT_TRUE(parameters.ciphersuites.empty());
  EXPECT_TRUE(parameters.groups.empty());
}

TEST(TlsFlags, HOST_55_GoNamesBecomeOpenSsls) {
  TlsFlags options;
  options.cipher_suites = {"TLS_AES_128_GCM_SHA256", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
                           "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305"};
  options.min_version = "VersionTLS13";
  options.curve_preferences = {29, 23, 4588};
  Strings errors;
  const TlsParameters parameters = tls_parameters(options, "", errors);
  EXPECT_TRUE(errors.empty());
  EXPECT_EQ(parameters.ciphersuites, "TLS_AES_128_GCM_SHA256");
  EXPECT_EQ(parameters.cipher_list, "ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-CHACHA20-POLY1305");
  EXPECT_EQ(parameters.min_version, 0x0304);
  EXPECT_EQ(parameters.groups, Strings({"X25519", "P-256"}));
}

TEST(TlsFlags, HOST_55_SuitesOfTls13AloneLeaveNothingOfTls12) {
  TlsFlags options;
  options.cipher_suites = {"TLS_AES_128_GCM_SHA256"};
  options.min_version = "VersionTLS10";
  Strings errors;
  const TlsParameters parameters = tls_parameters(options, "", errors);
  EXPECT_TRUE(errors.empty());
  EXPECT_EQ(parameters.min_version, 0x0304);
  options.cipher_suites.emplace_back("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256");
  EXPECT_EQ(tls_parameters(options, "", errors).min_version, 0x0301);
}

TEST(TlsFlags, HOST_55_UnknownNamesAreFaults) {
  TlsFlags options;
  options.cipher_suites = {"TLS_AES_128_GCM_SHA265", "TLS_RSA_WITH_RC4_128_SHA"};
  options.min_version = "TLS1.2";
  options.curve_preferences = {99};
  Strings errors;
  tls_parameters(options, "webhook-", errors);
  ASSERT_EQ(errors.size(), 4U);
  EXPECT_EQ(errors[0],
            "--webhook-tls-cipher-suites: there is no cipher suite \"TLS_AES_128_GCM_SHA265\" "
            "(did you mean TLS_AES_128_GCM_SHA256?)");
  EXPECT_NE(errors[1].find("OpenSSL 3 has dropped it"), std::string::npos);
  EXPECT_NE(errors[2].find("no group 99"), std::string::npos);
  EXPECT_NE(errors[3].find("--webhook-tls-min-version: \"TLS1.2\""), std::string::npos);
}

}  // namespace
}  // namespace ccm::app
