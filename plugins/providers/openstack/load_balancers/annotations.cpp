#include "annotations.hpp"

#include <charconv>
#include <utility>

namespace ccm::openstack {
namespace {

std::string quoted(const std::string& text) {
  constexpr std::size_t kLongest = 64;
  return "\"" + (text.size() > kLongest ? text.substr(0, kLongest) + "..." : text) + "\"";
}

}  // namespace

std::optional<std::string> Annotations::text(std::string_view name) const {
  const auto text =
      service_.at("/metadata/annotations" + pointer_segment(std::string(name))).text();
  if (!text) return std::nullopt;
  return std::string(*text);
}

bool Annotations::boolean(std::string_view name, bool fallback) {
  const auto given = text(name);
  if (!given) return fallback;
  if (*given == "true" || *given == "false") return *given == "true";
  not_followed(name, quoted(*given) + " is neither true nor false");
  return fallback;
}

int64_t Annotations::integer(std::string_view name, int64_t fallback, int64_t least, int64_t most) {
  const auto given = text(name);
  if (!given) return fallback;
  int64_t number = 0;
  const char* end = given->data() + given->size();
  const auto [stop, fault] = std::from_chars(given->data(), end, number);
  if (fault == std::errc() && stop == end && number >= least && number <= most) return number;
  not_followed(name, quoted(*given) + " is no number from " + std::to_string(least) + " to " +
                         std::to_string(most));
  return fallback;
}

void Annotations::not_followed(std::string_view name, const std::string& why) {
  problems_.push_back(std::string(name) + ": " + why);
}

}  // namespace ccm::openstack
