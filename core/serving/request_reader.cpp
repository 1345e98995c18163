#include "serving/request_reader.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <cstdint>
#include <utility>

namespace ccm::serving {

namespace http = boost::beast::http;

namespace {
constexpr std::string_view kLastChunk = "0\r\n\r\n";
}  // namespace

// Beast's grammar, our limits: Beast processes the pieces of a header one by one, so it would
// accept fields without end.
class RequestReader::Parser final : public http::basic_parser<true> {
 public:
  explicit Parser(std::size_t max_header_bytes) : request(std::make_shared<Request>()) {
    header_limit(static_cast<std::uint32_t>(max_header_bytes));
    body_limit(kMaxBody);
  }

  std::shared_ptr<Request> request;
  std::size_t hosts = 0;
  bool target_too_long = false;
  bool http_1_1 = false;

 private:
  using error_code = boost::beast::error_code;
  using text = boost::beast::string_view;

  void on_request_impl(http::verb, text method, text target, int version,
                       error_code& error) override {
    target_too_long = target.size() > kMaxTarget;
    if (target_too_long) {
      error = http::error::header_limit;
      return;
    }
    http_1_1 = version == 11;
    request->method.assign(method.data(), method.size());
    request->target.assign(target.data(), target.size());
  }
  void on_response_impl(int, text, int, error_code&) override {}
  void on_field_impl(http::field field, text name, text value, error_code& error) override {
    if (header_done_) return;  // a trailer: nobody here may take it for a header
    if (request->headers.size() == kMaxFields) {
      error = http::error::header_limit;
      return;
    }
    if (field == http::field::host) ++hosts;
    // Beast takes any other one for none at all, and so the body for the next request (RFC
    // 9112 6.1).
    if (field == http::field::transfer_encoding && !boost::beast::iequals(value, "chunked")) {
      error = http::error::bad_transfer_encoding;
      return;
    }
    request->headers.push_back({{name.data(), name.size()}, {value.data(), value.size()}});
  }
  void on_header_impl(error_code&) override { header_done_ = true; }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(text body, error_code&) override {
    request->body.append(body.data(), body.size());
    return body.size();
  }
  void on_chunk_header_impl(std::uint64_t, text, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, text body, error_code& error) override {
    return on_body_impl(body, error);
  }
  void on_finish_impl(error_code&) override {}

  bool header_done_ = false;
};

RequestReader::RequestReader(std::size_t max_header_bytes)
    : parser_(std::make_unique<Parser>(max_header_bytes)), max_header_bytes_(max_header_bytes) {}

RequestReader::~RequestReader() = default;

RequestReader::State RequestReader::refuse(unsigned status) {
  refusal_ = status;
  return State::refused;
}

// Beast 1.81 asserts that "0\r\n" of the last chunk comes again with two bytes more, not with one.
bool RequestReader::waits_for_last_chunk(std::string_view data) const {
  return rest_ && parser_->is_header_done() && parser_->chunked() &&
         data.size() < kLastChunk.size();
}

RequestReader::State RequestReader::take(std::string* received) {
  Parser& parser = *parser_;
  std::string_view data = *received;
  boost::beast::error_code error;
  // Without eager() the parser stops at the header's end, so that each byte counts where it
  // belongs.
  while (!error && !parser.is_done() && !data.empty() && !waits_for_last_chunk(data)) {
    std::size_t& counted = parser.is_header_done() ? tail_bytes_ : head_bytes_;
    const std::size_t used = parser.put(boost::asio::const_buffer(data.data(), data.size()), error);
    counted += used;
    data.remove_prefix(used);
  }
  received->erase(0, received->size() - data.size());
  rest_ = !data.empty();
  if (parser.target_too_long) return refuse(414);
  if (error == http::error::header_limit) return refuse(parser.is_header_done() ? 413 : 431);
  if (error == http::error::body_limit) return refuse(413);
  if (error && error != http::error::need_more) return refuse(400);
  // Bytes of an unfinished request count as a part of it.
  const std::size_t waiting = parser.is_done() ? 0 : received->size();
  const bool in_header = !parser.is_header_done();
  if (head_bytes_ + (in_header ? waiting : 0) > max_header_bytes_) return refuse(431);
  if (tail_bytes_ + (in_header ? 0 : waiting) > kMaxTail) return refuse(413);
  if (!parser.is_done()) return State::more;
  return parser.http_1_1 && parser.hosts != 1 ? refuse(400) : State::request;
}

bool RequestReader::keep_alive() const { return parser_->keep_alive(); }

std::shared_ptr<Request> RequestReader::request() { return std::move(parser_->request); }

}  // namespace ccm::serving
