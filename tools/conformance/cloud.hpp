// The author's cloud: a command that speaks JSON on its standard input and output, one object in
// each line. A line asks for an HTTP exchange, or for something that only the cloud can do (a
// machine more). docs/provider-authors.md describes the protocol. Blocking; one thread at a time.
#pragma once

#include <nlohmann/json.hpp>
#include <sys/types.h>

#include <stdexcept>
#include <string>

namespace ccm::conformance {

// The command ended, took too long or answered something that is none. The message has the
// question, the exit code, and the last lines of the command's standard error.
struct CloudFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Cloud {
 public:
  // An empty command = there is none: everything is unsupported. `messages`: where its standard
  // error goes in the end, which is no part of what the plugin writes.
  Cloud(const std::string& command, int messages);
  ~Cloud();
  Cloud(const Cloud&) = delete;
  Cloud& operator=(const Cloud&) = delete;

  [[nodiscard]] bool there() const { return child_ > 0; }
  // Its answer; null when it cannot do that. Throws CloudFault.
  nlohmann::json ask(const nlohmann::json& question);
  // Closes its input, at which it has to end, and waits for that.
  void end();

 private:
  std::string read_line();
  nlohmann::json exchange(const nlohmann::json& question);
  [[nodiscard]] std::string last_words() const;
  // Waits for its end, or brings it about; "ended with exit code 3".
  std::string reap();
  void hand_over_errors();
  std::string command_;
  int messages_ = -1;
  int errors_ = -1;  // a file in memory: its standard error so far
  pid_t child_ = -1;
  int input_ = -1;
  int output_ = -1;
  std::string read_;
};

}  // namespace ccm::conformance
