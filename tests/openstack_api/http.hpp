// Requests to the fake and its answers, without sockets.
#pragma once

#include "support/http_answer.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::openstack_api {

using nlohmann::json;
using std::chrono::milliseconds;

struct Request {
  std::string method;
  std::string target;                          // path and query
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  // Empty when there is no such header.
  [[nodiscard]] std::string header(const std::string& name) const;
};

using Answer = support::HttpAnswer;

// `body` as JSON; without a body when it is null.
Answer answer(int status, const json& body);

// A handler throws it instead of answering: nothing was changed.
struct Refusal {
  Answer answer;
};

// The query of a URL, in its order and with repeated names.
class Query {
 public:
  using Pairs = std::vector<std::pair<std::string, std::string>>;

  Query() = default;
  explicit Query(Pairs pairs) : pairs_(std::move(pairs)) {}
  explicit Query(std::string_view encoded);

  [[nodiscard]] const Pairs& pairs() const { return pairs_; }
  // The first value.
  [[nodiscard]] std::optional<std::string> value(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> values(std::string_view name) const;
  // Without the parameters of these names, encoded.
  [[nodiscard]] std::string text(const std::vector<std::string_view>& without) const;

 private:
  Pairs pairs_;
};

std::vector<std::string> path_segments(std::string_view path);
// The items of a list between commas.
std::vector<std::string> comma_separated(std::string_view text);

}  // namespace ccm::openstack_api
