#include "kube/credentials.hpp"

#include "base/at_end.hpp"
#include "base/log.hpp"
#include "kube/credential_expiry.hpp"
#include "net/certificates.hpp"
#include "net/http_client.hpp"

#include <ccm/trim.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace ccm::kube {
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

// Without TLS the texts are never used.
Status check_tls(boost::asio::any_io_executor executor, const ClientConfig& config,
                 const net::TlsOptions& tls) {
  if (!config.server.starts_with("https://")) return {};
  net::ClientOptions options;
  options.tls = tls;
  const Status status = net::HttpClient(std::move(executor), std::move(options)).check();
  return status.ok() ? status : refused(config, status.message());
}

bool same_tls(const net::TlsOptions& one, const net::TlsOptions& other) {
  return one.ca_pem == other.ca_pem && one.certificate_pem == other.certificate_pem &&
         one.private_key_pem == other.private_key_pem && one.server_name == other.server_name &&
         one.insecure_skip_verify == other.insecure_skip_verify;
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
  if (tls_generation_ == 0 || !same_tls(material.tls, tls_)) {
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
  const bool fresh = !same_tls(material.tls, tls_) || material.authorization != authorization_;
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
  if (token.empty() || authorization_ == std::string(kBearer) + token) return;
  authorization_ = std::string(kBearer) + token;
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

boost::asio::awaitable<Status> Credentials::take_token() {
  const Result<std::string> token = co_await config_.token_source->token();
  if (token.ok()) set_token(*token);
  co_return token.status();
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

}  // namespace ccm::kube
