#include "openstack/cloud.hpp"
#include "support/file.hpp"
#include "support/http_client.hpp"

#include <chrono>
#include <thread>

namespace ccm::openstack_contract {
namespace {

class ServicesCloud : public Cloud {
 public:
  explicit ServicesCloud(const std::string& ready_file)
      : Cloud(json::parse(support::read_file(ready_file))) {}

  // On a connection of its own: the services end idle ones after seconds.
  Answer send(const Request& request) override {
    const size_t slash =
        std::min(request.url.find('/', request.url.find("//") + 2), request.url.size());
    support::Credentials credentials;
    credentials.server = request.url.substr(0, slash);
    support::HttpRequest sent;
    sent.method = request.method;
    sent.target = slash == request.url.size() ? "/" : request.url.substr(slash);
    sent.headers = request.headers;
    sent.body = request.body;
    const support::HttpResponse response = support::HttpClient(std::move(credentials)).send(sent);
    return {response.status, response.headers, response.body};
  }

  // There is no event to wait for: the services are only asked again, as every client of them does.
  void wait() override { std::this_thread::sleep_for(std::chrono::milliseconds(200)); }
};

}  // namespace

std::unique_ptr<Cloud> services(const std::string& ready_file) {
  return std::make_unique<ServicesCloud>(ready_file);
}

}  // namespace ccm::openstack_contract
