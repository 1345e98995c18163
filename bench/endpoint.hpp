// The endpoint of a manager under measurement.
#pragma once

#include "manager.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ccm::bench {

class Endpoint {
 public:
  // On a free port of 127.0.0.1, with its certificate in a folder beside the manager's log. The
  // manager's own identity is used for reviews.
  explicit Endpoint(const ManagerSettings& settings);

  // For the manager.
  [[nodiscard]] std::vector<std::string> flags() const;
  // For the administrator: the same credential, another server. The manager must be running, for
  // its certificate.
  [[nodiscard]] Server server(Server admin) const;

 private:
  std::uint16_t port_;
  std::filesystem::path folder_;
  std::string reviews_;
};

}  // namespace ccm::bench
