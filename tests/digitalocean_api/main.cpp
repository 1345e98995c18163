// The fake of DigitalOcean's API as a program:   digitalocean-api --directory DIR
// Writes DIR/ready (JSON: "url", "token", "control") once it answers. Orders go to "control":
// PUT /droplets/ID {"name": "worker-1"}, DELETE /droplets/ID. Ends at SIGTERM or SIGINT.
#include "digitalocean_api/server.hpp"
#include "support/http_server.hpp"

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
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
  if (argc != 3 || std::string_view(argv[1]) != "--directory") {
    std::fprintf(stderr, "usage: %s --directory DIR\n", argv[0]);
    return 2;
  }
  // Before the servers' threads, which inherit it.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);

  Server server;
  const ccm::support::HttpServer orders(
      [&server](const HttpRequest& request) { return control(server, request); });
  std::string token;
  server.with([&](Api& api) {
    token = api.token;
    api.minute_limit =
        api.hourly_limit;  // a test's cluster does in minutes what others do in hours
  });
  const json ready = {{"url", server.url()}, {"token", token}, {"control", orders.url()}};
  const std::filesystem::path directory = argv[2];
  std::filesystem::create_directories(directory);
  // Whoever waits for the file finds it whole.
  std::ofstream(directory / "ready.new") << ready.dump(2) << "\n";
  std::filesystem::rename(directory / "ready.new", directory / "ready");
  int received = 0;
  sigwait(&ends, &received);
  return 0;
}
