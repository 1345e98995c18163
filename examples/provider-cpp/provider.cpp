// A whole cloud provider: the machines of a rack, one in each line of the file that --cloud-config
// names, and load balancers in front of them. The manifest says "nonblocking": true, so the methods
// are coroutines on the host's loop.
#include "balancer.hpp"
#include "ccm_plugin_manifest.h"

#include <ccm/plugin.hpp>

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace rack {

using Machines = std::vector<ccm::Instance>;

constexpr const char* kForm = "SERIAL HOST ADDRESS MODEL ROW on|off";

ccm::Instance to_instance(const std::vector<std::string>& words) {
  ccm::Instance instance;
  instance.provider_id = "rack://" + words[0];
  instance.name = words[1];
  instance.addresses = {{"InternalIP", words[2]}, {"Hostname", words[1]}};
  instance.instance_type = words[3];
  instance.zone = "row-" + words[4];
  instance.region = "cellar";
  instance.labels = {{"rack.example.com/serial", words[0]}};
  // A machine that is switched off still exists; only "terminated" would lose its Node.
  instance.state = words[5] == "on" ? ccm::InstanceState::running : ccm::InstanceState::shutdown;
  return instance;
}

// All machines, or a failure: never a part, which would look like vanished machines.
ccm::Result<Machines> parse(const std::string& text) {
  Machines machines;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (words.empty() || words[0][0] == '#') continue;
    if (words.size() != 6 || (words[5] != "on" && words[5] != "off")) {
      return ccm::Status(ccm::Code::unavailable, ccm::ErrorClass::unavailable,
                         "line " + std::to_string(number) + " is not " + kForm);
    }
    machines.push_back(to_instance(words));
  }
  return machines;
}

class Provider {
 public:
  explicit Provider(ccm::Host& host) : host_(host) {}

  // Called once. INVALID_ARGUMENT ends the host with this message; other failures are retried.
  ccm::Task<ccm::Status> initialize(ccm::Ctx ctx) {
    if (!host_.config.cloud_config()) {
      co_return ccm::Status(
          ccm::Code::invalid_argument,
          std::string("--cloud-config must name a file with a machine in each line: ") + kForm);
    }
    const auto machines = co_await list(ctx);
    if (machines.ok()) host_.log.info("Read the rack", {{"machines", machines->size()}});
    co_return machines.status();
  }

  // The host answers every controller from this one listing.
  ccm::Task<ccm::Result<Machines>> list(ccm::Ctx) {
    // A long file takes more than the 10 ms that the loop has for one step, so a worker reads it.
    // The job owns its text, because it may outlive this provider.
    auto job = [text = std::string(host_.config.cloud_config().value_or(""))] {
      return parse(text);  // what throws on the way becomes a failure of this operation
    };
    auto machines = co_await host_.worker.run(std::move(job));
    co_return machines;
  }

  // These two are what load balancers need. Files are slow, too, so a worker writes them.
  ccm::Task<ccm::Result<ccm::LoadBalancer>> ensure_load_balancer(ccm::Ctx,
                                                                 ccm::LoadBalancerService service,
                                                                 ccm::Backends backends) {
    auto job = [balancer = balancer(), service = std::move(service),
                backends = std::move(backends)]() -> ccm::Result<ccm::LoadBalancer> {
      if (!balancer.ok()) return balancer.status();
      return balancer->ensure(service, backends);
    };
    auto made = co_await host_.worker.run(std::move(job));
    co_return made;
  }

  ccm::Task<ccm::Status> delete_load_balancer(ccm::Ctx, ccm::LoadBalancerService service) {
    auto job = [balancer = balancer(), service = std::move(service)] {
      return balancer.ok() ? balancer->remove(service) : balancer.status();
    };
    auto gone = co_await host_.worker.run(std::move(job));
    co_return gone;
  }

 private:
  [[nodiscard]] ccm::Result<Balancer> balancer() const {
    Balancer found{host_.config.flag("rack-balancer-folder").value_or(""),
                   std::string(host_.config.flag("rack-balancer-address").value_or(""))};
    if (!found.folder.empty() && !found.address.empty()) return found;
    return ccm::Status(ccm::Code::implemented_elsewhere,
                       "--rack-balancer-folder and --rack-balancer-address are not set");
  }

  ccm::Host& host_;
};

}  // namespace rack

CCM_PLUGIN(ccm::component<rack::Provider>("rack"));
