// The cloud that a contract is about: the services of OpenStack, or the fake of their APIs.
#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <string>

namespace ccm::openstack_contract {

using nlohmann::json;

struct Request {
  std::string method;
  std::string url;  // absolute
  std::map<std::string, std::string> headers;
  std::string body;
};

struct Answer {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

class Cloud {
 public:
  virtual ~Cloud() = default;
  virtual Answer send(const Request& request) = 0;
  // Lets the cloud work on what it has begun, for a moment.
  virtual void wait() = 0;
  // Sets a load balancer's status, or that of a part ("listeners", ...), in Octavia's database.
  virtual void set_status(const std::string& collection, const std::string& id,
                          const std::string& status) = 0;

  // Where Keystone is, who may log in, what is there: the file `ready` of services.py.
  [[nodiscard]] const json& facts() const { return facts_; }

 protected:
  explicit Cloud(json facts) : facts_(std::move(facts)) {}

 private:
  json facts_;
};

// The services that the file `ready` of services.py tells of, or what is written in it.
std::unique_ptr<Cloud> services(const std::string& ready_file);
std::unique_ptr<Cloud> services(json ready);

// The fake, with the same contents. Its time goes on only while it is waited for.
std::unique_ptr<Cloud> fake();

}  // namespace ccm::openstack_contract
