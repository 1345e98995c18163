#include "provider_id.hpp"

#include "aws/api/error.hpp"

#include <ccm/cidr.hpp>

#include <algorithm>

namespace ccm::aws {
namespace {

constexpr std::string_view kScheme = "aws://";
constexpr std::string_view kFargate = "fargate-";

Status invalid(const char* what, std::string_view text) {
  return Status(Code::invalid_argument,
                std::string("Invalid ") + what + " for AWS instance (" + one_line(text) + ")");
}

}  // namespace

std::string provider_id(std::string_view zone, std::string_view instance) {
  return "aws:///" + std::string(zone) + "/" + std::string(instance);
}

Result<ProviderId> parse_provider_id(std::string_view text) {
  std::string_view path = text;
  if (path.starts_with(kScheme)) {
    path.remove_prefix(kScheme.size());
  } else if (path.find("://") != std::string_view::npos) {
    return invalid("scheme", text);
  }
  const size_t slash = path.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? path : path.substr(slash + 1);
  if (last.starts_with(kFargate)) return ProviderId{{}, std::string(last.substr(kFargate.size()))};
  if (!last.starts_with("i-")) return invalid("format", text);
  return ProviderId{std::string(last), {}};
}

bool is_instance_id(std::string_view text) {
  if (!text.starts_with("i-") || (text.size() != 10 && text.size() != 19)) return false;
  return std::all_of(text.begin() + 2, text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::string ipv4_address(std::string_view text) {
  const auto address = parse_address(text);
  if (!address || address->v6) return {};
  const std::string range = address->text();
  return range.substr(0, range.find('/'));
}

}  // namespace ccm::aws
