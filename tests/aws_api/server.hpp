// The fake of the APIs behind a socket of the loopback interface, for tests with a real manager.
#pragma once

#include "support/http_answer.hpp"
#include "world.hpp"

#include <functional>
#include <memory>
#include <string>

namespace ccm::aws_api {

// Serves from its own threads from construction to destruction. The contents are those of
// World::populate().
class Server {
 public:
  // Carries the call out.
  using Carry = std::function<support::HttpAnswer()>;
  // What is answered to a call, which it carries out or not.
  using Disturbance = std::function<support::HttpAnswer(const Carry&)>;

  Server();
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] std::string url() const;  // http://127.0.0.1:PORT
  [[nodiscard]] const Names& names() const;
  // Runs `look` while no call is being answered. Any thread, but not within another look.
  void with(const std::function<void(World&)>& look);
  // From now on; nullptr = no more. It runs while no other call is being answered.
  void disturb(Disturbance by);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ccm::aws_api
