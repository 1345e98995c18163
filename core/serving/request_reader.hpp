// One HTTP request from bytes as they arrive, within limits (HOST-105). No I/O; any thread.
// Internal to serving.
#pragma once

#include "serving/message.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace ccm::serving {

class RequestReader {
 public:
  static constexpr std::size_t kMaxFields = 256;         // a front proxy names each group in one
  static constexpr std::size_t kMaxTarget = 8192;        // bytes
  static constexpr std::size_t kMaxBody = 4096;          // only levels of verbosity are sent
  static constexpr std::size_t kMaxTail = 4 * kMaxBody;  // a body as it is sent: chunks, trailers

  // `max_header_bytes`: of the request line and all header fields together.
  explicit RequestReader(std::size_t max_header_bytes);
  ~RequestReader();
  RequestReader& operator=(RequestReader&&) = delete;

  enum class State { more, request, refused };
  // Consumes the bytes of this request from the front of `received`; the following bytes stay.
  // more: bytes are missing. Not to be called again after any other result. However the bytes
  // arrive, it never holds more of a request than the limits allow.
  State take(std::string* received);

  // The status code for a refused request: 400, 413, 414 or 431.
  [[nodiscard]] unsigned refusal() const { return refusal_; }

  // Bytes of this request that were consumed so far.
  [[nodiscard]] std::size_t taken() const { return head_bytes_ + tail_bytes_; }

  // Whether the client would keep the connection. After a whole request only.
  [[nodiscard]] bool keep_alive() const;
  // The whole request as a value, without facts about its connection. Once.
  [[nodiscard]] std::shared_ptr<Request> request();

 private:
  class Parser;
  State refuse(unsigned status);
  [[nodiscard]] bool waits_for_last_chunk(std::string_view data) const;

  std::unique_ptr<Parser> parser_;
  std::size_t max_header_bytes_;
  std::size_t head_bytes_ = 0;
  std::size_t tail_bytes_ = 0;
  bool rest_ = false;  // take() left bytes for its next call
  unsigned refusal_ = 400;
};

}  // namespace ccm::serving
