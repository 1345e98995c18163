// A whole cloud provider: the machines of a rack, which somebody keeps in a JSON file.
// Straight-line code: the manifest says "nonblocking": false, so each method runs on a thread of
// the host's pool and may read files, wait, or call host_.http.send_blocking().
#include "ccm_plugin_manifest.h"

#include <ccm/plugin.hpp>

#include <nlohmann/json.hpp>

#include <fstream>
#include <string>
#include <vector>

namespace rack {

using nlohmann::json;

class Provider {
 public:
  explicit Provider(ccm::Host& host) : host_(host) {}

  // Called once. INVALID_ARGUMENT ends the host with this message; other failures are tried again.
  ccm::Status initialize(const ccm::Ctx& ctx) {
    const json config = json::parse(host_.config.cloud_config().value_or(""), nullptr, false);
    if (!config.is_object() || !config.contains("file") || !config["file"].is_string()) {
      return {ccm::Code::invalid_argument,
              "--cloud-config must be {\"file\": \"/path/of/machines.json\"}"};
    }
    file_ = config["file"];
    const auto machines = list(ctx);
    if (machines.ok()) host_.log.info("read the rack", {{"machines", machines->size()}});
    return machines.status();
  }

  // All machines, or a failure: never a part, which would look like vanished machines. The host
  // answers every controller from this one listing.
  ccm::Result<std::vector<ccm::Instance>> list(const ccm::Ctx&) {
    std::ifstream stream(file_);
    const json machines = json::parse(stream, nullptr, false);
    if (!machines.is_array()) {
      return ccm::Status(ccm::Code::unavailable, ccm::ErrorClass::unavailable,
                         file_ + " does not hold a JSON list");
    }
    std::vector<ccm::Instance> instances;
    for (const json& machine : machines) instances.push_back(to_instance(machine));
    return instances;  // what throws on the way becomes a failure of this operation
  }

 private:
  static ccm::Instance to_instance(const json& machine) {
    ccm::Instance instance;
    instance.provider_id = "rack://" + machine.at("serial").get<std::string>();
    instance.name = machine.at("host");
    instance.instance_type = machine.at("model");
    instance.zone = "row-" + machine.at("row").get<std::string>();
    instance.region = "cellar";
    instance.addresses = {{"InternalIP", machine.at("ip")}, {"Hostname", instance.name}};
    instance.labels = {{"rack.example.com/serial", machine.at("serial")}};
    // A machine that is switched off still exists; only "terminated" would lose its Node.
    instance.state =
        machine.at("power") == "on" ? ccm::InstanceState::running : ccm::InstanceState::shutdown;
    return instance;
  }

  ccm::Host& host_;
  std::string file_;
};

}  // namespace rack

CCM_PLUGIN(ccm::component<rack::Provider>("rack"));
