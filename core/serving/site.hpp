// The pages of the endpoint, and who may see them. The server's thread.
#pragma once

#include "serving/auth/access_control.hpp"
#include "serving/message.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ccm::serving {

class Site {
 public:
  // Runs on the server's thread, so it must not block; an exception is a 500.
  using Page = std::function<Answer(const Request&)>;

  // `access` null: everything is shown to anybody.
  explicit Site(std::shared_ptr<AccessControl> access = nullptr) : access_(std::move(access)) {}

  void add(std::string path, Page page) { exact_[std::move(path)] = std::move(page); }
  // The path, and everything below it: "/healthz" and "/healthz/ping".
  void add_with_parts(std::string path, Page page);

  // Authentication, authorization, then the page (HOST-100). `request` has method, target, headers
  // and body; the rest is filled in.
  boost::asio::awaitable<Answer> answer(std::shared_ptr<Request> request);

  // Sorted, for the index page.
  [[nodiscard]] std::vector<std::string> paths() const;

 private:
  [[nodiscard]] const Page* find(const std::string& path) const;

  std::shared_ptr<AccessControl> access_;
  std::map<std::string, Page> exact_;
  std::map<std::string, Page> trees_;
};

// The start of a read-only page's answer; nothing when the method is right.
std::optional<Answer> only_reads(const Request& request);

}  // namespace ccm::serving
