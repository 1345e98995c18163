// The cloud of ccm-sandbox as a command.
#include "cloud/cloud_server.hpp"
#include "cloud_command.hpp"

#include <stdexcept>
#include <string>

namespace ccm::conformance_clouds {
namespace {

constexpr const char* kToken = "s3cret-of-the-sandbox";

class Sandbox {
 public:
  Sandbox() { settings({{"active_ms", 0}}); }

  json start(const json&) const {
    return {{"cloudConfig", json{{"endpoint", "http://cloud:80"}, {"token", kToken}}.dump()}};
  }

  json http(const json& question) {
    const std::string target = target_of(question);
    const std::size_t mark = target.find('?');
    sandbox::http::Request request;
    request.method = question.at("method");
    request.path = target.substr(0, mark);
    if (mark != std::string::npos) {
      request.query = sandbox::http::Query::parse(target.substr(mark + 1));
    }
    request.authorization = header_of(question, "authorization");
    request.body = question.at("body");
    const auto reply = cloud_.handle(request);
    return {{"status", reply.response.status}, {"body", reply.response.body}};
  }

  json add_machines(const json& question) {
    json machines = json::array();
    for (int i = 0; i < question.at("count"); ++i) {
      const std::string name = (question.value("first", false) ? "a-machine-" : "machine-") +
                               std::to_string(10'000 + ++made_);
      control("PUT", "/machines/" + name, {{"name", name}, {"status", "running"}});
      machines.push_back({{"name", name}, {"providerID", "sandbox://" + name}});
    }
    return {{"machines", machines}};
  }

  json remove_machine(const json& question) {
    const std::string id = question.at("providerID");
    control("DELETE", "/machines/" + id.substr(std::string("sandbox://").size()));
    return json::object();
  }

  json switch_off_machine(const json& question) {
    const std::string name = question.at("name");
    control("PUT", "/machines/" + name, {{"name", name}, {"status", "stopped"}});
    return json::object();
  }

  json plant_load_balancer(const json&) {
    const std::string name = "theirs-" + std::to_string(++planted_);
    control("PUT", "/load_balancers/" + name,
            {{"name", name},
             {"owner", {{"cluster", "another"}, {"service_uid", "not-ours"}}},
             {"ports", json::array()}});
    return {{"id", name}};
  }

  json remove_load_balancer(const json& question) {
    control("DELETE", "/load_balancers/" + question.at("id").get<std::string>());
    return json::object();
  }

  json plant_route(const json& question) {
    const std::string id = question.at("providerID");
    control("PUT", "/routes/theirs",
            {{"destination", question.at("cidr")},
             {"machine_id", id.substr(std::string("sandbox://").size())},
             {"owner", "another"}});
    return json::object();
  }

  json exhaust_quota(const json&) {
    control("PUT", "/load_balancers/theirs-1", {{"name", "theirs-1"}});
    settings({{"active_ms", 0}, {"load_balancers", 1}});
    return json::object();
  }

  json snapshot() {
    json state = control("GET", "/state");
    json balancers = json::array();
    for (json balancer : state.at("load_balancers")) {
      balancer.erase("ready_in_ms");
      balancers.push_back(std::move(balancer));
    }
    return {{"snapshot", {{"load_balancers", balancers}, {"routes", state.at("routes")}}},
            {"loadBalancers", balancers.size()}};
  }

  static json secrets() { return {{"secrets", {"s3cret-of-the-sandbox"}}}; }

 private:
  void settings(const json& set) { control("PUT", "/settings", set); }
  json control(const std::string& method, const std::string& path, const json& body = nullptr) {
    sandbox::http::Request request;
    request.method = method;
    request.path = "/control" + path;
    if (!body.is_null()) request.body = body.dump();
    const auto reply = cloud_.handle(request);
    if (reply.response.status != 200) throw std::runtime_error(path + ": " + reply.response.body);
    return json::parse(reply.response.body);
  }

  sandbox::cloud::CloudServer cloud_{kToken};
  int made_ = 0;
  int planted_ = 0;
};

}  // namespace
}  // namespace ccm::conformance_clouds

int main() {
  ccm::conformance_clouds::Sandbox cloud;
  return ccm::conformance_clouds::serve_cloud(cloud);
}
