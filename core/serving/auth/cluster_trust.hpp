// The ConfigMap kube-system/extension-apiserver-authentication, in which the API server publishes
// its certificate authorities, and what becomes of them (API-125). The server's thread.
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

  // Reads it once, within 10 s. ok also when there is none, which is logged: the API server makes
  // it when it has something to say.
  boost::asio::awaitable<Status> look_up();
  // Follows its changes from now on. A ConfigMap that cannot be used is logged, and what was known
  // goes on.
  void follow();
  void stop();

 private:
  void take(const kube::Object& object);

  kube::Client client_;
  std::shared_ptr<TrustSource> source_;
  kube::Informer informer_;
  std::optional<std::map<std::string, std::string>> taken_;  // what the ConfigMap said last
};

}  // namespace ccm::serving
