// Credentials from an exec plugin (API-86..90).
#include "base/at_end.hpp"
#include "base/log.hpp"
#include "kube/child_process.hpp"
#include "kube/credential_expiry.hpp"
#include "kube/credentials.hpp"
#include "kube/exec_answer.hpp"
#include "kube/exec_plugin_counts.hpp"
#include "kube/json_text.hpp"
#include "kube/signal.hpp"
#include "net/certificates.hpp"
#include "net/http_client.hpp"

#include <boost/asio/steady_timer.hpp>
#include <unistd.h>

#include <chrono>
#include <string>

namespace ccm::kube {
namespace asio = boost::asio;

struct Credentials::Flight {
  explicit Flight(const asio::any_io_executor& executor) : landed(executor) {}
  Signal landed;  // the plugin has ended
  bool over = false;
  Status status;
};

namespace {

// In the background the terminal would stop the plugin, and this process with it, instead of giving
// it anything.
bool interactive(const ExecConfig& exec) {
  return exec.interactive_mode != "Never" && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
}

constexpr std::chrono::seconds kSlow{10};

// Everything waits for it, the start of the program included.
void tell_when_slow(asio::steady_timer& timer, const std::string& command) {
  timer.async_wait([command](boost::system::error_code cancelled) {
    if (cancelled) return;
    log::warning("Waiting for the exec plugin", {{"command", command}, {"after", kSlow}});
  });
}

// MET-33.
void count_call(const ProcessEnd& end) {
  ExecPluginCounts& counts = ExecPluginCounts::of_process();
  if (end.status.ok()) {
    counts.called(0, "no_error");
  } else if (end.exit_code) {
    counts.called(*end.exit_code, "plugin_execution_error");
  } else {
    counts.called(1, "plugin_not_found_error");
  }
}

// MET-31, MET-32. `holder` has the new certificate from now on.
void count_rotation(const void* holder, const std::string& before, const std::string& now) {
  ExecPluginCounts& counts = ExecPluginCounts::of_process();
  if (const auto old = net::times_of_first(before)) {
    counts.rotated(std::chrono::duration_cast<std::chrono::seconds>(
        std::chrono::system_clock::now() - old->not_before));
  }
  const auto times = net::times_of_first(now);
  counts.holds(holder, times ? std::optional(times->not_after) : std::nullopt);
}

}  // namespace

Credentials::Credentials(asio::any_io_executor executor, ClientConfig config,
                         CredentialTiming timing, CredentialTrial trial)
    : executor_(std::move(executor)),
      config_(std::move(config)),
      timing_(timing),
      trial_(std::move(trial)) {}
Credentials::~Credentials() {
  ExecPluginCounts::of_process().holds(this, std::nullopt);
  CredentialExpiry::of_process().set(this, {});
}

std::string Credentials::exec_info() const {
  const ExecConfig& exec = *config_.exec;
  std::string out = R"({"kind":"ExecCredential","apiVersion":)" + json_string(exec.api_version);
  out += R"(,"spec":{)";
  if (exec.provide_cluster_info) {
    out += R"("cluster":{)";
    append_json_member(out, "server", config_.server);
    append_json_member(out, "tls-server-name", config_.tls_server_name);
    append_json_member(out, "proxy-url", config_.proxy_url);
    append_json_member(out, "certificate-authority-data", base64_encode(tls_.ca_pem));
    if (config_.insecure_skip_tls_verify) out += R"(,"insecure-skip-tls-verify":true)";
    const std::string& extension = exec.cluster_config_json;
    out += R"(,"config":)" + (extension.empty() ? std::string("null") : extension) + "},";
  }
  out += std::string(R"("interactive":)") + (interactive(exec) ? "true" : "false") + "}}";
  return out;
}

bool Credentials::exec_due() const {
  if (!config_.exec) return false;
  if (!exec_have_ || exec_stale_) return true;
  return exec_expires_ && std::chrono::system_clock::now() >= *exec_expires_;
}

Status Credentials::take_exec_answer(const std::string& text) {
  const auto bad = [this](const std::string& why) {
    return Status(Code::unauthenticated, ErrorClass::auth,
                  config_.source + ": exec plugin " + config_.exec->command + ": " + why);
  };
  const Result<ExecAnswer> answer = parse_exec_answer(text, config_.exec->api_version);
  if (!answer.ok()) return bad(answer.status().message());
  const std::string& certificate = answer->certificate_pem;
  const std::string& key = answer->private_key_pem;
  if (certificate != tls_.certificate_pem || key != tls_.private_key_pem) {
    net::ClientOptions options;
    options.tls = tls_;
    options.tls.certificate_pem = certificate;
    options.tls.private_key_pem = key;
    const net::TlsOptions tls = options.tls;
    const Status status = net::HttpClient(executor_, std::move(options)).check();
    if (!status.ok()) return bad(status.message());
    count_rotation(this, tls_.certificate_pem, tls.certificate_pem);
    tls_ = tls;
    ++tls_generation_;
  }
  authorization_ = answer->token.empty() ? std::string() : "Bearer " + answer->token;
  report_expiry();
  exec_expires_ = answer->expires;
  exec_have_ = true;
  exec_stale_ = false;
  return {};
}

// It would fill the disk as fast as it can if the log were its own standard error.
void Credentials::tell_errors(const std::string& errors) {
  if (errors.empty() || !exec_lines_.pass()) return;
  log::warning("The exec plugin wrote to standard error",
               {{"command", config_.exec->command}, {"text", errors}});
}

asio::awaitable<Status> Credentials::exec_once() {
  const ExecConfig& exec = *config_.exec;
  ProcessSpec spec;
  spec.command = exec.command;
  spec.args = exec.args;
  spec.env = exec.env;
  spec.env.emplace_back("KUBERNETES_EXEC_INFO", exec_info());
  spec.share_stdin = interactive(exec);
  spec.timeout = timing_.exec_timeout;
  if (exec.interactive_mode == "Always" && !spec.share_stdin) {
    co_return Status(Code::unauthenticated, ErrorClass::auth,
                     config_.source + ": exec plugin " + exec.command +
                         " needs a terminal (interactiveMode: Always), and this process has none "
                         "or is in its background");
  }
  asio::steady_timer slow(executor_, kSlow);
  tell_when_slow(slow, exec.command);
  const ProcessEnd end = co_await run_process(executor_, std::move(spec));
  slow.cancel();
  count_call(end);
  tell_errors(end.errors);
  if (end.status.ok()) co_return take_exec_answer(end.output);
  std::string message = config_.source + ": exec plugin: " + end.status.message();
  if (!exec.install_hint.empty()) message += "; " + exec.install_hint;
  co_return Status(Code::unauthenticated, ErrorClass::auth, message);
}

asio::awaitable<Status> Credentials::run_exec() {
  while (flight_) {
    const std::shared_ptr<Flight> flight = flight_;
    while (!flight->over) co_await flight->landed.wait();
    // The request that had started the plugin was cancelled, and the plugin with it: the next
    // waiting request starts it again.
    if (flight->status.code() != Code::cancelled) co_return flight->status;
  }
  auto flight = std::make_shared<Flight>(executor_);
  flight->status = Status(Code::cancelled, "the exec plugin was given up");
  flight_ = flight;
  // Wakes the waiting requests, also when this coroutine is destroyed.
  const AtEnd landing([this, flight] {
    flight->over = true;
    flight->landed.notify();
    flight_.reset();
  });
  Status status = co_await exec_once();
  flight->status = status;
  co_return status;
}

asio::awaitable<Status> Credentials::refresh() {
  if (tls_generation_ == 0) {
    Status loaded = load();
    if (!loaded.ok()) co_return loaded;
  }
  co_await renew();
  if (config_.token_source) {
    Status taken = co_await take_token();
    co_return taken;
  }
  if (!exec_due()) co_return Status();
  Status status = co_await run_exec();
  co_return status;
}

}  // namespace ccm::kube
