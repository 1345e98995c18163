// The fake of OpenStack's APIs as a program:   openstack-api --directory DIR
// Writes DIR/ready (JSON) once it answers: what services.py of tests/openstack writes, and
// "control", the URL that control.hpp tells of. Ends at SIGTERM or SIGINT.
#include "openstack_api/control.hpp"
#include "openstack_api/server.hpp"
#include "support/ready_program.hpp"

#include <optional>

int main(int argc, char** argv) {
  std::optional<ccm::openstack_api::Server> server;
  return ccm::support::run_ready_program(argc, argv, [&server] {
    server.emplace(&ccm::openstack_api::control);
    nlohmann::json ready = server->facts();
    ready["control"] = server->url() + "/control";
    return ready;
  });
}
