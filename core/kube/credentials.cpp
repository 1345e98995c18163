#include "kube/credentials.hpp"

#include "base/log.hpp"
#include "net/http_client.hpp"

#include <ccm/trim.hpp>

#include <algorithm>

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

Status check_tls(boost::asio::any_io_executor executor, const net::TlsOptions& tls) {
  net::ClientOptions options;
  options.tls = tls;
  return net::HttpClient(std::move(executor), std::move(options)).check();
}

}  // namespace

Status Credentials::load_tls_files() {
  net::TlsOptions fresh;
  fresh.server_name = config_.tls_server_name;
  fresh.insecure_skip_verify = config_.insecure_skip_tls_verify;
  Status status = text_or_file(config_, config_.ca_data, config_.ca_file, fresh.ca_pem);
  if (!status.ok() && config_.ca_file_optional) {
    log::warning("The system's certificate authorities are used", {{"reason", status}});
    status = {};
  } else if (status.ok() && !config_.ca_file.empty() && trim(fresh.ca_pem).empty()) {
    status = refused(config_, config_.ca_file + " holds no certificate");
  }
  if (!status.ok()) return status;
  status = text_or_file(config_, config_.client_certificate_data, config_.client_certificate_file,
                        fresh.certificate_pem);
  if (!status.ok()) return status;
  status = text_or_file(config_, config_.client_key_data, config_.client_key_file,
                        fresh.private_key_pem);
  if (!status.ok()) return status;
  if (fresh.certificate_pem.empty()) fresh.private_key_pem.clear();
  if (config_.exec && exec_have_) {  // the plugin's certificate is not from a file
    fresh.certificate_pem = tls_.certificate_pem;
    fresh.private_key_pem = tls_.private_key_pem;
  }
  if (config_.server.starts_with("https://")) {
    if (status = check_tls(executor_, fresh); !status.ok()) {
      return refused(config_, status.message());
    }
  }
  const bool changed = fresh.ca_pem != tls_.ca_pem ||
                       fresh.certificate_pem != tls_.certificate_pem ||
                       fresh.private_key_pem != tls_.private_key_pem;
  if (changed || tls_generation_ == 0) {
    tls_ = std::move(fresh);
    ++tls_generation_;
  }
  return {};
}

void Credentials::check_tls_files() {
  const Clock::time_point now = Clock::now();
  if (now - files_checked_ < timing_.file_check) return;
  files_checked_ = now;
  const FileStamp ca = config_.ca_data.empty() ? file_stamp(config_.ca_file) : FileStamp{};
  const FileStamp certificate = file_stamp(config_.client_certificate_file);
  const FileStamp key = file_stamp(config_.client_key_file);
  if (ca == ca_stamp_ && certificate == certificate_stamp_ && key == key_stamp_) return;
  ca_stamp_ = ca;
  certificate_stamp_ = certificate;
  key_stamp_ = key;
  if (tls_generation_ == 0) return;  // load() follows
  const uint64_t before = tls_generation_;
  const Status status = load_tls_files();
  if (!status.ok()) {
    // Half written, or broken: the last working credential stays (API-83).
    log::warning("Kept the previous certificates", {{"err", status}});
  } else if (tls_generation_ != before) {
    log::info("Certificates were renewed", {{"source", config_.source}});
  }
}

void Credentials::set_token(const std::string& token) {
  if (!token.empty()) authorization_ = std::string(kBearer) + token;
}

Status Credentials::load_token_file() {
  const Result<std::string> content = read_file(config_.token_file);
  if (!content.ok()) return refused(config_, content.status().message());
  const std::string token(trim(*content));
  if (token.empty()) return refused(config_, "the token file " + config_.token_file + " is empty");
  set_token(token);
  return {};
}

void Credentials::renew_token_file() {
  const Clock::time_point now = Clock::now();
  if (!token_stale_ && now - token_read_ < timing_.token_age) return;
  token_read_ = now;
  token_stale_ = false;
  const Status status = load_token_file();
  if (!status.ok() && !token_failure_logged_) {
    log::warning("Kept the previous token", {{"err", status}});
  }
  token_failure_logged_ = !status.ok();
}

Status Credentials::load() {
  check_tls_files();
  if (Status status = load_tls_files(); !status.ok()) return status;
  if (!config_.username.empty() || !config_.password.empty()) {
    authorization_ = "Basic " + base64_encode(config_.username + ":" + config_.password);
  }
  set_token(config_.token);
  if (config_.token_file.empty()) return {};
  token_read_ = Clock::now();
  const Status status = load_token_file();
  return status.ok() || !authorization_.empty() ? Status() : status;
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
  if (!config_.token_file.empty()) {
    token_stale_ = token_stale_ || authorization == authorization_;
    return true;
  }
  if (config_.exec) {
    // Rotated already after another request's 401: the new one has not been refused yet (API-90).
    exec_stale_ = exec_stale_ || (authorization == authorization_ && generation == tls_generation_);
    return true;
  }
  return false;
}

}  // namespace ccm::kube
