#include "provider.hpp"

#include "machines.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fstream>
#include <iterator>
#include <utility>

namespace sandbox {
namespace {

using ccm::Code;
using ccm::ErrorClass;
using ccm::Instance;
using ccm::Result;
using ccm::Status;

constexpr std::size_t kPageSize = 200;  // the cloud's limit

// Names and ids come from Nodes and may hold anything.
std::string percent_encode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string result;
  for (const unsigned char c : text) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
        c == '.' || c == '_' || c == '~') {
      result += static_cast<char>(c);
    } else {
      result += {'%', kHex[c >> 4], kHex[c & 15]};
    }
  }
  return result;
}

// The cloud's own words: {"error":{"message":...}}.
std::string message_of(const ccm::HttpResponse& answer) {
  const auto body = nlohmann::json::parse(answer.body, nullptr, false);
  if (!body.is_object() || !body.contains("error") || !body["error"].is_object()) return {};
  const auto message = body["error"].find("message");
  return message != body["error"].end() && message->is_string() ? message->get<std::string>()
                                                                : std::string();
}

Status status_of(const std::string& operation, const ccm::HttpResponse& answer) {
  std::string text = operation + ": HTTP " + std::to_string(answer.status_code);
  if (const std::string message = message_of(answer); !message.empty()) text += ": " + message;
  if (const auto id = answer.header("x-request-id"); !id.empty())
    text += " (request " + std::string(id) + ")";
  switch (answer.status_code) {
    case 401:
      return Status(Code::unauthenticated, ErrorClass::auth, text).with_reason("CloudUnauthorized");
    case 403:
      return Status(Code::permission_denied, ErrorClass::auth, text).with_reason("CloudForbidden");
    case 404:
      return Status(Code::not_found, ErrorClass::not_found, text).with_reason("MachineNotFound");
    case 429: {
      const std::string_view advice = answer.header("retry-after");
      int64_t seconds = 0;
      std::from_chars(advice.data(), advice.data() + advice.size(), seconds);
      return Status(Code::resource_exhausted, ErrorClass::throttled, text)
          .with_reason("CloudThrottled")
          .with_retry_after(std::chrono::seconds(std::clamp<int64_t>(seconds, 0, 3600)));
    }
    default:
      return Status(Code::unavailable, ErrorClass::unavailable, text)
          .with_reason("CloudUnavailable");
  }
}

Status not_found(const std::string& what) {
  return Status(Code::not_found, ErrorClass::not_found, "the cloud has no machine " + what)
      .with_reason("MachineNotFound");
}

// The one machine that fits. Two of one name are nobody's.
Result<Instance> only_one(std::vector<Instance> machines, const std::string& name) {
  if (machines.empty()) return not_found("named " + name);
  if (machines.size() > 1) {
    return Status(Code::failed_precondition,
                  "the cloud has " + std::to_string(machines.size()) + " machines named " + name)
        .with_reason("AmbiguousMachine");
  }
  return std::move(machines.front());
}

}  // namespace

ccm::Task<Status> Provider::initialize(ccm::Ctx ctx) {
  const auto text = host_.config.cloud_config();
  if (!text) {
    co_return Status(
        Code::invalid_argument,
        "the sandbox provider needs --cloud-config=FILE; ccm-sandbox writes one, cloud.json");
  }
  auto config = parse_cloud_config(*text);
  if (!config.ok()) co_return config.status();
  config_ = std::move(*config);
  host_.config.on_change([this] {
    const auto changed = host_.config.cloud_config();
    auto next = changed ? parse_cloud_config(*changed) : Result<CloudConfig>(CloudConfig());
    if (changed && next.ok()) {
      config_ = std::move(*next);
    } else {
      host_.log.warning("kept the former cloud configuration", {{"err", next.status()}});
    }
  });
  Status status = co_await health(std::move(ctx));
  co_return status;
}

ccm::Task<Status> Provider::health(ccm::Ctx ctx) {
  if (!config_.machines_file.empty()) co_return machines_of_file().status();
  std::string operation = "ListMachines";
  std::string path = "/v1/machines?page=1&per_page=1";
  const auto answer = co_await call(std::move(ctx), std::move(operation), std::move(path));
  co_return answer.status();
}

ccm::Task<Result<std::string>> Provider::call(ccm::Ctx ctx, std::string operation,
                                              std::string path) {
  ccm::HttpRequest request;
  request.url = config_.endpoint + path;
  request.operation = operation;
  request.credential = "sandbox";
  request.headers.push_back({"Authorization", "Bearer " + config_.token});
  auto answer = co_await host_.http.send(std::move(ctx), std::move(request));
  if (!answer.ok()) co_return answer.status().with_context(operation);
  if (answer->status_code / 100 != 2) co_return status_of(operation, *answer);
  co_return std::move(answer->body);
}

Result<std::vector<Instance>> Provider::machines_of_file() const {
  std::ifstream file(config_.machines_file);
  if (!file) {
    return Status(Code::unavailable, ErrorClass::unavailable,
                  "machines file " + config_.machines_file + " cannot be read");
  }
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  return parse_machines_file(text);
}

ccm::Task<Result<std::vector<Instance>>> Provider::list(ccm::Ctx ctx) {
  if (!config_.machines_file.empty()) co_return machines_of_file();
  Listing listing;
  std::size_t page = 1;
  while (page != 0) {
    std::string operation = "ListMachines";
    std::string path =
        "/v1/machines?page=" + std::to_string(page) + "&per_page=" + std::to_string(kPageSize);
    const auto answer = co_await call(ctx, std::move(operation), std::move(path));
    if (!answer.ok()) co_return answer.status();
    const auto next = listing.add_page(*answer);
    if (!next.ok()) co_return next.status();
    page = *next;
  }
  co_return listing.finish();
}

ccm::Task<Result<Instance>> Provider::get(ccm::Ctx ctx, ccm::NodeIdentity node) {
  const std::string id(machine_id(node.provider_id));
  if (!node.provider_id.empty() && id.empty()) {
    co_return Status(Code::unimplemented, ErrorClass::unsupported,
                     node.provider_id + " is a machine of another provider")
        .with_reason("ForeignProviderID");
  }
  if (!config_.machines_file.empty()) {
    auto machines = machines_of_file();
    if (!machines.ok()) co_return machines.status();
    std::erase_if(*machines, [&](const Instance& machine) {
      return node.provider_id.empty() ? machine.name != node.name
                                      : machine.provider_id != node.provider_id;
    });
    co_return only_one(std::move(*machines),
                       node.provider_id.empty() ? node.name : node.provider_id);
  }
  if (id.empty()) {
    auto found = co_await get_by_name(std::move(ctx), std::move(node.name));
    co_return found;
  }
  std::string operation = "GetMachine";
  std::string path = "/v1/machines/" + percent_encode(id);
  const auto answer = co_await call(std::move(ctx), std::move(operation), std::move(path));
  if (!answer.ok()) co_return answer.status();
  co_return parse_machine(*answer);
}

ccm::Task<Result<Instance>> Provider::get_by_name(ccm::Ctx ctx, std::string name) {
  Listing listing;
  std::string operation = "FindMachine";
  std::string path = "/v1/machines?page=1&per_page=2&name=" + percent_encode(name);
  const auto answer = co_await call(std::move(ctx), std::move(operation), std::move(path));
  if (!answer.ok()) co_return answer.status();
  const auto next = listing.add_page(*answer);
  if (!next.ok()) co_return next.status();
  if (*next != 0) {
    co_return Status(Code::failed_precondition, "the cloud has several machines named " + name)
        .with_reason("AmbiguousMachine");
  }
  auto machines = listing.finish();
  if (!machines.ok()) co_return machines.status();
  std::erase_if(*machines, [&](const Instance& machine) { return machine.name != name; });
  co_return only_one(std::move(*machines), name);
}

}  // namespace sandbox
