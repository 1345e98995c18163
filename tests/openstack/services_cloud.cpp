#include "openstack/client.hpp"
#include "support/command.hpp"
#include "support/file.hpp"

#include <chrono>
#include <stdexcept>
#include <thread>

namespace ccm::openstack_contract {
namespace {

class ServicesCloud : public Cloud {
 public:
  explicit ServicesCloud(json ready) : Cloud(std::move(ready)) {}

  Answer send(const Request& request) override { return send_once(request); }

  // There is no event to wait for: the services are only asked again, as every client of them does.
  void wait() override { std::this_thread::sleep_for(std::chrono::milliseconds(200)); }

  void set_status(const std::string& collection, const std::string& id,
                  const std::string& status) override {
    static const std::map<std::string, std::string> kTables = {
        {"loadbalancers", "load_balancer"},
        {"listeners", "listener"},
        {"pools", "pool"},
        {"members", "member"},
        {"healthmonitors", "health_monitor"}};
    const std::string statement = "update " + kTables.at(collection) +
                                  " set provisioning_status='" + status + "' where id='" + id + "'";
    const auto done = support::run_command(facts().at("octavia_sql").get<std::string>() +
                                           " --execute=\"" + statement + "\"");
    if (done.exit_code != 0) throw std::runtime_error(statement + ": " + done.output);
  }
};

}  // namespace

std::unique_ptr<Cloud> services(const std::string& ready_file) {
  return services(json::parse(support::read_file(ready_file)));
}

std::unique_ptr<Cloud> services(json ready) {
  return std::make_unique<ServicesCloud>(std::move(ready));
}

}  // namespace ccm::openstack_contract
