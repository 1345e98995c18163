#include "sandbox_server.hpp"

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>

int main(int argc, char** argv) {
  sandbox::ServerOptions options;
  bool no_apiserver = false;
  bool no_cloud = false;
  CLI::App app{"An in-memory Kubernetes API server and an in-memory cloud, on loopback"};
  app.add_option("--directory", options.directory,
                 "Where kubeconfig, cloud.json and ready are written")
      ->capture_default_str();
  app.add_option("--port", options.port, "Port of the API server; 0 = any")->capture_default_str();
  app.add_option("--cloud-port", options.cloud_port, "Port of the cloud; 0 = any")
      ->capture_default_str();
  app.add_flag("--no-apiserver", no_apiserver, "Serve only the cloud");
  app.add_flag("--no-cloud", no_cloud, "Serve only the Kubernetes API");
  app.add_option("--replay", options.replay,
                 "Also answer as a cloud did, from a file of cloud-controller-manager --record");
  app.add_option("--replay-port", options.replay_port, "Port of the replayed cloud; 0 = any")
      ->capture_default_str();
  app.add_option("--token", options.token, "Administrator's bearer token; default: random");
  app.add_option("--cloud-token", options.cloud_token, "Token of the cloud; default: random");
  app.add_option("--history", options.history, "Watch events kept of each resource")
      ->capture_default_str();
  app.add_flag("--coordinated-leader-election", options.coordinated_leader_election,
               "Serve LeaseCandidates, and choose the holder of Leases that have some");
  app.add_option("--nodes", options.nodes,
                 "Uninitialized nodes to start with, and a machine for each")
      ->capture_default_str()
      ->check(CLI::Range(0, 100000));
  CLI11_PARSE(app, argc, argv);
  options.apiserver = !no_apiserver;
  options.cloud = !no_cloud;
  try {
    sandbox::SandboxServer server(options);
    if (options.apiserver) {
      std::cout << "kubeconfig: " << options.directory << "/kubeconfig (" << server.server_url()
                << ")\n";
    }
    if (options.cloud) {
      std::cout << "cloud: " << options.directory << "/cloud.json (" << server.cloud_url() << ")\n";
    }
    if (!options.replay.empty()) {
      std::cout << "replay: " << options.replay << " (" << server.replay_url() << ")\n";
    }
    std::cout << "ready: " << options.directory << "/ready" << std::endl;
    server.run();
  } catch (const std::exception& error) {
    std::cerr << "ccm-sandbox: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
