// The part of a kubeconfig that the suites need: one server and one credential of its current
// context, inline or in files.
#pragma once

#include <filesystem>
#include <string>

namespace ccm::support {

struct Credentials {
  std::string server;              // https://host:port or http://host:port
  std::string ca_pem;              // empty: system roots
  std::string client_certificate;  // PEM; empty without
  std::string client_key;          // PEM
  std::string token;               // bearer token; empty without
};

// Reads the current context. Throws std::runtime_error naming the file and what is wrong.
Credentials read_kubeconfig(const std::filesystem::path& path);

}  // namespace ccm::support
