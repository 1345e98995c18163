#include "serving/pages/verbosity_page.hpp"

#include "base/log.hpp"

#include <charconv>
#include <string_view>

namespace ccm::serving {

Answer verbosity_page(const Request& request) {
  if (request.method != "PUT") return Answer{406, "unsupported http method"};
  std::string_view text = request.body;
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  int level = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), level);
  if (error != std::errc() || end != text.data() + text.size() || level < 0) {
    return Answer{400,
                  "failed set klog.logging.verbosity: the body is no decimal number from 0 up"};
  }
  const int before = log::verbosity();
  log::set_verbosity(level);
  log::info("The log's verbosity was changed",
            {{"from", before}, {"to", level}, {"user", request.user.name}});
  return Answer{200, "successfully set klog.logging.verbosity to " + std::to_string(level)};
}

}  // namespace ccm::serving
