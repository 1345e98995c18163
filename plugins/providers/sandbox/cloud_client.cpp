#include "cloud_client.hpp"

#include "answer.hpp"

#include <utility>

namespace sandbox {

using ccm::Ctx;
using ccm::Result;
using ccm::Status;
using ccm::Task;

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      encoded += c;
    } else {
      encoded += '%';
      encoded += kHex[byte >> 4U];
      encoded += kHex[byte & 0xFU];
    }
  }
  return encoded;
}

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
