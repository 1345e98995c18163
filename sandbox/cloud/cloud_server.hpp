#pragma once

#include "cloud/call_log.hpp"
#include "cloud/cloud_faults.hpp"
#include "cloud/machine.hpp"
#include "http/message.hpp"

namespace sandbox::cloud {

// Failed call; becomes the error body of the API.
struct CloudError {
  int status;
  std::string code;  // not_found rate_limited internal unavailable unauthorized quota invalid
  std::string message;
  int retry_after_s = -1;
};

// The cloud's HTTP API without the network: /v1 for the provider, /control for whoever steers.
// Further kinds of resources get a handler of their own beside `machines`. Loop thread.
class CloudServer : public http::Handler {
 public:
  // An empty token is replaced by a random one.
  explicit CloudServer(std::string token);

  http::Reply handle(http::Request& request) override;

  const std::string& token() const { return token_; }
  void generate_machines(int count, const std::string& prefix, const std::string& status);

 private:
  // One call of /v1 and what became of it.
  struct Call {
    std::string operation;
    http::Reply reply;
  };
  http::Reply serve_v1(const http::Request& request);
  void route_v1(const http::Request& request, Call& call);
  void list_machines(const http::Request& request, Call& call);
  void get_machine(const std::string& id, Call& call);
  bool apply_fault(const std::string& fault, Call& call);
  void finish(const http::Request& request, Call& call, int retry_after_s);

  http::Reply serve_control(const http::Request& request);
  Json control(const http::Request& request, const Json& body);
  Json control_machines(const http::Request& request, const std::string& rest, const Json& body);
  Json set_faults(const Json& body);
  void upsert(const std::string& id, Json given);
  void set_status(const std::string& id, const std::string& action);

  std::string token_;
  Machines machines_;
  CloudFaults faults_;
  RateLimit rate_limit_;
  CallLog calls_;
  std::size_t next_number_ = 1;
  unsigned long long next_request_ = 1;
};

}  // namespace sandbox::cloud
