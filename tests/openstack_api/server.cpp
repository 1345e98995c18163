#include "openstack_api/server.hpp"

#include "support/http_server.hpp"

#include <chrono>
#include <latch>
#include <mutex>
#include <utility>

namespace ccm::openstack_api {
namespace {

milliseconds since_1970() {
  return std::chrono::duration_cast<milliseconds>(
      std::chrono::system_clock::now().time_since_epoch());
}

}  // namespace

struct Server::State {
  State(Server& owner, Aside aside) : server(owner), aside(std::move(aside)) { reset(); }

  Server& server;
  Aside aside;
  std::mutex mutex;  // of cloud and facts
  std::unique_ptr<Cloud> cloud;
  json facts;
  std::latch made{1};  // the first request may come before the cloud and the server are there
  support::HttpServer http{[this](const support::HttpRequest& received) {
    return handle({received.method, received.target, received.headers, received.body});
  }};

  void reset() {
    cloud = std::make_unique<Cloud>(&since_1970, http.url());
    facts = populate(*cloud);
  }

  Answer handle(const Request& request) {
    made.wait();
    if (auto other = aside ? aside(request, server) : std::nullopt) return *std::move(other);
    const std::lock_guard lock(mutex);
    return cloud->handle(request);
  }
};

Server::Server(Aside aside) : state_(std::make_shared<State>(*this, std::move(aside))) {
  state_->made.count_down();
}

Server::~Server() = default;

std::string Server::url() const { return state_->http.url(); }

const json& Server::facts() const { return state_->facts; }

void Server::with(const std::function<void(Cloud&)>& look) {
  const std::lock_guard lock(state_->mutex);
  look(*state_->cloud);
}

void Server::reset() {
  const std::lock_guard lock(state_->mutex);
  state_->reset();
}

}  // namespace ccm::openstack_api
