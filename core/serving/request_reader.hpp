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
  explicit RequestReader(std::size_t max_header_bytes);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  enum class State { more, request, refused };
  // Consumes what belongs to this request from the front of `received`; what follows it stays.
  // more: bytes are missing. Not to be called again after anything else.
  State take(std::string* received);

  // The status with which a refused request is answered: 400, 413 or 431.
  [[nodiscard]] unsigned refusal() const { return refusal_; }

  // Of a whole request; borrowed from the reader.
  [[nodiscard]] std::string_view method() const;
  [[nodiscard]] std::string_view target() const;
  [[nodiscard]] bool keep_alive() const;
  // The whole request as a value, without what its connection knows.
  [[nodiscard]] std::shared_ptr<Request> request() const;

 private:
  struct Parser;
  State refuse(unsigned status);

  std::unique_ptr<Parser> parser_;
  std::size_t max_header_bytes_;
  unsigned refusal_ = 400;
};

}  // namespace ccm::serving
