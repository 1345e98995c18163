// The fake of DigitalOcean's API as a program:   digitalocean-api --directory DIR
// Writes DIR/ready (JSON: "url", "token", "control") once it answers. Orders go to "control":
// PUT /droplets/ID {"name": "worker-1"}, DELETE /droplets/ID. Ends at SIGTERM or SIGINT.
#include "digitalocean_api/server.hpp"
#include "support/http_server.hpp"
#include "support/ready_program.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

using ccm::digitalocean_api::Api;
using ccm::digitalocean_api::Server;
using ccm::support::HttpAnswer;
using ccm::support::HttpRequest;
using nlohmann::json;

HttpAnswer answer(int status, const json& body = json::object()) {
  HttpAnswer answer;
  answer.status = status;
  answer.body = body.dump();
  return answer;
}

HttpAnswer control(Server& server, const HttpRequest& request) {
  constexpr std::string_view kDroplets = "/droplets/";
  try {
    if (!request.target.starts_with(kDroplets)) return answer(404);
    const int64_t id = std::stoll(request.target.substr(kDroplets.size()));
    if (request.method == "PUT") {
      const std::string name = json::parse(request.body).at("name");
      server.with([&](Api& api) { api.add_droplet(id, name); });
    } else if (request.method == "DELETE") {
      server.with([&](Api& api) { api.remove_droplet(id); });
    } else {
      return answer(405);
    }
    return answer(200);
  } catch (const std::exception& error) {  // of the request's form
    return answer(400, {{"message", error.what()}});
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::optional<Server> server;
  std::optional<ccm::support::HttpServer> orders;
  return ccm::support::run_ready_program(argc, argv, [&] {
    server.emplace();
    orders.emplace([&server](const HttpRequest& request) { return control(*server, request); });
    std::string token;
    server->with([&](Api& api) {
      token = api.token;
      api.minute_limit =
          api.hourly_limit;  // a test's cluster does in minutes what others do in hours
    });
    return json{{"url", server->url()}, {"token", token}, {"control", orders->url()}};
  });
}
