// Who is trusted to name a user without asking the API server: client certificates and the
// authorities that sign them, and the headers in which front proxies name their users (API-125,
// 128). From files, re-read when they change, and from the cluster's ConfigMap where no file is
// given (HOST-63..68). The server's thread.
#pragma once

#include "kube/client.hpp"
#include "kube/file_text.hpp"
#include "kube/informer.hpp"
#include "net/tls_context.hpp"
#include "serving/message.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>
#include <openssl/x509.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::serving {

class Authority;

// The certificates that a client showed in its handshake. The handshake proves that it has the key
// of the first one; the signers are checked with the first request, and again when the authorities
// have changed.
class PeerCertificates {
 public:
  // Null when the client showed none. After the handshake.
  static std::shared_ptr<const PeerCertificates> of(const SSL* session);

  [[nodiscard]] X509* leaf() const { return leaf_.get(); }
  [[nodiscard]] const std::vector<net::Openssl<X509>>& intermediates() const { return rest_; }

  // Authority::verify(), called once for each authority and again after the chain's end. A failure
  // is remembered for a minute.
  [[nodiscard]] Status verified_by(const std::shared_ptr<const Authority>& authority) const;

  // CN and all O of the leaf's subject.
  [[nodiscard]] std::string common_name() const;
  [[nodiscard]] std::vector<std::string> organizations() const;

 private:
  net::Openssl<X509> leaf_;
  std::vector<net::Openssl<X509>> rest_;
  struct Known {
    std::weak_ptr<const Authority> authority;
    Status status;
    std::chrono::system_clock::time_point until;
  };
  mutable std::vector<Known> known_;  // existing authorities
};

// A bundle of certificate authorities whose client certificates are trusted. Immutable.
class Authority {
 public:
  // invalid_argument when the text has no certificate or a damaged one; `what` starts the message.
  static Result<std::shared_ptr<const Authority>> parse(const std::string& pem,
                                                        std::string_view what);

  // Whether the chain leads to one of these, is in its time, may be used by a client and has no
  // signature that can be forged today: no SHA-1, no RSA below 2048 bits. Failure: unauthenticated,
  // with one clause about what is wrong. Success sets `until`, the end of the first certificate of
  // the chain to expire.
  [[nodiscard]] Status verify(const PeerCertificates& peer,
                              std::chrono::system_clock::time_point* until) const;

 private:
  net::Openssl<X509_STORE> store_;
};

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
  void set_cluster(Trust trust) { cluster_ = std::move(trust); }

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
  ClusterTrust& operator=(ClusterTrust&&) = delete;

  // Reads it once, within 10 s. ok also when there is none, which is logged: the API server creates
  // it when it has content.
  boost::asio::awaitable<Status> look_up();
  // Watches it from now on. An unusable ConfigMap is logged, and the known content stays in force.
  void follow();
  void stop() { informer_.stop(); }

 private:
  void take(const kube::Object& object);

  kube::Client client_;
  std::shared_ptr<TrustSource> source_;
  kube::Informer informer_;
  std::optional<std::map<std::string, std::string>> taken_;  // the ConfigMap's last content
};

}  // namespace ccm::serving
