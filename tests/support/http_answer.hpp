// The answer of a fake server, or the fault in its place.
#pragma once

#include <chrono>
#include <map>
#include <string>

namespace ccm::support {

struct HttpAnswer {
  int status = 200;
  std::string body;
  std::map<std::string, std::string> headers;  // names in lower case
  std::chrono::milliseconds delay{0};          // before it is sent
  bool cut = false;                            // the connection ends instead of an answer
  bool cut_body = false;                       // it ends in the middle of the body
};

}  // namespace ccm::support
