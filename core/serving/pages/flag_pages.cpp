#include "serving/pages/flag_pages.hpp"

#include "base/log.hpp"
#include "serving/site.hpp"

#include <ccm/lower_case.hpp>

#include <nlohmann/json.hpp>

#include <charconv>
#include <string_view>

namespace ccm::serving {

bool wants_json(const Request& request) {
  const std::string accept = lower_case(request.header("Accept"));
  const auto json = accept.find("application/json");
  if (json == std::string::npos) return false;
  const auto text = accept.find("text/");
  return text == std::string::npos || json < text;
}

std::string page_header(std::string_view title) {
  return "\ncloud-controller-manager " + std::string(title) +
         "\nWarning: This endpoint is not meant to be machine parseable, has no formatting "
         "compatibility guarantees and is for debugging purposes only.\n\n";
}

Answer flags_page(const Request& request, const FlagValues& flags) {
  if (const auto refusal = only_reads(request)) return *refusal;
  Answer answer;
  if (wants_json(request)) {
    nlohmann::ordered_json page = {{"kind", "Flagz"},
                                   {"apiVersion", "config.k8s.io/v1alpha1"},
                                   {"metadata", {{"name", "cloud-controller-manager"}}},
                                   {"flags", nlohmann::ordered_json::object()}};
    for (const auto& [name, value] : flags) page["flags"][name] = value;
    answer.content_type = "application/json";
    answer.body = page.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    return answer;
  }
  answer.body = page_header("flags");
  for (const auto& [name, value] : flags) answer.body += name + "=" + value + "\n";
  return answer;
}

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
