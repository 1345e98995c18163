// The endpoint on --secure-port: turns flags (HOST-51..71) into a server, its authentication and
// authorization, and its pages. Loop thread.
#pragma once

#include "app/flags/options.hpp"
#include "kube/client.hpp"
#include "serving/auth/trust.hpp"
#include "serving/health.hpp"
#include "serving/metrics.hpp"
#include "serving/pages.hpp"
#include "serving/secure_server.hpp"
#include "serving/site.hpp"

#include <ccm/status.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace prometheus {
class Registry;
}

namespace ccm::app {

class Endpoint {
 public:
  // The references must outlive it. `sampled`: metrics that are read at each scrape.
  Endpoint(boost::asio::any_io_executor executor, const Options& options,
           prometheus::Registry& metrics, const serving::SampledMetrics& sampled,
           std::shared_ptr<serving::HealthRegistry> health);
  ~Endpoint();
  Endpoint& operator=(Endpoint&&) = delete;

  // Adds a page of the host. Before start().
  void add(std::string path, serving::Site::Page page) {
    pages_.emplace_back(std::move(path), std::move(page));
  }
  [[nodiscard]] std::vector<std::string> paths() const {
    return site_ ? site_->paths() : std::vector<std::string>();
  }

  // `fn` gets the SHA-256 of the certificate whenever it is read. Before start().
  void on_certificate(std::function<void(std::string fingerprint)> fn) {
    certificate_in_use_ = std::move(fn);
  }

  // Reads the flags' files, makes the clients for reviews, binds and accepts. Contacts no other
  // server. Does nothing with --secure-port=0. A failure is one clear line.
  Status start();

  // For people: who is authenticated how, and who authorizes.
  struct Access {
    std::string authentication;
    std::string authorization;
  };
  [[nodiscard]] const Access& access() const { return access_; }

  // Reads from the cluster which client certificates to trust, and follows changes. A failure that
  // is not tolerated (HOST-64) means that the process must not go on. Where a role forbids the
  // read, one line says so, and the wait ends when the role allows it, or with stop().
  boost::asio::awaitable<Status> look_up_trust();

  void stop();

 private:
  Status make_access();
  struct Reviewer {
    std::optional<kube::Client> client;
    std::string why_none;
  };
  Result<Reviewer> reviewer(const std::string& kubeconfig, const char* flag, const char* name,
                            std::function<void(const kube::CallRecord&)> observer);
  void add_pages();
  boost::asio::awaitable<Status> await_role();

  boost::asio::any_io_executor executor_;
  const Options& options_;
  std::shared_ptr<serving::HealthRegistry> health_;
  serving::AuthMetrics auth_metrics_;
  serving::TokenCacheMetrics token_cache_metrics_;
  serving::SampledMetrics health_sampled_;
  serving::MetricsPage metrics_page_;
  serving::MetricsPage health_metrics_page_;
  std::shared_ptr<serving::TrustSource> trust_;
  std::optional<kube::Client> trust_client_;
  std::unique_ptr<serving::ClusterTrust> cluster_trust_;
  boost::asio::steady_timer role_timer_{executor_};
  Access access_{"nothing is served", "nothing is served"};
  std::function<void(std::string fingerprint)> certificate_in_use_;
  bool stopping_ = false;
  std::shared_ptr<serving::Site> site_;
  std::vector<std::pair<std::string, serving::Site::Page>> pages_;
  std::unique_ptr<serving::SecureServer> server_;
};

}  // namespace ccm::app
