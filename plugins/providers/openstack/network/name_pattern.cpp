#include "name_pattern.hpp"

#include <ccm/percent_encode.hpp>

namespace ccm::openstack {
namespace {

constexpr std::size_t kLongestShown = 255;

}  // namespace

Result<NamePattern> NamePattern::parse(std::string_view text) {
  std::string_view rest = text;
  const bool negated = rest.starts_with('!');
  if (negated) rest.remove_prefix(1);
  const bool regular = rest.starts_with('~');
  if (regular) rest.remove_prefix(1);
  auto pattern = regular ? Pattern::regular_expression(rest) : Pattern::glob(rest);
  if (pattern.ok()) return NamePattern(negated, *std::move(pattern));
  std::string what = "floating-subnet \"" + std::string(text.substr(0, kLongestShown)) + "\" ";
  return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                what + pattern.status().message());
}

std::string tag_query(const std::string& tags) {
  std::string_view rest = tags;
  const bool negated = rest.starts_with('!');
  if (negated) rest.remove_prefix(1);
  const bool all = rest.starts_with('&');
  if (all) rest.remove_prefix(1);
  if (rest.empty()) return {};
  const char* name = all ? "tags" : "tags-any";
  if (negated) name = all ? "not-tags" : "not-tags-any";
  return "&" + std::string(name) + "=" + percent_encode(std::string(rest));
}

}  // namespace ccm::openstack
