#include "server.hpp"

#include "support/http_server.hpp"

#include <chrono>
#include <mutex>
#include <utility>

namespace ccm::aws_api {
namespace {

std::chrono::milliseconds since_start() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now().time_since_epoch());
}

// Which key signed is all that is looked at; tests/aws verifies signatures.
bool is_signed(const support::HttpRequest& request) {
  const auto header = request.headers.find("authorization");
  return header != request.headers.end() &&
         header->second.starts_with("AWS4-HMAC-SHA256 Credential=AKIDTEST/");
}

}  // namespace

struct Server::State {
  std::mutex mutex;  // of `world` and `disturbance`
  Disturbance disturbance;
  World world{&since_start};
  const Names names{world.populate()};
  support::HttpServer http{[this](const support::HttpRequest& request) { return handle(request); }};

  support::HttpAnswer handle(const support::HttpRequest& request) {
    support::HttpAnswer out;
    out.headers["content-type"] = "text/xml;charset=UTF-8";
    if (!is_signed(request)) {
      out.status = 403;
      out.body =
          "<Response><Errors><Error><Code>AuthFailure</Code><Message>AWS was not able to validate "
          "the provided access credentials</Message></Error></Errors></Response>";
      return out;
    }
    const std::lock_guard lock(mutex);
    const Carry carry = [&] {
      Answer answered = world.handle(request.body);
      out.status = answered.status;
      out.body = std::move(answered.body);
      out.cut = answered.cut;
      out.delay = world.latency;
      return out;
    };
    return disturbance ? disturbance(carry) : carry();
  }
};

Server::Server() : state_(std::make_shared<State>()) {}
Server::~Server() = default;

std::string Server::url() const { return state_->http.url(); }
const Names& Server::names() const { return state_->names; }

void Server::disturb(Disturbance by) {
  const std::lock_guard lock(state_->mutex);
  state_->disturbance = std::move(by);
}

void Server::with(const std::function<void(World&)>& look) {
  const std::lock_guard lock(state_->mutex);
  look(state_->world);
}

}  // namespace ccm::aws_api
