// The ConfigMap kube-system/extension-apiserver-authentication, in which the API server publishes
// its certificate authorities, and its changes (API-125). The server's thread.
#pragma once

#include "kube/client.hpp"
#include "kube/informer.hpp"
#include "serving/auth/trust_source.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace ccm::serving {

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
