// The credentials of a client and their renewal: token files, client certificates, exec plugins
// (API-76, 79..83, 86..90). For core/kube, and for the port forwarding of ccmctl. Home thread: the
// executor's.
#pragma once

#include "base/log.hpp"
#include "kube/config.hpp"
#include "kube/file_text.hpp"
#include "net/certificates.hpp"

#include <ccm/status.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::kube {

// The output of an exec plugin: an ExecCredential (API-86..88). Private to core/kube.

// At least one of a token and a certificate with its key. Secrets.
struct ExecAnswer {
  std::string token;
  std::string certificate_pem;
  std::string private_key_pem;
  std::optional<std::chrono::system_clock::time_point> expires;
};

// `api_version`: the one in the kubeconfig. Takes any bytes. Failure: unauthenticated, class auth;
// the message is a clause that never quotes the answer.
Result<ExecAnswer> parse_exec_answer(std::string_view text, std::string_view api_version);

struct CredentialTiming {
  std::chrono::milliseconds token_age{50'000};  // API-79
  std::chrono::milliseconds file_check{1'000};  // how often the files are checked, on use
  std::chrono::milliseconds retry{10'000};      // for a changed file that could not be used
  std::chrono::milliseconds exec_timeout{60'000};
};

// Asks the server whether it takes a credential. Not ok: it does not, or does not answer.
using CredentialTrial =
    std::function<boost::asio::awaitable<Status>(net::TlsOptions tls, std::string authorization)>;

// The headers by which a request asks to be taken for another user's (API-85).
std::vector<std::pair<std::string, std::string>> impersonation_headers(const Impersonation& as);

class Credentials {
 public:
  // A changed file counts when `trial` says so; without one, when it can be read.
  Credentials(boost::asio::any_io_executor executor, ClientConfig config,
              CredentialTiming timing = {}, CredentialTrial trial = {});
  ~Credentials();
  Credentials& operator=(Credentials&&) = delete;

  // Reads every file. Blocks; at start. Failure: one clear line.
  Status load();

  // To be awaited before a request: re-reads files that are due and runs the exec plugin if
  // necessary.
  boost::asio::awaitable<Status> refresh();

  // The result of refresh(). The generation changes when the TLS texts do.
  [[nodiscard]] const net::TlsOptions& tls() const { return tls_; }
  [[nodiscard]] uint64_t tls_generation() const { return tls_generation_; }
  // Value of the Authorization header, empty for none. A secret.
  [[nodiscard]] const std::string& authorization() const { return authorization_; }

  // The server refused (401) a request that carried `authorization` under `generation`; the next
  // refresh() gets a new credential if there is a source for one. True when there is.
  bool rejected(const std::string& authorization, uint64_t generation);

 private:
  using Clock = std::chrono::steady_clock;

  // The content of the sources.
  struct Material {
    ClientConfig config;
    net::TlsOptions tls;
    std::string authorization;
    Status fault;  // what could not be used and is as before
  };
  struct Stamps {
    FileStamp config;
    FileStamp ca;
    FileStamp certificate;
    FileStamp key;
    bool operator==(const Stamps&) const = default;
  };

  [[nodiscard]] Stamps stamps() const;
  // The kubeconfig as it is now; the configuration in use when it has no file.
  [[nodiscard]] Result<ClientConfig> read_config() const;
  // Reads all sources; after the first time a broken authority leaves the one in use (API-83).
  [[nodiscard]] Result<Material> read(ClientConfig config);
  // The newest that can be used.
  [[nodiscard]] Material read_again();
  Status read_authority(const ClientConfig& config, std::string& pem) const;
  Status read_certificate(const ClientConfig& config, net::TlsOptions& tls) const;
  // Reads the value of the Authorization header. A token file that cannot be read leaves the token
  // in use.
  Result<std::string> read_authorization(const ClientConfig& config);
  // Whether a source may have changed.
  [[nodiscard]] bool due();
  boost::asio::awaitable<void> renew();
  void adopt(Material material);
  void keep(const Status& why);
  void set_token(const std::string& token);
  void report_expiry() const;
  bool exec_due() const;
  boost::asio::awaitable<Status> run_exec();
  boost::asio::awaitable<Status> exec_once();
  Status take_exec_answer(const std::string& text);
  void log_errors(const std::string& errors);
  [[nodiscard]] std::string exec_info() const;

  boost::asio::any_io_executor executor_;
  ClientConfig config_;
  CredentialTiming timing_;
  net::TlsOptions tls_;
  uint64_t tls_generation_ = 0;
  std::string authorization_;
  CredentialTrial trial_;
  Stamps seen_;
  Clock::time_point files_checked_;
  Clock::time_point token_read_;
  Clock::time_point retry_at_;
  bool stale_ = false;   // the server refused what is in use
  bool trying_ = false;  // a request waits for the trial of a new credential
  bool kept_ = false;    // the newest content could not be used
  std::string fault_;    // the last one that was logged
  std::string token_fault_;

  bool exec_have_ = false;
  bool exec_stale_ = false;
  std::optional<std::chrono::system_clock::time_point> exec_expires_;
  struct ExecRun;  // a run of the plugin, shared by all requests that wait for it
  std::shared_ptr<ExecRun> exec_run_;
  log::Throttle exec_lines_{std::chrono::minutes(1)};
};

}  // namespace ccm::kube
