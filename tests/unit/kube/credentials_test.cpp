#include "base/log.hpp"
#include "credentials_fixture.hpp"
#include "kube/child_process.hpp"
#include "kube/object.hpp"
#include "kube/time_text.hpp"

#include <ccm/base64.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <pty.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>

namespace ccm::kube {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST_F(CredentialsTest, TokenAndBasic) {
  config_.token = "abc";
  Credentials token(loop_.get_executor(), config_, timing_);
  ASSERT_TRUE(refresh(token).ok());
  EXPECT_EQ(token.authorization(), "Bearer abc");
  EXPECT_FALSE(token.rejected("Bearer abc", token.tls_generation()));
  config_.token.clear();
  config_.username = "u";
  config_.password = "p";
  Credentials basic(loop_.get_executor(), config_, timing_);
  ASSERT_TRUE(refresh(basic).ok());
  EXPECT_EQ(basic.authorization(), "Basic dTpw");
}

TEST_F(CredentialsTest, API_79_80_138_TokenFileIsReadAgain) {
  config_.token = "inline";
  config_.token_file = folder_.write("token", " one \n");
  timing_.token_age = std::chrono::hours(1);
  Credentials credentials(loop_.get_executor(), config_, timing_);
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(credentials.authorization(), "Bearer one");
  folder_.write("token", "two");
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(credentials.authorization(), "Bearer one");  // still young
  EXPECT_TRUE(credentials.rejected("Bearer one", credentials.tls_generation()));
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(credentials.authorization(), "Bearer two");
}

TEST_F(CredentialsTest, API_79_UnreadableOrEmptyTokenFileKeepsTheOldToken) {
  config_.token_file = folder_.write("token", "one");
  timing_.token_age = std::chrono::milliseconds(0);
  Credentials credentials(loop_.get_executor(), config_, timing_);
  ASSERT_TRUE(refresh(credentials).ok());
  folder_.write("token", "  \n");
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(credentials.authorization(), "Bearer one");
  std::filesystem::remove(config_.token_file);
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(credentials.authorization(), "Bearer one");
  folder_.write("token", "two");
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(credentials.authorization(), "Bearer two");
}

TEST_F(CredentialsTest, API_79_EmptyTokenFileAtTheStartIsAnError) {
  config_.token_file = folder_.write("token", "\n");
  Credentials credentials(loop_.get_executor(), config_, timing_);
  EXPECT_THAT(credentials.load().message(), HasSubstr("is empty"));
}

TEST_F(CredentialsTest, API_82_ClientCertificateFilesAreReadAgain) {
  const test::Certificate first = client_certificate("one");
  const test::Certificate second = client_certificate("two");
  config_.client_certificate_file = folder_.write("tls.crt", first.certificate_pem);
  config_.client_key_file = folder_.write("tls.key", first.key_pem);
  Credentials credentials(loop_.get_executor(), config_, timing_);
  ASSERT_TRUE(refresh(credentials).ok());
  const uint64_t generation = credentials.tls_generation();
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(credentials.tls_generation(), generation);
  folder_.write("tls.crt", second.certificate_pem);  // the key does not fit yet
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(credentials.tls().certificate_pem, first.certificate_pem);
  folder_.write("tls.key", second.key_pem);
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(credentials.tls().certificate_pem, second.certificate_pem);
  EXPECT_GT(credentials.tls_generation(), generation);
}

TEST_F(CredentialsTest, API_83_BrokenCaFileKeepsTheOldOne) {
  config_.ca_data.clear();
  config_.ca_file = folder_.write("ca.crt", authority().certificate_pem);
  Credentials credentials(loop_.get_executor(), config_, timing_);
  ASSERT_TRUE(refresh(credentials).ok());
  for (const char* broken : {"", "no certificate"}) {
    folder_.write("ca.crt", broken);
    ASSERT_TRUE(refresh(credentials).ok());
    EXPECT_EQ(credentials.tls().ca_pem, authority().certificate_pem);
  }
  const test::Certificate other = test::make_authority("other");
  folder_.write("ca.crt", other.certificate_pem);
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(credentials.tls().ca_pem, other.certificate_pem);
}

TEST_F(CredentialsTest, API_77_MissingOptionalCaFallsBackToTheSystem) {
  config_.ca_data.clear();
  config_.ca_file = folder_.path() + "/none";
  config_.ca_file_optional = true;
  Credentials optional(loop_.get_executor(), config_, timing_);
  EXPECT_TRUE(optional.load().ok());
  config_.ca_file_optional = false;
  Credentials needed(loop_.get_executor(), config_, timing_);
  EXPECT_THAT(needed.load().message(), HasSubstr("/none"));
}

TEST_F(CredentialsTest, MalformedCertificateIsOneClearLine) {
  config_.client_certificate_data = "garbage";
  config_.client_key_data = "s3cr3t";
  Credentials credentials(loop_.get_executor(), config_, timing_);
  EXPECT_THAT(credentials.load().message(),
              AllOf(HasSubstr("the test"), Not(HasSubstr("s3cr3t")), Not(HasSubstr("\n"))));
}

TEST_F(CredentialsTest, API_89_90_ExecTokenIsCachedUntilRejected) {
  use_exec(
      "printf '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\","
      "\"status\":{\"token\":\"t%s\"}}' $(wc -l <" +
      folder_.path() + "/runs)\n");
  Credentials credentials(loop_.get_executor(), config_, timing_);
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(credentials.authorization(), "Bearer t1");
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(runs(), 1u);
  const uint64_t generation = credentials.tls_generation();
  EXPECT_TRUE(credentials.rejected("Bearer t1", generation));
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(credentials.authorization(), "Bearer t2");
  EXPECT_TRUE(credentials.rejected("Bearer t1", generation));  // an old request's answer
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(runs(), 2u);
}

TEST_F(CredentialsTest, API_90_ExpiredExecCredentialIsRenewed) {
  use_exec(credential(R"({"token":"t","expirationTimestamp":"2001-01-01T00:00:00Z"})"));
  Credentials credentials(loop_.get_executor(), config_, timing_);
  ASSERT_TRUE(refresh(credentials).ok());
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(runs(), 2u);
}

TEST_F(CredentialsTest, API_89_ExecCertificate) {
  const test::Certificate certificate = client_certificate("plugin");
  use_exec(credential(R"({"clientCertificateData":")" + escaped(certificate.certificate_pem) +
                      R"(","clientKeyData":")" + escaped(certificate.key_pem) + "\"}"));
  Credentials credentials(loop_.get_executor(), config_, timing_);
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(credentials.tls().certificate_pem, certificate.certificate_pem);
  EXPECT_EQ(credentials.authorization(), "");
}

TEST_F(CredentialsTest, API_88_ExecGetsEnvironmentAndClusterInfo) {
  use_exec("printf '%s' \"$KUBERNETES_EXEC_INFO\" >" + folder_.path() + "/info\n" +
           "printf '%s %s' \"$EXTRA\" \"$1\" >" + folder_.path() + "/extra\n" +
           credential(R"({"token":"t"})"));
  config_.exec->env = {{"EXTRA", "value"}};
  config_.exec->args = {"argument"};
  config_.exec->provide_cluster_info = true;
  config_.exec->cluster_config_json = R"({"audience":"x"})";
  config_.tls_server_name = "name";
  Credentials credentials(loop_.get_executor(), config_, timing_);
  ASSERT_TRUE(refresh(credentials).ok());
  EXPECT_EQ(*read_file(folder_.path() + "/extra"), "value argument");
  const auto info = Object::decode(*read_file(folder_.path() + "/info"));
  ASSERT_TRUE(info.ok()) << *read_file(folder_.path() + "/info");
  EXPECT_EQ((*info)->text_at("/apiVersion"), "client.authentication.k8s.io/v1");
  EXPECT_EQ((*info)->text_at("/kind"), "ExecCredential");
  EXPECT_EQ((*info)->text_at("/spec/interactive"), "false");
  EXPECT_EQ((*info)->text_at("/spec/cluster/server"), config_.server);
  EXPECT_EQ((*info)->text_at("/spec/cluster/tls-server-name"), "name");
  EXPECT_EQ((*info)->text_at("/spec/cluster/config/audience"), "x");
  EXPECT_EQ(base64_decode((*info)->text_at("/spec/cluster/certificate-authority-data")),
            authority().certificate_pem);
}

TEST_F(CredentialsTest, API_89_BadExecAnswersAreErrors) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"exit 3\n", "exit code 3"},
      {"kill -9 $$\n", "signal 9"},
      {"echo nonsense\n", "not an ExecCredential"},
      {credential("{\"token\":\"s3cr3t\"}", "v1beta1"), "must answer with"},
      {credential("{}"), "no credential"},
      {credential(R"({"clientKeyData":"s3cr3t"})"), "only one of"},
      {credential(R"({"token":"s3cr3t","expirationTimestamp":"soon"})"), "RFC 3339"},
      {credential(R"({"clientCertificateData":"a","clientKeyData":"s3cr3t"})"), "exec plugin"},
  };
  for (const auto& [body, message] : cases) {
    use_exec(body);
    config_.exec->install_hint = "install it so";
    Credentials credentials(loop_.get_executor(), config_, timing_);
    const Status status = refresh(credentials);
    EXPECT_EQ(status.error_class(), ErrorClass::auth) << body;
    EXPECT_THAT(status.message(), AllOf(HasSubstr(message), Not(HasSubstr("s3cr3t"))));
  }
  config_.exec->command = "no-such-plugin-anywhere";
  Credentials credentials(loop_.get_executor(), config_, timing_);
  EXPECT_THAT(refresh(credentials).message(),
              AllOf(HasSubstr("no-such-plugin-anywhere"), HasSubstr("install it so")));
}

TEST_F(CredentialsTest, HangingExecPluginIsKilledWithItsChildren) {
  use_exec("sleep 600 & sleep 600\n");
  timing_.exec_timeout = std::chrono::milliseconds(50);
  Credentials credentials(loop_.get_executor(), config_, timing_);
  EXPECT_THAT(refresh(credentials).message(), HasSubstr("did not end within"));
}

// As a helper does that starts a daemon; the daemon has the plugin's output open.
TEST_F(CredentialsTest, HangingExecPluginEndsThoughAProcessHasLeftItsGroup) {
  const std::string pid = folder_.path() + "/pid";
  use_exec("setsid sh -c 'echo $$ >" + pid + "; exec sleep 600' &\nsleep 600\n");
  timing_.exec_timeout = std::chrono::milliseconds(500);
  Credentials credentials(loop_.get_executor(), config_, timing_);
  EXPECT_THAT(refresh(credentials).message(), HasSubstr("did not end within"));
  const auto daemon = read_file(pid);
  ASSERT_TRUE(daemon.ok()) << "it was not started in time";
  ::kill(std::stoi(*daemon), SIGKILL);
}

TEST_F(CredentialsTest, API_88_AnInteractiveExecPluginReadsFromTheTerminal) {
  use_exec(
      "read answer\n"
      "printf '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\","
      "\"status\":{\"token\":\"%s\"}}' \"$answer\"\n");
  config_.exec->interactive_mode = "Always";
  timing_.exec_timeout = std::chrono::seconds(5);
  int terminal = -1;
  const pid_t manager = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  ASSERT_GE(manager, 0);
  if (manager == 0) {
    Credentials credentials(loop_.get_executor(), config_, timing_);
    const bool ok = refresh(credentials).ok() && credentials.authorization() == "Bearer typed";
    ::_exit(ok ? 0 : 1);
  }
  EXPECT_EQ(::write(terminal, "typed\n", 6), 6);
  int status = -1;
  EXPECT_EQ(::waitpid(manager, &status, 0), manager);
  ::close(terminal);
  EXPECT_EQ(status, 0);
}

TEST_F(CredentialsTest, AProcessThatSharesStdinIsKilledToo) {
  ProcessSpec spec;
  spec.command = "sleep";
  spec.args = {"600"};
  spec.share_stdin = true;
  spec.timeout = std::chrono::milliseconds(50);
  const auto output = run(run_process(loop_.get_executor(), spec));
  EXPECT_EQ(output.status.code(), Code::deadline_exceeded);
}

// As in a container, where it is PID 1: what has lost its parent is its own child.
TEST_F(CredentialsTest, NothingOfAProcessGroupIsLeftBehind) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  ProcessSpec spec;
  spec.command = "sh";
  spec.timeout = std::chrono::milliseconds(500);
  for (const char* after : {"", "sleep 600"}) {
    const std::string file = folder_.path() + "/left";
    spec.args = {"-c", "sleep 600 >/dev/null 2>&1 & echo $! >" + file + "; " + after};
    const auto output = run(run_process(loop_.get_executor(), spec));
    EXPECT_EQ(output.status.ok(), after[0] == 0) << output.status.message();
    const auto left = read_file(file);
    ASSERT_TRUE(left.ok());
    run_until([&] { return ::kill(std::stoi(*left), 0) != 0; });
    EXPECT_NE(::kill(std::stoi(*left), 0), 0) << "it runs, or nobody took its exit code";
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST_F(CredentialsTest, ManyRequestsShareOneRunOfThePlugin) {
  use_exec(credential(R"({"token":"t"})"));
  Credentials credentials(loop_.get_executor(), config_, timing_);
  std::vector<std::optional<Status>> results(5);
  for (auto& result : results) {
    boost::asio::co_spawn(loop_, store_result(credentials.refresh(), &result),
                          [](std::exception_ptr) {});
  }
  run_until([&] {
    return std::all_of(results.begin(), results.end(), [](const auto& r) { return r.has_value(); });
  });
  for (const auto& result : results) EXPECT_TRUE(result && result->ok());
  EXPECT_EQ(runs(), 1u);
}

// The others wait for a credential, not for that request.
TEST_F(CredentialsTest, TheEndOfTheRequestThatStartedThePluginIsNotTheEndOfTheOthers) {
  use_exec("sleep 0.3\n" + credential(R"({"token":"t"})"));
  Credentials credentials(loop_.get_executor(), config_, timing_);
  std::optional<Status> first;
  std::optional<Status> second;
  boost::asio::cancellation_signal cancel;
  boost::asio::co_spawn(
      loop_, store_result(credentials.refresh(), &first),
      boost::asio::bind_cancellation_slot(cancel.slot(), [](std::exception_ptr) {}));
  boost::asio::co_spawn(loop_, store_result(credentials.refresh(), &second),
                        [](std::exception_ptr) {});
  while (runs() == 0) {
    loop_.restart();
    loop_.run_for(std::chrono::milliseconds(2));
  }
  cancel.emit(boost::asio::cancellation_type::terminal);
  run_until([&] { return second.has_value(); });
  EXPECT_TRUE(second->ok()) << second->message();
  EXPECT_EQ(credentials.authorization(), "Bearer t");
}

TEST_F(CredentialsTest, ProcessOutputIsLimited) {
  ProcessSpec spec;
  spec.command = "sh";
  spec.args = {"-c", "yes"};
  const auto output = run(run_process(loop_.get_executor(), spec));
  EXPECT_THAT(output.status.message(), HasSubstr("more than 1 MiB"));
}

TEST_F(CredentialsTest, Issue37_13_AFloodOfErrorsFillsNoLog) {
  ProcessSpec spec;
  spec.command = "sh";
  spec.args = {"-c", "yes no >&2"};
  const auto flood = run(run_process(loop_.get_executor(), spec));
  EXPECT_THAT(flood.status.message(), HasSubstr("more than 1 MiB to standard error"));
  EXPECT_EQ(flood.exit_code, -1);
  EXPECT_EQ(flood.errors.size(), 4096u);
  // Nor is a process waited for that has left the group and keeps its standard error.
  spec.args = {"-c", "echo one >&2; setsid sleep 5 >/dev/null & echo two >&2"};
  const auto left = run(run_process(loop_.get_executor(), spec));
  EXPECT_TRUE(left.status.ok()) << left.status.message();
  EXPECT_EQ(left.errors, "one\ntwo\n");
}

TEST_F(CredentialsTest, WhatAnExecPluginSaysIsALineOfTheLog) {
  use_exec("printf 'session \033[31mexpires\nsoon' >&2\n" + credential(R"({"token":"t"})"));
  std::vector<std::string> lines;
  log::redirect([&lines](std::string_view line) { lines.emplace_back(line); });
  Credentials credentials(loop_.get_executor(), config_, timing_);
  EXPECT_TRUE(refresh(credentials).ok());
  log::redirect({});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("\"The exec plugin wrote to standard error\""));
  EXPECT_THAT(lines[0], HasSubstr(R"(text="session \x1b[31mexpires\nsoon")"));
}

// Not even what somebody else in this process has opened carelessly, as a plugin may.
TEST_F(CredentialsTest, AProcessInheritsNoDescriptor) {
  // Above what the shell opens itself.
  const int careless = ::fcntl(STDERR_FILENO, F_DUPFD, 100);
  ASSERT_GE(careless, 100);
  ProcessSpec spec;
  spec.command = "sh";
  spec.args = {"-c", "for fd in /proc/self/fd/*; do echo ${fd##*/}; done"};
  const auto output = run(run_process(loop_.get_executor(), spec));
  ::close(careless);
  ASSERT_TRUE(output.status.ok()) << output.status.message();
  std::istringstream numbers(output.output);
  for (int number = 0; numbers >> number;) {
    // The shell has the folder open while it looks.
    EXPECT_LE(number, 3) << output.output;
  }
}

TEST(TimeText, API_11_ReadsAndWrites) {
  const auto time = parse_time("2026-01-02T03:04:05Z");
  ASSERT_TRUE(time);
  EXPECT_EQ(format_time(*time), "2026-01-02T03:04:05Z");
  EXPECT_EQ(parse_time("2026-01-02T05:04:05+02:00"), time);
  EXPECT_EQ(parse_time("2026-01-02T03:04:05.000000Z"), time);
  EXPECT_EQ(*parse_time("2026-01-02T03:04:05.5Z") - *time, std::chrono::milliseconds(500));
  for (const char* bad :
       {"", "2026-01-02", "2026-13-02T03:04:05Z", "2026-02-30T03:04:05Z", "2026-01-02T25:04:05Z",
        "2026-01-02T03:04:05", "2026-01-02T03:04:05.Z", "2026-01-02T03:04:05Zx",
        "2026-01-02T03:04:05+0200", "2026\r01-02T03:04:05Z", "2026-01-02T03:04:05+99:00"}) {
    EXPECT_FALSE(parse_time(bad)) << bad;
  }
}

TEST(TimeText, BeyondTheClockIsItsEnd) {
  EXPECT_EQ(parse_time("9999-12-31T23:59:59Z"), std::chrono::system_clock::time_point::max());
  EXPECT_EQ(parse_time("0001-01-01T00:00:00Z"), std::chrono::system_clock::time_point::min());
  EXPECT_EQ(format_time(*parse_time("2262-04-11T23:47:15Z")), "2262-04-11T23:47:15Z");
}

}  // namespace
}  // namespace ccm::kube
