// The fake of AWS's APIs as a program:   aws-api --directory DIR
// Writes DIR/ready (JSON: "url", "access_key_id", "secret_access_key", "names") once it answers.
// Ends at SIGTERM or SIGINT.
#include "aws_api/server.hpp"
#include "support/ready_program.hpp"

#include <optional>

int main(int argc, char** argv) {
  std::optional<ccm::aws_api::Server> server;
  return ccm::support::run_ready_program(argc, argv, [&server] {
    server.emplace();
    return nlohmann::json{{"url", server->url()},
                          {"access_key_id", "AKIDTEST"},
                          {"secret_access_key", "secret"},
                          {"names", server->names()}};
  });
}
