// The server as its clients see it: HTTP over TLS, limits, malformed input.
#include "net/http_client.hpp"
#include "server_fixture.hpp"

#include <openssl/ssl.h>

namespace ccm::serving {
namespace {

using std::chrono::milliseconds;
using test::TlsClient;
using test::TlsClientOptions;

TEST_F(ServerTest, HOST_94_AnswersHealthz) {
  ASSERT_TRUE(start().ok());
  TlsClient client(port());
  ASSERT_TRUE(client.connected());
  const std::string answer = client.ask(get("/healthz"));
  EXPECT_EQ(status_line(answer), "HTTP/1.1 200 OK");
  EXPECT_EQ(body(answer), "ok");
  EXPECT_NE(answer.find("\r\nCache-Control: no-cache, private\r\n"), std::string::npos);
  EXPECT_NE(answer.find("\r\nContent-Type: text/plain; charset=utf-8\r\n"), std::string::npos);
}

TEST_F(ServerTest, KeepsConnectionsAlive) {
  ASSERT_TRUE(start().ok());
  TlsClient client(port());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(body(client.ask(get("/healthz"))), "ok");
  EXPECT_EQ(connections(), 1u);
  client.send(get("/healthz") + get("/livez?verbose") + get("/none"));
  EXPECT_EQ(body(client.read_answer()), "ok");
  EXPECT_EQ(body(client.read_answer()), "[+]ping ok\nlivez check passed\n");
  EXPECT_EQ(status_line(client.read_answer()), "HTTP/1.1 404 Not Found");
}

TEST_F(ServerTest, ClosesWhenAskedTo) {
  ASSERT_TRUE(start().ok());
  TlsClient client(port());
  const std::string answer =
      client.ask("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_NE(answer.find("\r\nConnection: close\r\n"), std::string::npos);
  EXPECT_TRUE(client.closed_by_server());
  TlsClient old(port());
  EXPECT_EQ(body(old.ask("GET /healthz HTTP/1.0\r\n\r\n")), "ok");
  EXPECT_TRUE(old.closed_by_server());
}

TEST_F(ServerTest, HeadHasNoBody) {
  ASSERT_TRUE(start().ok());
  TlsClient client(port());
  client.send("HEAD /healthz HTTP/1.1\r\nHost: x\r\n\r\n" + get("/none"));
  std::string text;
  while (text.find("404") == std::string::npos) {
    const std::string more = client.read_answer();
    if (more.empty()) break;
    text += more;
  }
  // A body would stand between the two headers.
  EXPECT_NE(text.find("Content-Length: 2\r\n\r\nHTTP/1.1 404"), std::string::npos) << text;
}

TEST_F(ServerTest, OtherMethodsAre405) {
  ASSERT_TRUE(start().ok());
  TlsClient client(port());
  const std::string answer =
      client.ask("POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc");
  EXPECT_EQ(status_line(answer), "HTTP/1.1 405 Method Not Allowed");
  EXPECT_NE(answer.find("\r\nAllow: GET, HEAD\r\n"), std::string::npos);
  EXPECT_EQ(body(client.ask(get("/healthz"))), "ok") << "the body was not skipped";
}

TEST_F(ServerTest, ChecksOfOtherThreadsShow) {
  ASSERT_TRUE(start().ok());
  TlsClient client(port());
  EXPECT_EQ(body(client.ask(get("/healthz"))), "ok");
  registry_->set("leaderElection", [] { return Status(Code::internal, "lost"); });
  EXPECT_EQ(status_line(client.ask(get("/healthz"))), "HTTP/1.1 500 Internal Server Error");
}

TEST_F(ServerTest, MalformedRequestsAre400) {
  ASSERT_TRUE(start().ok());
  for (const char* bytes :
       {"\x01\x02\x03\r\n\r\n", "GET\r\n\r\n", "GET /healthz HTTP/3.0\r\nHost: x\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nno colon\r\n\r\n", "GET /healthz HTTP/1.1\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    TlsClient client(port());
    EXPECT_EQ(status_line(client.ask(bytes)), "HTTP/1.1 400 Bad Request") << bytes;
  }
  TlsClient client(port());
  EXPECT_EQ(body(client.ask(get("/healthz"))), "ok");
}

// Sends `again` for ever, in TLS records of the given size, until the server has enough.
std::string ask_without_end(std::uint16_t port, std::string begin, const std::string& again,
                            std::size_t record) {
  constexpr std::size_t kEnough = 4u << 20;
  TlsClient client(port);
  std::string piece;
  while (piece.size() < record) piece += again;
  piece.resize(std::max(record, again.size()) / again.size() * again.size());
  client.send(begin);
  for (std::size_t sent = 0; sent < kEnough && !client.readable();) {
    for (std::size_t at = 0; at < piece.size(); at += record) {
      if (!client.send(piece.substr(at, record))) return client.read_answer();
    }
    sent += piece.size();
  }
  return client.read_answer();
}

TEST_F(ServerTest, HOST_105_AHeaderWithoutEndIs431) {
  options_.max_header_bytes = 8 << 10;  // as a record costs both sides more than its byte
  ASSERT_TRUE(start().ok());
  const std::string start = "GET /healthz HTTP/1.1\r\nHost: x\r\n";
  const std::string chunked =
      "POST /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::size_t record : {1, 2, 4, 16, 16384}) {
    EXPECT_EQ(status_line(ask_without_end(port(), start + "a", ":\r\na", record)),
              "HTTP/1.1 431 Request Header Fields Too Large")
        << record;
    EXPECT_EQ(status_line(ask_without_end(port(), start + "a: b\r\n", " folded\r\n", record)),
              "HTTP/1.1 431 Request Header Fields Too Large")
        << record;
    EXPECT_EQ(status_line(ask_without_end(port(), chunked + "0\r\n", "a: b\r\n", record)),
              "HTTP/1.1 413 Content Too Large")
        << record;
    EXPECT_EQ(status_line(ask_without_end(port(), chunked + "1", ";a=b", record)),
              "HTTP/1.1 413 Content Too Large")
        << record;
  }
}

TEST_F(ServerTest, HOST_105_ALargeHeaderIs431) {
  ASSERT_TRUE(start().ok());
  const std::string head = "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Large: ";
  TlsClient good(port());
  EXPECT_EQ(body(good.ask(head + std::string(60 << 10, 'x') + "\r\n\r\n")), "ok");
  TlsClient bad(port());
  EXPECT_EQ(status_line(bad.ask(head + std::string(70'000, 'x') + "\r\n\r\n")),
            "HTTP/1.1 431 Request Header Fields Too Large");
}

TEST_F(ServerTest, ALargeBodyIs413) {
  ASSERT_TRUE(start().ok());
  TlsClient client(port());
  EXPECT_EQ(status_line(client.ask("POST /healthz HTTP/1.1\r\nHost: x\r\n"
                                   "Content-Length: 99999999\r\n\r\n")),
            "HTTP/1.1 413 Content Too Large");
}

TEST_F(ServerTest, HOST_105_ASlowHeaderIsCut) {
  options_.read_header_timeout = milliseconds(800);
  ASSERT_TRUE(start().ok());
  TlsClient client(port());
  ASSERT_TRUE(client.connected());
  client.send("GET /healthz HT");
  EXPECT_TRUE(client.closed_by_server());
}

TEST_F(ServerTest, ASilentHandshakeIsCut) {
  options_.read_header_timeout = milliseconds(80);
  ASSERT_TRUE(start().ok());
  TlsClientOptions plain;
  plain.tls = false;
  TlsClient client(port(), plain);
  EXPECT_TRUE(client.closed_by_server());
}

TEST_F(ServerTest, HOST_105_IdleConnectionsAreClosed) {
  options_.idle_timeout = milliseconds(800);
  ASSERT_TRUE(start().ok());
  TlsClient client(port());
  EXPECT_EQ(body(client.ask(get("/healthz"))), "ok");
  EXPECT_TRUE(client.closed_by_server());
}

TEST_F(ServerTest, ANewConnectionReplacesTheLongestSilentOne) {
  options_.max_connections = 3;
  ASSERT_TRUE(start().ok());
  TlsClient first(port());
  TlsClient second(port());
  TlsClient third(port());
  EXPECT_EQ(body(first.ask(get("/healthz"))), "ok");
  EXPECT_EQ(body(third.ask(get("/healthz"))), "ok");
  TlsClient fourth(port());
  EXPECT_EQ(body(fourth.ask(get("/healthz"))), "ok");
  EXPECT_TRUE(second.closed_by_server());
  EXPECT_EQ(body(first.ask(get("/healthz"))), "ok");
  EXPECT_EQ(body(third.ask(get("/healthz"))), "ok");
  EXPECT_EQ(connections(), 3u);
}

TEST_F(ServerTest, PlainHttpIsToldSo) {
  ASSERT_TRUE(start().ok());
  TlsClientOptions plain;
  plain.tls = false;
  TlsClient client(port(), plain);
  const std::string answer = client.ask(get("/healthz"));
  EXPECT_EQ(status_line(answer), "HTTP/1.0 400 Bad Request");
  EXPECT_NE(answer.find("HTTPS"), std::string::npos);
}

TEST_F(ServerTest, NonsenseInsteadOfTlsDoesNoHarm) {
  ASSERT_TRUE(start().ok());
  TlsClientOptions plain;
  plain.tls = false;
  TlsClient nonsense(port(), plain);
  nonsense.send(std::string(5000, '\x16'));
  TlsClient client(port());
  EXPECT_EQ(body(client.ask(get("/healthz"))), "ok");
}

TEST_F(ServerTest, HOST_56_RefusesOldTls) {
  ASSERT_TRUE(start().ok());
  TlsClientOptions old;
  old.max_version = TLS1_1_VERSION;
  EXPECT_FALSE(TlsClient(port(), old).connected());
  old.max_version = TLS1_2_VERSION;
  EXPECT_TRUE(TlsClient(port(), old).connected());
}

TEST_F(ServerTest, HOST_56_TheMinimumCanBeRaisedAndLowered) {
  options_.min_tls_version = TLS1_3_VERSION;
  ASSERT_TRUE(start().ok());
  TlsClientOptions old;
  old.max_version = TLS1_2_VERSION;
  EXPECT_FALSE(TlsClient(port(), old).connected());
  EXPECT_EQ(TlsClient(port()).protocol(), "TLSv1.3");
  stop();
  loop_.restart();
  options_.min_tls_version = TLS1_VERSION;
  ASSERT_TRUE(start().ok());
  old.max_version = TLS1_VERSION;
  EXPECT_TRUE(TlsClient(port(), old).connected());
}

TEST_F(ServerTest, HOST_55_OnlyTheGivenCipherSuites) {
  options_.cipher_list = "ECDHE-ECDSA-AES256-GCM-SHA384";
  options_.groups = {"P-256"};
  ASSERT_TRUE(start().ok());
  TlsClientOptions old;
  old.max_version = TLS1_2_VERSION;
  TlsClient client(port(), old);
  ASSERT_TRUE(client.connected());
  EXPECT_EQ(client.cipher(), "ECDHE-ECDSA-AES256-GCM-SHA384");
  old.ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256";
  EXPECT_FALSE(TlsClient(port(), old).connected());
}

TEST_F(ServerTest, UnknownCiphersAndCurvesFailTheStart) {
  options_.cipher_list = "NONE-SUCH";
  EXPECT_EQ(start().code(), Code::invalid_argument);
  options_.cipher_list.clear();
  options_.groups = {"nonesuch"};
  EXPECT_EQ(start().code(), Code::invalid_argument);
}

TEST_F(ServerTest, HOST_52_PortZeroServesNothing) {
  options_.any_port = false;
  options_.port = 0;
  EXPECT_TRUE(start().ok());
  EXPECT_EQ(port(), 0);
}

TEST_F(ServerTest, ABusyPortIsOneClearLine) {
  ASSERT_TRUE(start().ok());
  ServingOptions second = options_;
  second.any_port = false;
  second.port = port();
  for (const char* address : {"127.0.0.1", "0.0.0.0"}) {
    second.bind_address = address;
    SecureServer server(loop_.get_executor(), second, site());
    const Status status = server.start();
    EXPECT_EQ(status.code(), Code::unavailable);
    const std::string start = "cannot listen on " + std::string(address) + ":" +
                              std::to_string(port()) + ": address already in use; ";
    EXPECT_EQ(status.message().rfind(start, 0), 0u) << status.message();
  }
}

TEST_F(ServerTest, ABadAddressIsOneClearLine) {
  options_.bind_address = "nowhere";
  const Status status = start();
  EXPECT_EQ(status.code(), Code::invalid_argument);
  EXPECT_NE(status.message().find("--bind-address"), std::string::npos);
  options_.bind_address = "192.0.2.1";
  EXPECT_EQ(start().code(), Code::unavailable);
}

TEST_F(ServerTest, HOST_51_AnUnspecifiedAddressServesIpv4) {
  options_.bind_address = "0.0.0.0";
  ASSERT_TRUE(start().ok());
  TlsClient client(port());
  EXPECT_EQ(body(client.ask(get("/healthz"))), "ok");
}

TEST_F(ServerTest, StoppingClosesEverything) {
  ASSERT_TRUE(start().ok());
  TlsClient client(port());
  EXPECT_EQ(body(client.ask(get("/healthz"))), "ok");
  const std::uint16_t was = port();
  stop();
  EXPECT_TRUE(client.closed_by_server());
  EXPECT_FALSE(TlsClient(was).connected());
}

}  // namespace
}  // namespace ccm::serving
