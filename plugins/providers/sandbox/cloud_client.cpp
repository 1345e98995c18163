#include "cloud_client.hpp"

#include "answer.hpp"

#include <utility>

namespace sandbox {

using ccm::Ctx;
using ccm::Result;
using ccm::Status;
using ccm::Task;

Task<Result<std::string>> CloudClient::get(Ctx ctx, std::string path, std::string operation) {
  std::string method = "GET";
  std::string body;
  auto answer =
      co_await send(ctx, std::move(method), std::move(path), std::move(body), std::move(operation));
  co_return answer;
}

Task<Result<std::string>> CloudClient::send(Ctx ctx, std::string method, std::string path,
                                            std::string body, std::string operation) {
  ccm::HttpRequest request;
  request.method = std::move(method);
  request.url = config_.endpoint + path;
  request.headers.push_back({"authorization", "Bearer " + config_.token});
  request.headers.push_back({"accept", "application/json"});
  if (!body.empty()) request.headers.push_back({"content-type", "application/json"});
  request.body = std::move(body);
  request.operation = operation;
  auto answer = co_await host_.http.send(ctx, std::move(request));
  if (!answer.ok()) co_return answer.status().with_context(operation);
  Status status = status_of(operation, *answer);
  if (!status.ok()) co_return status;
  co_return std::move(answer->body);
}

}  // namespace sandbox
