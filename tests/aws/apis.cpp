#include "apis.hpp"

#include "support/http_client.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <exception>
#include <fstream>
#include <utility>

namespace ccm::aws {
namespace {

using nlohmann::json;
using testing::FakeHttp;

class FakeApis : public Apis {
 public:
  explicit FakeApis(std::function<std::chrono::milliseconds()> now) : world_(std::move(now)) {
    names = world_.populate();
  }
  FakeHttp::Answer answer(const HttpRequest& request) override {
    aws_api::Answer answered = world_.handle(request.body);
    FakeHttp::Answer out;
    out.outcome = HttpResponse{static_cast<uint32_t>(answered.status), {}, answered.body};
    return out;
  }

 private:
  aws_api::World world_;
};

class ServedApis : public Apis {
 public:
  explicit ServedApis(const std::string& ready_file) {
    std::ifstream file(ready_file);
    const json ready = json::parse(file);
    access_key_id = ready.at("access_key_id");
    secret_access_key = ready.at("secret_access_key");
    violations_ = ready.at("violations");
    names = ready.at("names").get<aws_api::Names>();
    support::Credentials credentials;
    url = ready.at("url");
    credentials.server = url;
    client_ = std::make_unique<support::HttpClient>(credentials);
    (void)violations();  // of an earlier run
  }
  [[nodiscard]] bool real() const override { return true; }

  FakeHttp::Answer answer(const HttpRequest& request) override {
    support::HttpRequest sent{request.method, "/", request.body, {}};
    for (const HttpHeader& header : request.headers) sent.headers[header.name] = header.value;
    FakeHttp::Answer out;
    try {
      const auto received = client_->send(sent);
      HttpResponse response{static_cast<uint32_t>(received.status), {}, received.body};
      for (const auto& [name, value] : received.headers) response.headers.push_back({name, value});
      out.outcome = std::move(response);
    } catch (const std::exception& fault) {
      out.outcome = Status(Code::unavailable, ErrorClass::unavailable, fault.what());
    }
    return out;
  }

  std::vector<std::string> violations() override {
    const json all = json::parse(client_->send({"GET", violations_, {}, {}}).body);
    std::vector<std::string> lines;
    for (std::size_t i = seen_; i < all.size(); ++i) {
      // moto's own answers are not what is tested.
      if (all[i].value("side", "request") == "request") lines.push_back(all[i].dump());
    }
    seen_ = all.size();
    return lines;
  }

 private:
  std::unique_ptr<support::HttpClient> client_;
  std::string violations_;  // path
  std::size_t seen_ = 0;
};

}  // namespace

std::unique_ptr<Apis> apis_of_the_environment(std::function<std::chrono::milliseconds()> now) {
  if (const char* ready = std::getenv("CCM_AWS")) return std::make_unique<ServedApis>(ready);
  return std::make_unique<FakeApis>(std::move(now));
}

}  // namespace ccm::aws
