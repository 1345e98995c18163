#include "serving/auth/trust_source.hpp"

#include "base/log.hpp"

#include <utility>

namespace ccm::serving {

namespace {
constexpr std::chrono::seconds kLookEvery{1};
}

TrustSource::TrustSource(TrustOptions options) : options_(std::move(options)) {
  client_.path = options_.client_ca_file;
  client_.flag = "--client-ca-file";
  proxy_.path = options_.proxy_ca_file;
  proxy_.flag = "--requestheader-client-ca-file";
}

Status TrustSource::read(File* file) {
  if (file->path.empty()) return {};
  // Older than the content that is read, so that a change in between shows.
  file->stamp = kube::file_stamp(file->path);
  const Result<std::string> pem = kube::read_file(file->path);
  if (!pem.ok()) return pem.status().with_context(file->flag);
  auto authority = Authority::parse(*pem, file->flag + "=" + file->path);
  if (!authority.ok()) return authority.status();
  file->authority = std::move(*authority);
  return {};
}

Status TrustSource::load() {
  if (Status status = read(&client_); !status.ok()) return status;
  return read(&proxy_);
}

void TrustSource::refresh(File* file) {
  const auto now = std::chrono::steady_clock::now();
  if (file->path.empty() || now < file->look_at) return;
  file->look_at = now + kLookEvery;
  if (kube::file_stamp(file->path) == file->stamp) return;
  const Status status = read(file);
  if (status.ok()) {
    log::info("Re-read a certificate authority", {{"flag", file->flag}, {"file", file->path}});
  } else {
    log::warning("A changed certificate authority is invalid, the old one stays in use",
                 {{"file", file->path}, {"err", status}});
  }
}

const Trust& TrustSource::current() {
  refresh(&client_);
  refresh(&proxy_);
  current_.clients = client_.path.empty() ? cluster_.clients : client_.authority;
  current_.proxies = proxy_.path.empty() ? cluster_.proxies : options_.proxies;
  if (!proxy_.path.empty()) current_.proxies.authority = proxy_.authority;
  return current_;
}

void TrustSource::set_cluster(Trust trust) { cluster_ = std::move(trust); }

}  // namespace ccm::serving
