// One user's requests to the services of OpenStack.
#pragma once

#include "openstack/cloud.hpp"

#include <map>
#include <string>

namespace ccm::openstack_contract {

class Client {
 public:
  // Logs in, with the project as its scope. `facts`: the file `ready` of services.py. Throws
  // std::runtime_error when that is refused.
  Client(const json& facts, const std::string& user, const std::string& project);

  // `service`: its type in the catalog, or "identity"; `path`: after its URL. Any status is an
  // answer; the body is null when it is no JSON.
  struct Reply {
    int status = 0;
    json body;
  };
  Reply send(const std::string& method, const std::string& service, const std::string& path,
             const json& body = nullptr) const;
  // The body of an answer with success. Throws std::runtime_error with any other answer.
  json get(const std::string& service, const std::string& path) const;
  json make(const std::string& service, const std::string& path, const json& body) const;
  void remove(const std::string& service, const std::string& path) const;
  // The URL of a service of the catalog, without a slash at its end.
  [[nodiscard]] const std::string& url(const std::string& service) const {
    return urls_.at(service);
  }

 private:
  [[nodiscard]] json succeed(const std::string& method, const std::string& service,
                             const std::string& path, const json& body) const;

  std::string token_;
  std::map<std::string, std::string> urls_;
};

// Sends it on a connection of its own: the services end idle ones after seconds. Throws
// std::runtime_error when no answer comes.
Answer send_once(const Request& request);

}  // namespace ccm::openstack_contract
