// The certificate that the server shows, and when it changes.
#include "server_fixture.hpp"
#include "test_certificates.hpp"

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <mutex>

namespace ccm::serving {
namespace {

using test::Certificate;
using test::TlsClient;
using test::TlsClientOptions;

class CertificateTest : public ServerTest {
 protected:
  CertificateTest() {
    char name[] = "/tmp/ccm-serving-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~CertificateTest() override {
    stop();
    std::filesystem::remove_all(folder_);
  }
  // Replaces by rename, as Secret volumes do.
  void write(const std::string& name, const std::string& text) {
    std::ofstream(path(name + ".new")) << text;
    std::filesystem::rename(path(name + ".new"), path(name));
  }
  void write_pair(const Certificate& pair) {
    write("tls.crt", pair.certificate_pem);
    write("tls.key", pair.key_pem);
  }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void use_files() {
    options_.certificate_file = path("tls.crt");
    options_.private_key_file = path("tls.key");
  }
  std::string shown(const std::string& server_name = "") {
    TlsClientOptions client;
    client.server_name = server_name;
    return TlsClient(port(), client).peer_pem();
  }
  Certificate fresh(std::vector<std::string> names = {"127.0.0.1"}) {
    test::CertificateRequest request;
    request.names = std::move(names);
    return test::issue(authority_, request);
  }
  Certificate expired() {
    test::CertificateRequest request;
    request.names = {"127.0.0.1"};
    request.not_before = std::chrono::hours(-48);
    request.not_after = std::chrono::hours(-24);
    return test::issue(authority_, request);
  }
  // From now on what is logged can be looked for.
  void keep_log() {
    log::redirect([this](std::string_view line) {
      const std::lock_guard lock(mutex_);
      log_ += line;
    });
  }
  bool logged(const std::string& text) {
    const std::lock_guard lock(mutex_);
    return log_.find(text) != std::string::npos;
  }
  std::string text_of_file(const std::string& name) {
    std::ifstream in(path(name));
    return std::string(std::istreambuf_iterator<char>(in), {});
  }

  std::string folder_;
  std::mutex mutex_;
  std::string log_;
  Certificate authority_ = test::make_authority("serving test");
};

struct X509Free {
  void operator()(X509* p) const { X509_free(p); }
};
std::unique_ptr<X509, X509Free> parse(const std::string& pem) {
  BIO* in = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  std::unique_ptr<X509, X509Free> certificate(PEM_read_bio_X509(in, nullptr, nullptr, nullptr));
  BIO_free(in);
  return certificate;
}

TEST_F(CertificateTest, HOST_106_TheSelfSignedOneIsForLocalhostAndAYear) {
  ASSERT_TRUE(start().ok());
  const auto certificate = parse(shown());
  ASSERT_NE(certificate, nullptr);
  EXPECT_EQ(X509_check_host(certificate.get(), "localhost", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "127.0.0.1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "10.0.0.1", 0), 0);
  std::time_t end = std::time(nullptr) + 364 * 24 * 3600;
  EXPECT_GT(X509_cmp_time(X509_get0_notAfter(certificate.get()), &end), 0);
  end += 2 * 24 * 3600;
  EXPECT_LT(X509_cmp_time(X509_get0_notAfter(certificate.get()), &end), 0);
}

TEST_F(CertificateTest, HOST_106_ASpecificBindAddressIsNamedToo) {
  options_.bind_address = "127.0.0.2";
  options_.certificate_directory = folder_;
  ASSERT_TRUE(start().ok());
  const auto certificate = parse(text_of_file("cloud-controller-manager.crt"));
  ASSERT_NE(certificate, nullptr);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "127.0.0.2", 0), 1);
}

TEST_F(CertificateTest, HOST_53_TheFolderGetsAPairThatTheNextStartUses) {
  options_.certificate_directory = path("made/here");
  ASSERT_TRUE(start().ok());
  const std::string first = shown();
  EXPECT_EQ(first, text_of_file("made/here/cloud-controller-manager.crt"));
  struct stat info {};
  ASSERT_EQ(::stat(path("made/here/cloud-controller-manager.key").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0600u);
  stop();
  loop_.restart();
  ASSERT_TRUE(start().ok());
  EXPECT_EQ(shown(), first);
}

TEST_F(CertificateTest, HOST_53_HalfAPairInTheFolderIsAnError) {
  options_.certificate_directory = folder_;
  write("cloud-controller-manager.crt", fresh().certificate_pem);
  const Status status = start();
  EXPECT_EQ(status.code(), Code::invalid_argument);
  EXPECT_NE(status.message().find("cloud-controller-manager.crt"), std::string::npos);
}

TEST_F(CertificateTest, HOST_54_FilesAreReReadWhenTheyChange) {
  const Certificate first = fresh();
  const Certificate second = fresh();
  write_pair(first);
  use_files();
  ASSERT_TRUE(start().ok());
  TlsClient early(port());
  EXPECT_EQ(early.peer_pem(), first.certificate_pem);
  write_pair(second);
  EXPECT_EQ(shown(), second.certificate_pem);
  EXPECT_EQ(body(early.ask(get("/healthz"))), "ok") << "an old connection goes on";
}

// As upstream: whether to believe it is the client's decision.
TEST_F(CertificateTest, AnExpiredPairIsServedAsItIsAndNamedInTheLog) {
  const Certificate old = expired();
  const Certificate good = fresh();
  const std::string warning = "The serving certificate has expired";
  keep_log();
  write_pair(good);
  use_files();
  ASSERT_TRUE(start().ok());
  EXPECT_EQ(shown(), good.certificate_pem);
  EXPECT_FALSE(logged(warning));
  write_pair(old);
  TlsClient early(port());
  EXPECT_EQ(early.peer_pem(), old.certificate_pem);
  EXPECT_EQ(body(early.ask(get("/healthz"))), "ok");
  EXPECT_TRUE(logged(warning));
  EXPECT_TRUE(logged(path("tls.crt")));

  const Certificate next = fresh();
  write_pair(next);
  EXPECT_EQ(shown(), next.certificate_pem);
  EXPECT_EQ(body(early.ask(get("/healthz"))), "ok") << "an old connection goes on";

  stop();
  loop_.restart();
  write_pair(old);
  ASSERT_TRUE(start().ok());
  EXPECT_EQ(shown(), old.certificate_pem);
}

TEST_F(CertificateTest, HOST_54_AHalfChangedPairWaits) {
  const Certificate first = fresh();
  const Certificate second = fresh();
  write_pair(first);
  use_files();
  ASSERT_TRUE(start().ok());
  write("tls.crt", second.certificate_pem);
  EXPECT_EQ(shown(), first.certificate_pem);
  std::filesystem::remove(path("tls.crt"));
  EXPECT_EQ(shown(), first.certificate_pem);
  write_pair(second);
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (shown() != second.certificate_pem && std::chrono::steady_clock::now() < limit) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(shown(), second.certificate_pem);
}

TEST_F(CertificateTest, HOST_54_BadFilesFailTheStartWithTheirName) {
  use_files();
  Status status = start();
  EXPECT_EQ(status.code(), Code::invalid_argument);
  EXPECT_NE(status.message().find(path("tls.crt")), std::string::npos) << status.message();

  const Certificate pair = fresh();
  write_pair({"no pem", pair.key_pem});
  EXPECT_NE(start().message().find("BEGIN CERTIFICATE"), std::string::npos);
  write_pair({pair.certificate_pem, fresh().key_pem});
  status = start();
  EXPECT_NE(status.message().find("does not belong"), std::string::npos) << status.message();
  write_pair({std::string(2u << 20, 'x'), pair.key_pem});
  EXPECT_NE(start().message().find("1 MiB"), std::string::npos);
  std::filesystem::remove(path("tls.crt"));
  std::filesystem::create_directory(path("tls.crt"));
  EXPECT_EQ(start().code(), Code::invalid_argument);
}

TEST_F(CertificateTest, OneFileOfThePairIsAnError) {
  options_.certificate_file = path("tls.crt");
  EXPECT_NE(start().message().find("--tls-private-key-file"), std::string::npos);
}

TEST_F(CertificateTest, HOST_58_SniChoosesTheCertificate) {
  const Certificate plain = fresh();
  const Certificate named = fresh({"a.example", "*.wild.example"});
  const Certificate by_pattern = fresh({"unused.example"});
  write_pair(plain);
  use_files();
  write("a.crt", named.certificate_pem);
  write("a.key", named.key_pem);
  write("b.crt", by_pattern.certificate_pem);
  write("b.key", by_pattern.key_pem);
  options_.sni_certificates = {{path("a.crt"), path("a.key"), {}},
                               {path("b.crt"), path("b.key"), {"B.example", "*.b.example"}}};
  ASSERT_TRUE(start().ok());
  EXPECT_EQ(shown(), plain.certificate_pem);
  EXPECT_EQ(shown("other.example"), plain.certificate_pem);
  EXPECT_EQ(shown("A.example"), named.certificate_pem);
  EXPECT_EQ(shown("x.wild.example"), named.certificate_pem);
  EXPECT_EQ(shown("x.y.wild.example"), plain.certificate_pem);
  EXPECT_EQ(shown("b.example"), by_pattern.certificate_pem);
  EXPECT_EQ(shown("x.b.example"), by_pattern.certificate_pem);
  EXPECT_EQ(shown("unused.example"), plain.certificate_pem);
}

}  // namespace
}  // namespace ccm::serving
