#include "kube/credentials.hpp"

#include "base/at_end.hpp"
#include "kube/child_process.hpp"
#include "kube/client_metrics.hpp"
#include "kube/json_text.hpp"
#include "kube/object.hpp"
#include "kube/task_group.hpp"
#include "kube/time_text.hpp"
#include "net/http_client.hpp"

#include <ccm/base64.hpp>
#include <ccm/percent_encode.hpp>
#include <ccm/trim.hpp>

#include <boost/asio/steady_timer.hpp>
#include <unistd.h>

#include <algorithm>

namespace ccm::kube {
namespace asio = boost::asio;

namespace {

constexpr std::string_view kBearer = "Bearer ";

Status refused(const ClientConfig& config, const std::string& what) {
  return {Code::failed_precondition, ErrorClass::auth, config.source + ": " + what};
}

// A file, unless inline data is there, which wins (API-82).
Status text_or_file(const ClientConfig& config, const std::string& data, const std::string& path,
                    std::string& out) {
  out = data;
  if (!data.empty() || path.empty()) return {};
  Result<std::string> content = read_file(path);
  if (!content.ok()) return refused(config, content.status().message());
  out = std::move(*content);
  return {};
}

Status check_texts(const asio::any_io_executor& executor, const net::TlsOptions& tls) {
  net::ClientOptions options;
  options.tls = tls;
  return net::HttpClient(executor, std::move(options)).check();
}

// Without TLS the texts are never used.
Status check_tls(const asio::any_io_executor& executor, const ClientConfig& config,
                 const net::TlsOptions& tls) {
  if (!config.server.starts_with("https://")) return {};
  const Status status = check_texts(executor, tls);
  return status.ok() ? status : refused(config, status.message());
}

}  // namespace

Credentials::Stamps Credentials::stamps() const {
  Stamps stamps;
  if (!config_.file.empty()) stamps.config = file_stamp(config_.file);
  if (config_.ca_data.empty()) stamps.ca = file_stamp(config_.ca_file);
  stamps.certificate = file_stamp(config_.client_certificate_file);
  stamps.key = file_stamp(config_.client_key_file);
  return stamps;
}

Result<ClientConfig> Credentials::read_config() const {
  if (config_.file.empty()) return config_;
  const Result<ClientConfig> read = load_kubeconfig(config_.file, config_.file_master);
  if (!read.ok()) return read.status();
  ClientConfig config = config_.without_credential ? read->anonymous() : *read;
  config.source = config_.source;
  config.token_source = config_.token_source;
  if (config.server != config_.server || config.proxy_url != config_.proxy_url ||
      config.impersonate != config_.impersonate || config.exec != config_.exec) {
    return refused(config_,
                   "it has another server, proxy, impersonation or exec plugin now, which counts "
                   "after a restart");
  }
  return config;
}

Status Credentials::read_authority(const ClientConfig& config, std::string& pem) const {
  Status status = text_or_file(config, config.ca_data, config.ca_file, pem);
  // Not in place of one that is in use: the system's hardly know the API server.
  if (!status.ok() && config.ca_file_optional && tls_.ca_pem.empty()) {
    if (tls_generation_ == 0) {
      log::warning("The system's certificate authorities are used", {{"reason", status}});
    }
    return {};
  }
  if (status.ok() && !config.ca_file.empty() && trim(pem).empty()) {
    status = refused(config, config.ca_file + " holds no certificate");
  }
  if (!status.ok() || pem == tls_.ca_pem) return status;
  net::TlsOptions alone;  // so that a fault of the client's certificate is not taken for its own
  alone.ca_pem = pem;
  return check_tls(executor_, config, alone);
}

Status Credentials::read_certificate(const ClientConfig& config, net::TlsOptions& tls) const {
  Status status = text_or_file(config, config.client_certificate_data,
                               config.client_certificate_file, tls.certificate_pem);
  if (!status.ok()) return status;
  status =
      text_or_file(config, config.client_key_data, config.client_key_file, tls.private_key_pem);
  if (!status.ok()) return status;
  if (tls.certificate_pem.empty()) tls.private_key_pem.clear();
  if (config.exec && exec_have_) {  // the plugin's certificate is not from a file
    tls.certificate_pem = tls_.certificate_pem;
    tls.private_key_pem = tls_.private_key_pem;
  }
  return check_tls(executor_, config, tls);
}

Result<std::string> Credentials::read_authorization(const ClientConfig& config) {
  token_read_ = Clock::now();
  if (config.token_source || (config.exec && exec_have_)) return authorization_;
  std::string given;
  if (!config.username.empty() || !config.password.empty()) {
    given = "Basic " + base64_encode(config.username + ":" + config.password);
  }
  if (!config.token.empty()) given = std::string(kBearer) + config.token;
  if (config.token_file.empty()) return given;
  const Result<std::string> content = read_file(config.token_file);
  Status fault;
  if (!content.ok()) {
    fault = refused(config, content.status().message());
  } else if (trim(*content).empty()) {
    fault = refused(config, "the token file " + config.token_file + " is empty");
  } else {
    token_fault_.clear();
    return std::string(kBearer) + std::string(trim(*content));
  }
  if (authorization_.empty() && given.empty()) return fault;
  if (!authorization_.empty() && fault.message() != token_fault_) {
    log::warning("Kept the previous token", {{"err", fault}});
    token_fault_ = fault.message();
  }
  return authorization_.empty() ? given : authorization_;
}

Result<Credentials::Material> Credentials::read(ClientConfig config) {
  Material material;
  material.tls.server_name = config.tls_server_name;
  material.tls.server_fingerprint = config.server_fingerprint;
  material.tls.insecure_skip_verify = config.insecure_skip_tls_verify;
  material.fault = read_authority(config, material.tls.ca_pem);
  if (!material.fault.ok()) {
    if (tls_generation_ == 0) return material.fault;
    material.tls.ca_pem = tls_.ca_pem;
  }
  if (Status status = read_certificate(config, material.tls); !status.ok()) return status;
  Result<std::string> authorization = read_authorization(config);
  if (!authorization.ok()) return authorization.status();
  material.authorization = *std::move(authorization);
  material.config = std::move(config);
  return material;
}

// A source that cannot be used does not stop the rotation of the others. A changed kubeconfig
// counts as a whole or not at all: half of it could be no credential at all, which a trial may not
// show.
Credentials::Material Credentials::read_again() {
  const Result<ClientConfig> config = read_config();
  Result<Material> whole = config.ok() ? read(*config) : Result<Material>(config.status());
  if (whole.ok()) return *std::move(whole);
  Material parts{config_, tls_, authorization_, whole.status()};
  std::string pem;
  if (read_authority(config_, pem).ok()) parts.tls.ca_pem = std::move(pem);
  net::TlsOptions tls = parts.tls;
  if (read_certificate(config_, tls).ok()) parts.tls = std::move(tls);
  Result<std::string> authorization = read_authorization(config_);
  if (authorization.ok()) parts.authorization = *std::move(authorization);
  return parts;
}

void Credentials::adopt(Material material) {
  if (tls_generation_ == 0 || material.tls != tls_) {
    tls_ = std::move(material.tls);
    ++tls_generation_;
  }
  config_ = std::move(material.config);
  authorization_ = std::move(material.authorization);
  report_expiry();
}

Status Credentials::load() {
  const Stamps now = stamps();
  Result<Material> material = read(config_);
  if (!material.ok()) return material.status();
  seen_ = now;
  seen_.config = config_.file_stamp;
  files_checked_ = Clock::now();
  adopt(*std::move(material));
  return {};
}

bool Credentials::due() {
  const Clock::time_point now = Clock::now();
  const bool token = !config_.token_file.empty() && now - token_read_ >= timing_.token_age;
  const bool again = kept_ && now >= retry_at_;
  if (now - files_checked_ >= timing_.file_check) {
    files_checked_ = now;
    const Stamps found = stamps();
    if (found != seen_) {
      seen_ = found;
      return true;
    }
  }
  return stale_ || token || again;
}

// Without a word again as long as the fault is the same.
void Credentials::keep(const Status& why) {
  kept_ = true;
  retry_at_ = Clock::now() + timing_.retry;
  if (why.message() == fault_) return;
  fault_ = why.message();
  log::warning("Kept the previous credentials", {{"source", config_.source}, {"err", why}});
}

// A file may be half written or wrong, so the new credential is tried before the old one is dropped
// (API-83); other requests use the old one meanwhile. Nothing is tried when the server refuses the
// old one: then the request itself is the trial.
boost::asio::awaitable<void> Credentials::renew() {
  if (trying_ || !due()) co_return;
  const bool refused_now = std::exchange(stale_, false);
  Material material = read_again();
  const bool fresh = material.tls != tls_ || material.authorization != authorization_;
  if (fresh && trial_ && !refused_now) {
    trying_ = true;
    const AtEnd tried([this] { trying_ = false; });
    kept_ = true;  // the request may be cancelled before the answer comes
    retry_at_ = Clock::now() + timing_.retry;
    net::TlsOptions tls = material.tls;
    std::string authorization = material.authorization;
    const Status taken = co_await trial_(std::move(tls), std::move(authorization));
    if (!taken.ok()) {
      keep(taken);
      co_return;
    }
  }
  if (material.fault.ok()) {
    kept_ = false;
    fault_.clear();
  } else {
    keep(material.fault);
  }
  // These may have been renewed meanwhile.
  if (config_.exec || config_.token_source) material.authorization = authorization_;
  if (config_.exec) {
    material.tls.certificate_pem = tls_.certificate_pem;
    material.tls.private_key_pem = tls_.private_key_pem;
  }
  adopt(std::move(material));
  if (fresh) log::info("Credentials were renewed", {{"source", config_.source}});
}

void Credentials::set_token(const std::string& token) {
  std::string authorization = std::string(kBearer) + token;
  if (token.empty() || authorization_ == authorization) return;
  authorization_ = std::move(authorization);
  report_expiry();
}

void Credentials::report_expiry() const {
  std::vector<CredentialExpiry::Entry> entries;
  const auto add = [&](const char* kind, std::optional<CredentialExpiry::TimePoint> expires) {
    if (expires) entries.push_back({config_.source, kind, *expires});
  };
  if (const auto times = net::times_of_first(tls_.certificate_pem)) {
    add("client-certificate", times->not_after);
  }
  add("certificate-authority", net::last_expiry(tls_.ca_pem));
  if (authorization_.starts_with(kBearer)) {
    add("token", token_expiry(std::string_view(authorization_).substr(kBearer.size())));
  }
  CredentialExpiry::of_process().set(this, std::move(entries));
}

bool Credentials::rejected(const std::string& authorization, uint64_t generation) {
  if (config_.token_source) {
    config_.token_source->rejected(
        authorization.substr(std::min(kBearer.size(), authorization.size())));
    return true;
  }
  if (config_.exec) {
    // Rotated already after another request's 401: the new one has not been refused yet (API-90).
    exec_stale_ = exec_stale_ || (authorization == authorization_ && generation == tls_generation_);
    return true;
  }
  if (!config_.token_file.empty() || (!config_.file.empty() && !config_.without_credential)) {
    stale_ = stale_ || (authorization == authorization_ && generation == tls_generation_);
    return true;
  }
  return false;
}

// Credentials from an exec plugin (API-86..90).
struct Credentials::ExecRun {
  explicit ExecRun(const asio::any_io_executor& executor) : ended(executor) {}
  Signal ended;
  bool over = false;
  Status status{Code::cancelled, "the exec plugin was given up"};
};

namespace {

// In the background the terminal would stop the plugin, and this process with it, instead of giving
// it anything.
bool interactive(const ExecConfig& exec) {
  return exec.interactive_mode != "Never" && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
}

constexpr std::chrono::seconds kSlow{10};

// Everything waits for it, the start of the program included.
void log_when_slow(asio::steady_timer& timer, const std::string& command) {
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
    net::TlsOptions tls = tls_;
    tls.certificate_pem = certificate;
    tls.private_key_pem = key;
    if (const Status status = check_texts(executor_, tls); !status.ok())
      return bad(status.message());
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
void Credentials::log_errors(const std::string& errors) {
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
  log_when_slow(slow, exec.command);
  const ProcessEnd end = co_await run_process(executor_, std::move(spec));
  slow.cancel();
  count_call(end);
  log_errors(end.errors);
  if (end.status.ok()) co_return take_exec_answer(end.output);
  std::string message = config_.source + ": exec plugin: " + end.status.message();
  if (!exec.install_hint.empty()) message += "; " + exec.install_hint;
  co_return Status(Code::unauthenticated, ErrorClass::auth, message);
}

asio::awaitable<Status> Credentials::run_exec() {
  while (exec_run_) {
    const std::shared_ptr<ExecRun> other = exec_run_;
    while (!other->over) co_await other->ended.wait();
    // The request that had started the plugin was cancelled, and the plugin with it: the next
    // waiting request starts it again.
    if (other->status.code() != Code::cancelled) co_return other->status;
  }
  const auto run = std::make_shared<ExecRun>(executor_);
  exec_run_ = run;
  // Wakes the waiting requests, also when this coroutine is destroyed.
  const AtEnd waking([this, run] {
    run->over = true;
    run->ended.notify();
    exec_run_.reset();
  });
  run->status = co_await exec_once();
  co_return run->status;
}

asio::awaitable<Status> Credentials::refresh() {
  if (tls_generation_ == 0) {
    Status loaded = load();
    if (!loaded.ok()) co_return loaded;
  }
  co_await renew();
  if (config_.token_source) {
    const Result<std::string> token = co_await config_.token_source->token();
    if (token.ok()) set_token(*token);
    co_return token.status();
  }
  if (!exec_due()) co_return Status();
  co_return co_await run_exec();
}

namespace {

Status bad(std::string why) { return {Code::unauthenticated, ErrorClass::auth, std::move(why)}; }

}  // namespace

Result<ExecAnswer> parse_exec_answer(std::string_view text, std::string_view api_version) {
  const Result<ObjectPtr> decoded = Object::decode(text);
  if (!decoded.ok()) return bad("its output is not an ExecCredential in JSON");
  const Object& object = **decoded;
  if (object.text_at("/kind") != "ExecCredential" || object.text_at("/apiVersion") != api_version) {
    return bad("it must answer with kind ExecCredential, apiVersion " + std::string(api_version));
  }
  ExecAnswer answer;
  answer.token = object.text_at("/status/token");
  answer.certificate_pem = object.text_at("/status/clientCertificateData");
  answer.private_key_pem = object.text_at("/status/clientKeyData");
  if (answer.certificate_pem.empty() != answer.private_key_pem.empty()) {
    return bad("it returned only one of clientCertificateData and clientKeyData");
  }
  if (answer.token.empty() && answer.certificate_pem.empty())
    return bad("it returned no credential");
  const std::string_view expiration = object.text_at("/status/expirationTimestamp");
  answer.expires = parse_time(expiration);
  if (!expiration.empty() && !answer.expires) {
    return bad("expirationTimestamp is no RFC 3339 time");
  }
  return answer;
}

std::vector<std::pair<std::string, std::string>> impersonation_headers(const Impersonation& as) {
  std::vector<std::pair<std::string, std::string>> headers;
  if (as.user.empty()) return headers;
  headers.emplace_back("Impersonate-User", as.user);
  if (!as.uid.empty()) headers.emplace_back("Impersonate-Uid", as.uid);
  for (const std::string& group : as.groups) headers.emplace_back("Impersonate-Group", group);
  for (const auto& [key, values] : as.extra) {
    for (const std::string& value : values) {
      headers.emplace_back("Impersonate-Extra-" + percent_encode(key), value);
    }
  }
  return headers;
}

}  // namespace ccm::kube
