#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <istream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sandbox::replay {

// One line of a file that cloud-controller-manager --record wrote.
struct Exchange {
  std::string method;
  std::string origin;  // https://api.example.com
  std::string target;  // path and query
  std::string request_body;
  bool answered = false;  // false: the connection gave none
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  bool used = false;
};

// The answers of a cloud, in the order in which it gave them.
class Recording {
 public:
  // Throws std::runtime_error with the number of the line that is not one.
  explicit Recording(std::istream& lines);

  // The answer to a request that was recorded, null otherwise. Each answer is given once, in order,
  // and the last one of a request again and again; what was read after a change is not shown before
  // the change is made again. "[redacted]" in a recorded query stands for any text.
  const Exchange* answer(const std::string& method, const std::string& target,
                         const std::string& body);
  // A text of the recording with the UIDs of the cluster that asks now, as far as its requests have
  // shown them: they stand in the names and marks of what was made.
  std::string as_asked(std::string text) const;

  std::size_t size() const { return exchanges_.size(); }
  // The origins of all requests, each once.
  const std::vector<std::string>& origins() const { return origins_; }

 private:
  Exchange* next_read(const std::string& target, const std::string& method);
  Exchange* next_write(const std::string& method, const std::string& target,
                       const std::string& body);
  Exchange* next(const std::string& method, const std::string& target, const std::string& body);
  bool same_target(const std::string& recorded, const std::string& asked) const;
  bool has(const std::string& uid) const;
  // Whether a recorded target is the same but for UIDs that the recording does not have.
  bool learn_target(const std::string& method, const std::string& asked);
  bool learn_text(const std::string& recorded, const std::string& asked);
  void learn_body(const nlohmann::json& recorded, const nlohmann::json& asked);

  std::vector<Exchange> exchanges_;
  std::vector<std::string> origins_;
  std::map<std::string, std::string> renamed_;  // recorded UIDs, and those of this cluster
  std::size_t changed_ = 0;  // the exchanges before it, up to the last change made again
};

}  // namespace sandbox::replay
