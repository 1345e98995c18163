#pragma once

#include "api/authorization.hpp"
#include "api/faults.hpp"
#include "api/writer.hpp"
#include "http/message.hpp"

namespace sandbox {

// The Kubernetes API without the network: one request in, one answer or stream out. Loop thread.
class ApiServer : public http::Handler {
 public:
  struct Options {
    std::string admin_token;     // empty: a random one
    std::size_t history = 1000;  // events kept of each resource
  };
  explicit ApiServer(Options options);

  http::Reply handle(http::Request& request) override;

  const std::string& admin_token() const { return authenticator_.admin_token(); }
  const Authenticator& authenticator() const { return authenticator_; }
  Store& store() { return store_; }
  Writer& writer() { return writer_; }

  // Adds nodes PREFIX0 ... as a kubelet with an external cloud provider registers them.
  void add_uninitialized_nodes(int count, const std::string& prefix);

 private:
  http::Reply dispatch(const RequestInfo& info, const User& user, const http::Request& request);
  http::Reply handle_api(const RequestInfo& info, const User& user, const http::Request& request);
  http::Response write(const RequestInfo& info, const http::Request& request);
  http::Response administer(const User& user, const http::Request& request);
  http::Response drop_watches(const http::Request& request);
  void create_initial_objects();

  Store store_;
  Writer writer_;
  Authenticator authenticator_;
  Authorizer authorizer_;
  Faults faults_;
  RequestCounters counters_;
};

}  // namespace sandbox
