// A loop on the test's own thread, and what the client's tests share.
#pragma once

#include "kube/client.hpp"
#include "test_http_server.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace ccm::kube {

// Runs the loop until `ready` holds; fails the test after 20 s.
template <typename Ready>
void run_until(boost::asio::io_context& loop, Ready ready) {
  boost::asio::steady_timer guard(loop, std::chrono::seconds(20));
  const auto late = std::make_shared<bool>(false);  // the handler may run after this function
  guard.async_wait([late](const boost::system::error_code& error) { *late = *late || !error; });
  loop.restart();
  while (!ready() && !*late) loop.run_one();
  guard.cancel();
  ASSERT_FALSE(*late) << "nothing happened for 20 s";
}

template <typename T>
boost::asio::awaitable<void> store_result(boost::asio::awaitable<T> task, std::optional<T>* out) {
  out->emplace(co_await std::move(task));
}

// Runs one coroutine to its end.
template <typename T>
T run(boost::asio::io_context& loop, boost::asio::awaitable<T> task) {
  std::optional<T> result;
  boost::asio::co_spawn(loop, store_result(std::move(task), &result), [](std::exception_ptr error) {
    if (error) std::rethrow_exception(error);
  });
  run_until(loop, [&] { return result.has_value(); });
  if (!result) return T(Status(Code::internal, "the test's time ran out"));
  return std::move(*result);
}

// A folder that vanishes with the test.
class TestFolder {
 public:
  TestFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ccm-kube-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  // By rename, as real ones are replaced.
  std::string write(const std::string& name, const std::string& content, bool executable = false) {
    const std::string target = path_ + "/" + name;
    const std::string fresh = target + ".new";
    std::ofstream(fresh) << content;
    if (executable) std::filesystem::permissions(fresh, std::filesystem::perms::owner_all);
    std::filesystem::rename(fresh, target);
    return target;
  }

 private:
  std::string path_;
};

inline ObjectRequest read_of(Resource resource, std::string space, std::string name,
                             CallOptions call = {}) {
  return {.resource = std::move(resource),
          .namespace_name = std::move(space),
          .name = std::move(name),
          .call = std::move(call)};
}

inline ObjectRequest write_of(ObjectRequest::Verb verb, Resource resource, std::string space,
                              std::string name, std::string body, WriteOptions write = {}) {
  return {.verb = verb,
          .resource = std::move(resource),
          .namespace_name = std::move(space),
          .name = std::move(name),
          .body = std::move(body),
          .write = std::move(write)};
}

inline ObjectRequest patch_of(Resource resource, std::string name, PatchType type,
                              std::string body = "{}", WriteOptions write = {}) {
  ObjectRequest request = write_of(ObjectRequest::Verb::patch, std::move(resource), "",
                                   std::move(name), std::move(body), std::move(write));
  request.patch_type = type;
  return request;
}

inline ObjectRequest removal_of(Resource resource, std::string name, DeleteOptions remove = {}) {
  return {.verb = ObjectRequest::Verb::remove,
          .resource = std::move(resource),
          .name = std::move(name),
          .remove = std::move(remove)};
}

inline ObjectRequest list_of(Resource resource, std::string space, ListOptions page) {
  return {.verb = ObjectRequest::Verb::list,
          .resource = std::move(resource),
          .namespace_name = std::move(space),
          .page = std::move(page)};
}

inline test::ServerReply json_reply(std::string body, unsigned status = 200) {
  test::ServerReply reply;
  reply.status = status;
  reply.headers = {{"Content-Type", "application/json"}};
  reply.body = std::move(body);
  return reply;
}

inline test::ServerReply status_reply(unsigned code, const std::string& reason,
                                      const std::string& message = "refused",
                                      const std::string& details = "{}") {
  return json_reply(R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":)" +
                        std::to_string(code) + R"(,"reason":")" + reason + R"(","message":")" +
                        message + R"(","details":)" + details + "}",
                    code);
}

class KubeTest : public testing::Test {
 protected:
  ClientConfig config_for(const test::TestHttpServer& server) const {
    ClientConfig config;
    config.server = server.url("");
    config.source = "the test";
    return config;
  }
  Client client_for(const test::TestHttpServer& server) {
    ClientOptions options;
    options.qps = 0;
    options.user_agent = "ccm-test";
    return Client(loop_.get_executor(), config_for(server), options);
  }
  template <typename T>
  T run(boost::asio::awaitable<T> task) {
    return kube::run(loop_, std::move(task));
  }
  template <typename Ready>
  void run_until(Ready ready) {
    kube::run_until(loop_, ready);
  }

  boost::asio::io_context loop_{1};
};

}  // namespace ccm::kube
