// Who is trusted to name a user without asking the API server: certificate authorities, and the
// headers in which front proxies name their users (API-125, 128). From files, re-read when they
// change, and from the cluster's ConfigMap where no file is given (HOST-63..68). The server's
// thread.
#pragma once

#include "kube/client.hpp"
#include "kube/file_text.hpp"
#include "kube/informer.hpp"
#include "serving/auth/client_certificates.hpp"
#include "serving/message.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ccm::serving {

struct FrontProxyTrust {
  std::shared_ptr<const Authority> authority;  // null: no proxy is trusted
  std::vector<std::string> allowed_names;      // common names; empty: any
  std::vector<std::string> username_headers;
  std::vector<std::string> group_headers;
  std::vector<std::string> extra_prefixes;
  std::vector<std::string> uid_headers;
};

struct Trust {
  std::shared_ptr<const Authority> clients;  // null: client certificates are ignored
  FrontProxyTrust proxies;
};

// The keys of the ConfigMap; a missing key leaves its part empty. A failure names the key.
Result<Trust> trust_of_config_map(const std::map<std::string, std::string>& data);

// The result of one way of authentication: a user, a fault in the credentials, or neither.
struct Finding {
  std::optional<User> user;
  std::string fault;  // for the log
};

// The user whom a front proxy names in its headers (HOST-101).
Finding user_of_front_proxy(const FrontProxyTrust& trust, const Request& request);
// CN = name, O = groups (HOST-66).
Finding user_of_certificate(const std::shared_ptr<const Authority>& clients,
                            const Request& request);

// Removes credentials from the request, whatever client sent them (API-127).
void strip_credentials(const FrontProxyTrust& trust, Request* request);

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
