// The currently trusted authorities: from files, re-read when they change, and from the cluster's
// ConfigMap where no file is given (HOST-63..68). The server's thread.
#pragma once

#include "kube/client.hpp"
#include "kube/file_text.hpp"
#include "kube/informer.hpp"
#include "serving/auth/trust.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace ccm::serving {

struct TrustOptions {
  std::string client_ca_file;
  std::string proxy_ca_file;
  FrontProxyTrust proxies;  // but the authority, which is the file's; without one the ConfigMap's
};

class TrustSource {
 public:
  explicit TrustSource(TrustOptions options);

  // Reads the files. A failure names the flag.
  Status load();

  // The current trust. Checks the files: an unusable new one is logged and the old one stays in
  // force.
  const Trust& current();

  // The ConfigMap's content; used where there is no file.
  void set_cluster(Trust trust);

  // Whether any part is left for the ConfigMap to define.
  [[nodiscard]] bool wants_cluster() const {
    return options_.client_ca_file.empty() || options_.proxy_ca_file.empty();
  }

 private:
  struct File {
    std::string path;
    std::string flag;
    kube::FileStamp stamp;
    std::chrono::steady_clock::time_point look_at;
    std::shared_ptr<const Authority> authority;
  };
  static Status read(File* file);
  static void refresh(File* file);

  TrustOptions options_;
  File client_;
  File proxy_;
  Trust cluster_;
  Trust current_;
};

// The ConfigMap kube-system/extension-apiserver-authentication, in which the API server publishes
// its certificate authorities, and its changes (API-125). The server's thread.
class ClusterTrust {
 public:
  // `source` gets what the ConfigMap says.
  ClusterTrust(kube::Client client, std::shared_ptr<TrustSource> source);
  ~ClusterTrust();  // stop()
  ClusterTrust(const ClusterTrust&) = delete;
  ClusterTrust& operator=(const ClusterTrust&) = delete;

  // Reads it once, within 10 s. ok also when there is none, which is logged: the API server creates
  // it when it has content.
  boost::asio::awaitable<Status> look_up();
  // Watches it from now on. An unusable ConfigMap is logged, and the known content stays in force.
  void follow();
  void stop();

 private:
  void take(const kube::Object& object);

  kube::Client client_;
  std::shared_ptr<TrustSource> source_;
  kube::Informer informer_;
  std::optional<std::map<std::string, std::string>> taken_;  // the ConfigMap's last content
};

}  // namespace ccm::serving
