#include "net/url.hpp"

#include <gtest/gtest.h>

namespace ccm::net {
namespace {

TEST(Url, SplitsAnAbsoluteUrl) {
  const Result<Url> url = parse_url("HTTPS://Api.Example.com:6443/api/v1?watch=1#part");
  ASSERT_TRUE(url.ok()) << url.status().message();
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->host, "api.example.com");
  EXPECT_EQ(url->port, 6443);
  EXPECT_EQ(url->target, "/api/v1?watch=1");
  EXPECT_EQ(url->origin(), "https://api.example.com:6443");
}

TEST(Url, KnowsWhatIsThisMachine) {
  for (const char* host :
       {"localhost", "localhost.", "127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(is_loopback(host)) << host;
  }
  for (const char* host : {"", "128.0.0.1", "localhost.example", "127.0.0.1.example", "::2",
                           "::ffff:10.0.0.1", "0.0.0.0", "::"}) {
    EXPECT_FALSE(is_loopback(host)) << host;
  }
}

TEST(Url, KnowsWhatNoRouterForwards) {
  for (const char* host : {"169.254.169.254", "169.254.0.1", "fe80::1%eth0", "febf::1",
                           "fd00:ec2::254", "fd00:ec2::23"}) {
    EXPECT_TRUE(is_link_local(host)) << host;
  }
  for (const char* host : {"", "169.253.0.1", "169.255.0.1", "fec0::1", "fd00:ec3::254", "fd00::1",
                           "169.254.169.254.example", "localhost", "::ffff:169.254.169.254"}) {
    EXPECT_FALSE(is_link_local(host)) << host;
  }
}

TEST(Url, FillsInPortAndPath) {
  EXPECT_EQ(parse_url("https://a")->port, 443);
  EXPECT_EQ(parse_url("http://a")->port, 80);
  EXPECT_EQ(parse_url("socks5://a")->port, 1080);
  EXPECT_EQ(parse_url("http://a")->target, "/");
  EXPECT_EQ(parse_url("http://a?b=c")->target, "/?b=c");
  EXPECT_EQ(parse_url("http://a:80")->host_header(), "a");
  EXPECT_EQ(parse_url("http://a:81")->host_header(), "a:81");
}

TEST(Url, TakesIpv6LiteralsInBrackets) {
  const Result<Url> url = parse_url("https://[FD00::1]:6443/x");
  ASSERT_TRUE(url.ok()) << url.status().message();
  EXPECT_EQ(url->host, "fd00::1");
  EXPECT_EQ(url->port, 6443);
  EXPECT_EQ(url->authority(), "[fd00::1]:6443");
  EXPECT_EQ(parse_url("https://[::1]")->host_header(), "[::1]");
  EXPECT_TRUE(parse_url("http://[fe80::1%eth0]/").ok());
}

TEST(Url, DecodesTheUserPart) {
  const Result<Url> url = parse_url("http://us%40er:p%3Ass@proxy:3128");
  ASSERT_TRUE(url.ok());
  EXPECT_TRUE(url->has_user);
  EXPECT_EQ(url->user, "us@er");
  EXPECT_EQ(url->password, "p:ss");
  EXPECT_EQ(url->host, "proxy");
}

TEST(Url, RefusesWhatIsNone) {
  for (const char* text : {"",
                           "a",
                           "/a",
                           "://a",
                           "https://",
                           "https:///x",
                           "ftp://a",
                           "https://a:0",
                           "https://a:65536",
                           "https://a:b",
                           "https://a b/",
                           "https://a/\r\nX: y",
                           "https://[::1",
                           "https://[1.2.3.4]",
                           "https://[::1]x",
                           "https://::1/",
                           "https://[zz]/",
                           "https://a\x01/",
                           "https://u%zz@a/",
                           "https://\xc3\xa4/",
                           "https://a/%20\x7f",
                           "https://exa$mple/"}) {
    const Result<Url> url = parse_url(text);
    EXPECT_FALSE(url.ok()) << text;
    EXPECT_EQ(url.status().code(), Code::invalid_argument) << text;
  }
}

TEST(Url, ShowsNoSecretInMessages) {
  EXPECT_EQ(redact_url("https://user:secret@host/path?token=secret"), "https://host/path");
  EXPECT_EQ(redact_url("https://host/a@b"), "https://host/a@b");
  EXPECT_EQ(redact_url("user:secret@host"), "host");
  EXPECT_EQ(redact_url("nonsense?secret"), "nonsense");
  const Result<Url> url = parse_url("ftp://user:secret@host/?secret");
  EXPECT_EQ(url.status().message().find("secret"), std::string::npos) << url.status().message();
}

TEST(Url, ShowsNoPartOfAPasswordThatBreaksTheUrl) {
  for (const char* text : {"http://bob:secret/word@proxy:3128", "http://bob:secret?word@proxy",
                           "http://bob:secret#word@proxy", "bob:secret/word@proxy",
                           "bob:secret?word@proxy/a://b", "ftp://bob:12/secret-word@proxy"}) {
    const Result<Url> url = parse_url(text);
    ASSERT_FALSE(url.ok()) << text;
    for (const std::string& shown : {url.status().message(), redact_url(text)}) {
      EXPECT_EQ(shown.find("secret"), std::string::npos) << shown;
      EXPECT_EQ(shown.find("word"), std::string::npos) << shown;
    }
  }
  EXPECT_EQ(redact_url("https://host name/path?token=x"), "https://host name/path");
}

TEST(Url, KnowsAddresses) {
  EXPECT_TRUE(is_ip_literal("10.0.0.1"));
  EXPECT_TRUE(is_ip_literal("::1"));
  EXPECT_TRUE(is_ip_literal("fe80::1%eth0"));
  EXPECT_FALSE(is_ip_literal("10.0.0"));
  EXPECT_FALSE(is_ip_literal("host"));
  EXPECT_FALSE(is_ip_literal("10.0.0.1.example.com"));
}

}  // namespace
}  // namespace ccm::net
