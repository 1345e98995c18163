#pragma once

#include "cloud/call_log.hpp"
#include "cloud/cloud_error.hpp"
#include "cloud/cloud_faults.hpp"
#include "cloud/load_balancers.hpp"
#include "cloud/machine.hpp"
#include "cloud/routes.hpp"
#include "cloud/settings.hpp"
#include "http/message.hpp"

namespace sandbox::cloud {

// The cloud's HTTP API without the network: /v1 for the provider, /control for tests and the demo.
// Machines, load balancers and routes. Loop thread.
class CloudServer : public http::Handler {
 public:
  // An empty token is replaced by a random one.
  explicit CloudServer(std::string token);

  http::Reply handle(http::Request& request) override;

  const std::string& token() const { return token_; }
  void generate_machines(int count, const std::string& prefix, const std::string& status);

 private:
  // One call of /v1 and its result.
  struct Call {
    std::string operation;
    std::string fault;
    http::Reply reply;
  };
  http::Reply serve_v1(const http::Request& request);
  void route_v1(const http::Request& request, Call& call);
  void list_machines(const http::Request& request, Call& call);
  void get_machine(const std::string& id, Call& call);
  bool begin(const char* operation, Call& call);
  void load_balancer_call(const http::Request& request, std::string_view rest, Call& call);
  void list_load_balancers(const http::Request& request, Call& call);
  void create_load_balancer(const http::Request& request, Call& call);
  void update_load_balancer(const std::string& id, Json given, Call& call);
  void route_call(const http::Request& request, std::string_view rest, Call& call);
  void limits_call(Call& call);
  void answer(Call& call, int status, const Json& body);
  void answer_page(const http::Request& request, const char* name, const Json& list, Call& call);
  bool apply_fault(const std::string& fault, Call& call);
  void finish(const http::Request& request, Call& call, int retry_after_s);

  http::Reply serve_control(const http::Request& request);
  Json control(const http::Request& request, const Json& body);
  Json control_machines(const http::Request& request, const std::string& rest, const Json& body);
  Json control_load_balancers(const std::string& method, const std::string& rest, const Json& body);
  Json control_routes(const std::string& method, const std::string& rest, const Json& body);
  Json set_faults(const Json& body);
  Json set_settings(const Json& body);
  static LoadBalancers::Clock::time_point now() { return LoadBalancers::Clock::now(); }
  void upsert(const std::string& id, Json given);
  void set_status(const std::string& id, const std::string& action);

  std::string token_;
  Machines machines_;
  LoadBalancers load_balancers_;
  Routes routes_;
  Settings settings_;
  CloudFaults faults_;
  RateLimit rate_limit_;
  CallLog calls_;
  std::size_t next_number_ = 1;
  unsigned long long next_request_ = 1;
};

}  // namespace sandbox::cloud
