#include "serving/request_reader.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <cstdint>

namespace ccm::serving {

namespace http = boost::beast::http;

namespace {
constexpr std::size_t kMaxBody = 16u << 10;  // a level of verbosity is all that anybody sends
constexpr std::string_view kLastChunk = "0\r\n\r\n";
constexpr std::size_t kSlack = 4096;  // a line that has begun, beyond the header's limit
}  // namespace

struct RequestReader::Parser {
  http::request_parser<http::string_body> message;
};

RequestReader::RequestReader(std::size_t max_header_bytes)
    : parser_(std::make_unique<Parser>()), max_header_bytes_(max_header_bytes) {
  parser_->message.header_limit(static_cast<std::uint32_t>(max_header_bytes));
  parser_->message.body_limit(kMaxBody);
  parser_->message.eager(true);
}

RequestReader::~RequestReader() = default;

RequestReader::State RequestReader::refuse(unsigned status) {
  refusal_ = status;
  return State::refused;
}

RequestReader::State RequestReader::take(std::string* received) {
  auto& message = parser_->message;
  // Beast 1.81 asserts that "0\r\n" of the last chunk comes again with two bytes more, not with
  // one.
  const bool last_chunk =
      message.is_header_done() && message.chunked() && received->size() < kLastChunk.size();
  if (!received->empty() && !last_chunk) {
    boost::beast::error_code error;
    const std::size_t used =
        message.put(boost::asio::const_buffer(received->data(), received->size()), error);
    received->erase(0, used);
    if (error == http::error::header_limit) return refuse(431);
    if (error == http::error::body_limit) return refuse(413);
    if (error && error != http::error::need_more) return refuse(400);
  }
  if (!message.is_done()) {
    return received->size() > max_header_bytes_ + kSlack ? refuse(431) : State::more;
  }
  const auto& request = message.get();
  const bool host_missing = request.version() == 11 && request.count(http::field::host) != 1;
  return host_missing ? refuse(400) : State::request;
}

std::string_view RequestReader::method() const {
  const auto text = parser_->message.get().method_string();
  return {text.data(), text.size()};
}

std::string_view RequestReader::target() const {
  const auto text = parser_->message.get().target();
  return {text.data(), text.size()};
}

bool RequestReader::keep_alive() const { return parser_->message.keep_alive(); }

std::shared_ptr<Request> RequestReader::request() const {
  auto result = std::make_shared<Request>();
  result->method = method();
  result->target = target();
  const auto& message = parser_->message.get();
  for (const auto& field : message) {
    const auto name = field.name_string();
    const auto value = field.value();
    result->headers.push_back({{name.data(), name.size()}, {value.data(), value.size()}});
  }
  result->body = message.body();
  return result;
}

}  // namespace ccm::serving
