// Credentials that change: the new one is tried before the old one is dropped, and it is known when
// they expire.
#include "credentials_fixture.hpp"
#include "kube/client_metrics.hpp"

#include <ccm/base64.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ccm::kube {
namespace {

// A kubeconfig with that token, and what a server thinks of new ones.
class KubeconfigFileTest : public CredentialsTest {
 protected:
  void write(const std::string& token, const std::string& server = "https://127.0.0.1:1") {
    folder_.write("kubeconfig", R"({"clusters":[{"name":"c","cluster":{"server":")" + server +
                                    R"(","certificate-authority-data":")" +
                                    base64_encode(authority().certificate_pem) +
                                    R"("}}],"users":[{"name":"u","user":{"token":")" + token +
                                    R"("}}],"contexts":[{"name":"x","context":{"cluster":"c",)" +
                                    R"("user":"u"}}],"current-context":"x"})");
  }
  // A kubeconfig with files; `more`: further members of its user.
  void write_with_files(const std::string& more = {}) {
    folder_.write("kubeconfig",
                  R"({"clusters":[{"name":"c","cluster":{"server":"https://127.0.0.1:1",)"
                  R"("certificate-authority":"ca.crt"}}],"users":[{"name":"u","user":{)" +
                      more + R"("tokenFile":"token","client-certificate":"tls.crt",)" +
                      R"("client-key":"tls.key"}}],"contexts":[{"name":"x","context":{)" +
                      R"("cluster":"c","user":"u"}}],"current-context":"x"})");
  }
  void write_certificate(const test::Certificate& certificate) {
    folder_.write("tls.crt", certificate.certificate_pem);
    folder_.write("tls.key", certificate.key_pem);
  }
  void load() {
    auto config = load_kubeconfig(folder_.path() + "/kubeconfig");
    ASSERT_TRUE(config.ok()) << config.status().message();
    config_ = *std::move(config);
  }
  CredentialTrial trial() {
    return [this](net::TlsOptions, std::string authorization) { return answer(authorization); };
  }
  boost::asio::awaitable<Status> answer(std::string authorization) {
    tried_.push_back(std::move(authorization));
    co_return answer_;
  }

  std::vector<std::string> tried_;
  Status answer_;
};

TEST_F(KubeconfigFileTest, API_83_AnInlineTokenIsReadAgainAndTriedFirst) {
  write("one");
  load();
  timing_.retry = std::chrono::milliseconds(0);
  Credentials credentials(loop_.get_executor(), config_, timing_, trial());
  ASSERT_TRUE(refresh(credentials).ok());
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_TRUE(tried_.empty()) << "nothing has changed";

  answer_ = Status(Code::unauthenticated, ErrorClass::auth, "the API server refuses it (401)");
  write("two");
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(credentials.authorization(), "Bearer one");
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(tried_, (std::vector<std::string>{"Bearer two", "Bearer two"})) << "and again";

  answer_ = Status();
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(credentials.authorization(), "Bearer two");
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(tried_.size(), 3U);
}

TEST_F(KubeconfigFileTest, API_76_ARefusedTokenIsReplacedWithoutATrial) {
  write("one");
  load();
  Credentials credentials(loop_.get_executor(), config_, timing_, trial());
  ASSERT_TRUE(refresh(credentials).ok());
  write("two");
  EXPECT_TRUE(credentials.rejected("Bearer one", credentials.tls_generation()));
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(credentials.authorization(), "Bearer two");
  EXPECT_TRUE(tried_.empty()) << "the request itself is the trial";
}

TEST_F(KubeconfigFileTest, ABrokenFileAndAnotherServerLeaveTheOldOneInUse) {
  write("one");
  load();
  Credentials credentials(loop_.get_executor(), config_, timing_, trial());
  ASSERT_TRUE(refresh(credentials).ok());
  folder_.write("kubeconfig", "{");
  ASSERT_TRUE(refresh(credentials).ok());
  write("two", "https://127.0.0.1:2");
  ASSERT_TRUE(refresh(credentials).ok());
  std::filesystem::remove(folder_.path() + "/kubeconfig");
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(credentials.authorization(), "Bearer one");
  EXPECT_TRUE(tried_.empty());
  write("three");
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(credentials.authorization(), "Bearer three");
}

// Neither an edit that needs a restart nor one that is wrong stops the rotation of the files.
TEST_F(KubeconfigFileTest, API_79_82_83_OneUnusableSourceLeavesTheRotationOfTheOthers) {
  const test::Certificate first = client_certificate("first");
  const test::Certificate second = client_certificate("second");
  const test::Certificate other = test::make_authority("other");
  const std::vector<std::pair<const char*, std::function<void()>>> faults = {
      {"no kubeconfig", [&] { std::filesystem::remove(folder_.path() + "/kubeconfig"); }},
      {"half a kubeconfig", [&] { folder_.write("kubeconfig", "{"); }},
      {"other user", [&] { write_with_files(R"("as":"somebody",)"); }},
      {"empty authority", [&] { folder_.write("ca.crt", ""); }},
      {"broken authority", [&] { folder_.write("ca.crt", "no certificate"); }},
      {"broken certificate", [&] { folder_.write("tls.crt", "no certificate"); }},
      {"no token", [&] { std::filesystem::remove(folder_.path() + "/token"); }},
  };
  timing_.token_age = std::chrono::milliseconds(0);
  for (const auto& [name, fault] : faults) {
    SCOPED_TRACE(name);
    folder_.write("ca.crt", authority().certificate_pem);
    folder_.write("token", "one");
    write_certificate(first);
    write_with_files();
    load();
    Credentials credentials(loop_.get_executor(), config_, timing_, trial());
    ASSERT_TRUE(refresh(credentials).ok());
    folder_.write("ca.crt", other.certificate_pem);
    folder_.write("token", "two");
    write_certificate(second);
    fault();
    const std::string broken = name;
    ASSERT_TRUE(refresh(credentials).ok());
    EXPECT_EQ(credentials.authorization(), broken == "no token" ? "Bearer one" : "Bearer two");
    EXPECT_EQ(credentials.tls().certificate_pem,
              broken == "broken certificate" ? first.certificate_pem : second.certificate_pem);
    EXPECT_EQ(credentials.tls().ca_pem,
              broken.ends_with("authority") ? authority().certificate_pem : other.certificate_pem);
  }
}

// Else the rest of the new one, no credential, could be taken: a server may let nobody in so far.
TEST_F(KubeconfigFileTest, AnEditThatNamesABrokenFileCountsNotEvenInPart) {
  write("one");
  load();
  Credentials credentials(loop_.get_executor(), config_, timing_, trial());
  ASSERT_TRUE(refresh(credentials).ok());
  folder_.write("broken", "no certificate");
  folder_.write("kubeconfig", R"({"clusters":[{"name":"c","cluster":{)"
                              R"("server":"https://127.0.0.1:1"}}],"users":[{"name":"u","user":{)"
                              R"("client-certificate":"broken","client-key":"broken"}}],)"
                              R"("contexts":[{"name":"x","context":{"cluster":"c","user":"u"}}],)"
                              R"("current-context":"x"})");
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(credentials.authorization(), "Bearer one");
  EXPECT_EQ(credentials.tls().ca_pem, authority().certificate_pem);
}

TEST_F(KubeconfigFileTest, HOST_131_AClientOfAnAccountFollowsTheServersAuthority) {
  write("one");
  load();
  Credentials credentials(loop_.get_executor(), config_.anonymous(), timing_, trial());
  ASSERT_TRUE(refresh(credentials).ok());
  write("two");
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(credentials.authorization(), "");
  EXPECT_EQ(credentials.tls().ca_pem, authority().certificate_pem);
}

TEST_F(CredentialsTest, API_79_83_ATokenFileAndACertificateAreTriedFirst) {
  const test::Certificate first = client_certificate("one");
  const test::Certificate second = client_certificate("two");
  config_.token_file = folder_.write("token", "one");
  config_.client_certificate_file = folder_.write("tls.crt", first.certificate_pem);
  config_.client_key_file = folder_.write("tls.key", first.key_pem);
  timing_.token_age = std::chrono::milliseconds(0);
  timing_.retry = std::chrono::milliseconds(0);
  Status answer(Code::unavailable, ErrorClass::unavailable, "no answer");
  const auto give = [&answer]() -> boost::asio::awaitable<Status> { co_return answer; };
  Credentials credentials(loop_.get_executor(), config_, timing_,
                          [&](const net::TlsOptions&, const std::string&) { return give(); });
  ASSERT_TRUE(refresh(credentials).ok());
  folder_.write("token", "two");
  folder_.write("tls.crt", second.certificate_pem);
  folder_.write("tls.key", second.key_pem);
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(credentials.authorization(), "Bearer one");
  EXPECT_EQ(credentials.tls().certificate_pem, first.certificate_pem);
  answer = Status();
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(credentials.authorization(), "Bearer two");
  EXPECT_EQ(credentials.tls().certificate_pem, second.certificate_pem);
}

TEST_F(CredentialsTest, API_77_AnOptionalCaThatWasThereIsKept) {
  config_.ca_data.clear();
  config_.ca_file = folder_.write("ca.crt", authority().certificate_pem);
  config_.ca_file_optional = true;
  config_.token_file = folder_.write("token", "one");
  Credentials credentials(loop_.get_executor(), config_, timing_);
  ASSERT_TRUE(refresh(credentials).ok());
  std::filesystem::remove(config_.ca_file);
  folder_.write("token", "two");
  EXPECT_TRUE(credentials.rejected("Bearer one", credentials.tls_generation()));
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(credentials.authorization(), "Bearer two");
  EXPECT_EQ(credentials.tls().ca_pem, authority().certificate_pem);
}

TEST_F(CredentialsTest, TheirExpiryIsKnown) {
  // {"alg":"none"} and {"exp":4102444800}
  config_.token = "eyJhbGciOiJub25lIn0.eyJleHAiOjQxMDI0NDQ4MDB9.x";
  const test::Certificate certificate = client_certificate("one");
  config_.client_certificate_data = certificate.certificate_pem;
  config_.client_key_data = certificate.key_pem;
  const auto kinds = [this] {
    std::vector<std::string> kinds;
    for (const auto& entry : CredentialExpiry::of_process().all()) {
      if (entry.credential == config_.source) kinds.push_back(entry.kind);
    }
    return kinds;
  };
  {
    Credentials credentials(loop_.get_executor(), config_, timing_);
    ASSERT_TRUE(refresh(credentials).ok());
    EXPECT_EQ(kinds(),
              (std::vector<std::string>{"certificate-authority", "client-certificate", "token"}));
    for (const auto& entry : CredentialExpiry::of_process().all()) {
      EXPECT_GT(entry.expires, std::chrono::system_clock::now()) << entry.kind;
    }
  }
  EXPECT_TRUE(kinds().empty());
}

TEST(CredentialExpiry, OfTokens) {
  const auto seconds = [](std::string_view token) -> int64_t {
    const auto expiry = token_expiry(token);
    return expiry ? std::chrono::system_clock::to_time_t(*expiry) : 0;
  };
  EXPECT_EQ(seconds("eyJhbGciOiJub25lIn0.eyJleHAiOjQxMDI0NDQ4MDB9.x"), 4'102'444'800);
  for (const char* other :
       {"", "opaque", "a.b.c", "a..c", "eyJhbGciOiJub25lIn0.e30.x",
        // {"exp":-1}, {"exp":"soon"}, {"exp":99999999999999}
        "x.eyJleHAiOi0xfQ.x", "x.eyJleHAiOiJzb29uIn0.x", "x.eyJleHAiOjk5OTk5OTk5OTk5OTk5fQ.x"}) {
    EXPECT_EQ(seconds(other), 0) << other;
  }
}

TEST_F(CredentialsTest, MET_31_32_33_ExecPluginsAreCounted) {
  const auto before = ExecPluginCounts::of_process().report();
  const auto calls = [&before](int code, const char* status) {
    const std::pair<int, std::string> call(code, status);
    const auto now = ExecPluginCounts::of_process().report().calls;
    const auto count = [&call](const auto& all) {
      const auto found = all.find(call);
      return found == all.end() ? 0 : found->second;
    };
    return count(now) - count(before.calls);
  };
  use_exec("exit 3\n");
  Credentials failing(loop_.get_executor(), config_, timing_);
  EXPECT_FALSE(refresh(failing).ok());
  EXPECT_EQ(calls(3, "plugin_execution_error"), 1U);
  config_.exec->command = folder_.path() + "/none";
  Credentials absent(loop_.get_executor(), config_, timing_);
  EXPECT_FALSE(refresh(absent).ok());
  EXPECT_EQ(calls(1, "plugin_not_found_error"), 1U);

  const auto use_certificate = [this](const std::string& name) {
    const test::Certificate made = client_certificate(name);
    use_exec(credential(R"({"clientCertificateData":")" + escaped(made.certificate_pem) +
                        R"(","clientKeyData":")" + escaped(made.key_pem) + "\"}"));
  };
  use_certificate("one");
  {
    Credentials credentials(loop_.get_executor(), config_, timing_);
    ASSERT_TRUE(refresh(credentials).ok());
    EXPECT_EQ(calls(0, "no_error"), 1U);
    const auto first = ExecPluginCounts::of_process().report();
    ASSERT_TRUE(first.first_expiry);
    EXPECT_GT(*first.first_expiry, std::chrono::system_clock::now());
    use_certificate("two");
    EXPECT_TRUE(credentials.rejected("", credentials.tls_generation()));
    ASSERT_TRUE(refresh(credentials).ok());
    const auto second = ExecPluginCounts::of_process().report();
    EXPECT_GT(second.age_sum + 1, first.age_sum);
    uint64_t rotations = 0;
    for (std::size_t i = 0; i < second.ages.size(); ++i)
      rotations += second.ages[i] - first.ages[i];
    EXPECT_EQ(rotations, 1U);
  }
  EXPECT_FALSE(ExecPluginCounts::of_process().report().first_expiry);
}

}  // namespace
}  // namespace ccm::kube
