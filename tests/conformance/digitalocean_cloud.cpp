// The stateful fake of DigitalOcean's API as a command.
#include "cloud_command.hpp"
#include "digitalocean_api/api.hpp"

namespace ccm::conformance_clouds {
namespace {

using digitalocean_api::Api;
using digitalocean_api::Milliseconds;

class DigitalOcean {
 public:
  json start(const json&) const {
    return {{"flags",
             {{"digitalocean-api-url", "https://api.digitalocean.com"},
              {"digitalocean-region", api_.region}}},
            {"secrets", {{"DO_ACCESS_TOKEN", api_.token}}}};
  }

  json http(const json& question) {
    now_ = Milliseconds(question.at("clockMs").get<int64_t>());
    digitalocean_api::ApiRequest request;
    request.method = question.at("method");
    request.target = target_of(question);
    request.body = question.at("body");
    request.authorization = header_of(question, "authorization");
    request.content_type = header_of(question, "content-type");
    const auto answer = api_.handle(request);
    json headers = json::object();
    for (const auto& [name, value] : answer.headers) headers[name] = value;
    return {{"status", answer.status}, {"headers", headers}, {"body", answer.body}};
  }

  json add_machines(const json& question) {
    const bool first = question.value("first", false);
    json machines = json::array();
    for (int i = 0; i < question.at("count"); ++i) {
      const int64_t id = first ? --before_ : ++last_;
      const std::string name = "machine-" + std::to_string(id);
      api_.add_droplet(id, name);
      machines.push_back({{"name", name}, {"providerID", "digitalocean://" + std::to_string(id)}});
    }
    return {{"machines", machines}};
  }

  json remove_machine(const json& question) {
    const std::string id = question.at("providerID");
    api_.remove_droplet(std::stoll(id.substr(std::string("digitalocean://").size())));
    return json::object();
  }

  json switch_off_machine(const json& question) {
    const std::string id = question.at("providerID");
    api_.droplet(std::stoll(id.substr(std::string("digitalocean://").size())))["status"] = "off";
    return json::object();
  }

  json plant_load_balancer(const json&) {
    return {{"id", api_.add_load_balancer({{"name", "theirs"}, {"tags", json::array()}})["id"]}};
  }

  json remove_load_balancer(const json& question) {
    api_.load_balancers().erase(question.at("id").get<std::string>());
    return json::object();
  }

  json snapshot() {
    return {{"snapshot",
             {{"load_balancers", api_.load_balancers()},
              {"certificates", api_.certificates()},
              {"firewalls", api_.firewalls()}}},
            {"loadBalancers", api_.load_balancers().size()}};
  }

  json secrets() const { return {{"secrets", {api_.token}}}; }

 private:
  Milliseconds now_{0};
  Api api_{[this] { return now_; }};
  int64_t last_ = 1000;
  int64_t before_ = 1000;
};

}  // namespace
}  // namespace ccm::conformance_clouds

int main() {
  ccm::conformance_clouds::DigitalOcean cloud;
  return ccm::conformance_clouds::serve_cloud(cloud);
}
