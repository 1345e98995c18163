#include "net/proxy.hpp"

#include <gtest/gtest.h>

#include <map>

namespace ccm::net {
namespace {

TEST(NoProxy, API_100_MatchesNamesSuffixesAddressesAndCidrs) {
  const NoProxy rules(
      "example.com, "
      ".svc,*.wild.org,10.0.0.0/8,192.168.1.7,fd00::/16,one.org:8443");
  EXPECT_TRUE(rules.matches("example.com", 443));
  EXPECT_TRUE(rules.matches("a.b.example.com", 443));
  EXPECT_FALSE(rules.matches("notexample.com", 443));
  EXPECT_TRUE(rules.matches("kubernetes.default.svc", 443));
  EXPECT_FALSE(rules.matches("svc", 443));
  EXPECT_TRUE(rules.matches("x.wild.org", 443));
  EXPECT_FALSE(rules.matches("wild.org", 443));
  EXPECT_TRUE(rules.matches("10.96.0.1", 443));
  EXPECT_FALSE(rules.matches("11.0.0.1", 443));
  EXPECT_TRUE(rules.matches("::ffff:10.96.0.1", 443));
  EXPECT_TRUE(rules.matches("192.168.1.7", 1));
  EXPECT_FALSE(rules.matches("192.168.1.8", 1));
  EXPECT_TRUE(rules.matches("fd00::1", 443));
  EXPECT_FALSE(rules.matches("fd01::1", 443));
  EXPECT_TRUE(rules.matches("one.org", 8443));
  EXPECT_FALSE(rules.matches("one.org", 443));
}

TEST(NoProxy, TakesOddPrefixLengthsAndBrackets) {
  EXPECT_TRUE(NoProxy("172.16.0.0/12").matches("172.31.255.255", 1));
  EXPECT_FALSE(NoProxy("172.16.0.0/12").matches("172.32.0.0", 1));
  EXPECT_TRUE(NoProxy("0.0.0.0/0").matches("9.9.9.9", 1));
  EXPECT_FALSE(NoProxy("0.0.0.0/0").matches("::2", 1));
  EXPECT_TRUE(NoProxy("[::2]:443").matches("::2", 443));
  EXPECT_FALSE(NoProxy("[::2]:443").matches("::2", 444));
  EXPECT_TRUE(NoProxy("::2").matches("::2", 7));
  EXPECT_TRUE(NoProxy("1.2.3.4:80").matches("1.2.3.4", 80));
  EXPECT_FALSE(NoProxy("1.2.3.4:80").matches("1.2.3.4", 81));
  EXPECT_TRUE(NoProxy("EXAMPLE.com").matches("example.com.", 443));
  EXPECT_TRUE(NoProxy("example.com.").matches("example.com", 443));
  EXPECT_TRUE(NoProxy(".example.com.").matches("a.example.com.", 443));
}

TEST(NoProxy, StarMeansAllAndNonsenseMeansNothing) {
  EXPECT_TRUE(NoProxy("*").matches("anything", 1));
  const NoProxy nonsense(",, ,10.0.0.0/33,x/8,host:notaport,.,[,[]:1,:1");
  EXPECT_FALSE(nonsense.matches("10.0.0.1", 1));
  EXPECT_FALSE(nonsense.matches("host", 1));
}

class Environment {
 public:
  using Values = std::map<std::string, std::string>;
  explicit Environment(Values values) : values_(std::move(values)) {}
  const char* operator()(const char* name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : found->second.c_str();
  }

 private:
  std::map<std::string, std::string> values_;
};

std::string proxy_of(const ProxySettings& settings, const char* target) {
  const auto proxy = settings.proxy_for(*parse_url(target));
  return proxy ? proxy->origin() : "";
}

TEST(ProxySettings, API_100_ReadsTheEnvironment) {
  const Environment environment(
      {{"HTTP_PROXY", "http://plain:1"}, {"https_proxy", "secure:2"}, {"NO_PROXY", "10.0.0.0/8"}});
  const Result<ProxySettings> settings = ProxySettings::make("", true, environment);
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(proxy_of(*settings, "http://a/"), "http://plain:1");
  EXPECT_EQ(proxy_of(*settings, "https://a/"), "http://secure:2");
  EXPECT_EQ(proxy_of(*settings, "https://10.1.2.3/"), "");
  EXPECT_EQ(proxy_of(*settings, "https://localhost:6443/"), "");
  EXPECT_EQ(proxy_of(*settings, "https://127.0.0.1:6443/"), "");
  EXPECT_EQ(proxy_of(*settings, "https://[::1]:6443/"), "");
}

TEST(ProxySettings, IgnoresTheEnvironmentUnlessAsked) {
  const Environment environment(Environment::Values{{"HTTPS_PROXY", "http://p:1"}});
  EXPECT_EQ(proxy_of(*ProxySettings::make("", false, environment), "https://a/"), "");
}

TEST(ProxySettings, AnExplicitUrlHasNoExceptions) {
  const Environment environment(
      Environment::Values{{"NO_PROXY", "*"}, {"HTTPS_PROXY", "http://other:1"}});
  const auto settings = ProxySettings::make("socks5://p:9", true, environment);
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(proxy_of(*settings, "https://127.0.0.1/"), "socks5://p:9");
}

TEST(ProxySettings, DistrustsHttpProxyInACgiProcess) {
  const Environment environment(
      Environment::Values{{"HTTP_PROXY", "http://p:1"}, {"REQUEST_METHOD", "GET"}});
  EXPECT_EQ(proxy_of(*ProxySettings::make("", true, environment), "http://a/"), "");
}

TEST(ProxySettings, NamesTheVariableOfABadUrl) {
  const Environment environment(Environment::Values{{"HTTPS_PROXY", "ftp://user:secret@p"}});
  const auto settings = ProxySettings::make("", true, environment);
  ASSERT_FALSE(settings.ok());
  EXPECT_NE(settings.status().message().find("HTTPS_PROXY"), std::string::npos);
  EXPECT_EQ(settings.status().message().find("secret"), std::string::npos);
}

TEST(ProxySettings, EncodesCredentials) {
  EXPECT_EQ(basic_authorization(*parse_url("http://Aladdin:open%20sesame@p")),
            "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  EXPECT_EQ(basic_authorization(*parse_url("http://p")), "");
}

}  // namespace
}  // namespace ccm::net
