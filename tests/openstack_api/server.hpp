// The fake of the APIs behind a socket of the loopback interface, for tests with a real manager.
#pragma once

#include "openstack_api/cloud.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace ccm::openstack_api {

// Serves from its own threads from construction to destruction. The contents are those of
// populate().
class Server {
 public:
  // Answers requests that are not the cloud's; nothing = it is the cloud's.
  using Aside = std::function<std::optional<Answer>(const Request&, Server&)>;

  explicit Server(Aside aside = nullptr);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] std::string url() const;  // http://127.0.0.1:PORT
  // The result of populate().
  [[nodiscard]] const json& facts() const;
  // Runs `look` while no request is being answered. Any thread, but not within another look.
  void with(const std::function<void(Cloud&)>& look);
  // As on the first day.
  void reset();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ccm::openstack_api
