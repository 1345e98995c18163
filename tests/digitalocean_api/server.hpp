// The fake of the API behind a socket of the loopback interface, for tests with a real manager.
#pragma once

#include "digitalocean_api/api.hpp"

#include <functional>
#include <memory>
#include <string>

namespace ccm::digitalocean_api {

// Serves from its own threads from construction to destruction.
class Server {
 public:
  Server();
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] std::string url() const;  // http://127.0.0.1:PORT
  // Runs `look` while no request is being answered. Any thread.
  void with(const std::function<void(Api&)>& look);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ccm::digitalocean_api
