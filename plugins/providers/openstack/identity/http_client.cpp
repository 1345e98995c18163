#include "http_client.hpp"

#include <ccm/json_limits.hpp>

#include <utility>

namespace ccm::openstack {

Task<Result<Http>> open_http_client(Host& host, Ctx ctx, GlobalSettings global) {
  HttpClientOptions options;
  options.ca_file = global.ca_file;
  if (global.ca_file.empty()) options.ca_pem = global.cafilecontents;
  // One without the other has no effect (OS-49); a warning says so.
  const bool certificate = !global.cert_file.empty() && !global.key_file.empty();
  if (certificate) {
    options.certificate_file = global.cert_file;
    options.key_file = global.key_file;
  }
  options.insecure = global.tls_insecure == "true";
  const bool own =
      !options.ca_file.empty() || !options.ca_pem.empty() || certificate || options.insecure;
  if (!own) co_return host.http;
  options.name = "openstack";
  options.body_limit = static_cast<int64_t>(JsonLimits().bytes);
  auto opened = co_await host.http_clients.open(ctx, std::move(options));
  if (!opened.ok()) co_return opened.status().with_context("[Global]");
  co_return opened;
}

}  // namespace ccm::openstack
