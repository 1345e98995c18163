#include "server.hpp"

#include "support/http_server.hpp"

#include <map>
#include <mutex>
#include <string>

namespace ccm::digitalocean_api {
namespace {

Milliseconds since_start() {
  return std::chrono::duration_cast<Milliseconds>(
      std::chrono::steady_clock::now().time_since_epoch());
}

std::string header(const support::HttpRequest& request, const std::string& name) {
  const auto place = request.headers.find(name);
  return place == request.headers.end() ? std::string() : place->second;
}

}  // namespace

struct Server::State {
  std::mutex mutex;  // of `api`
  Api api{&since_start};
  support::HttpServer http{[this](const support::HttpRequest& request) { return handle(request); }};

  support::HttpAnswer handle(const support::HttpRequest& request) {
    const ApiRequest asked{request.method, request.target, header(request, "authorization"),
                           header(request, "content-type"), request.body};
    const std::lock_guard lock(mutex);
    ApiAnswer answered = api.handle(asked);
    const std::map<std::string, std::string> headers(answered.headers.begin(),
                                                     answered.headers.end());
    return {answered.status, std::move(answered.body), headers, answered.delay, answered.cut};
  }
};

Server::Server() : state_(std::make_shared<State>()) {}

Server::~Server() = default;

std::string Server::url() const { return state_->http.url(); }

void Server::with(const std::function<void(Api&)>& look) {
  const std::lock_guard lock(state_->mutex);
  look(state_->api);
}

}  // namespace ccm::digitalocean_api
