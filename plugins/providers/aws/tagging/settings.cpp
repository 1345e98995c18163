#include "settings.hpp"

#include "aws/api/params.hpp"
#include "aws/cluster.hpp"
#include "aws/digests/md5.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::aws {
namespace {

constexpr size_t kMostInstanceTags = 50;  // of an instance
constexpr size_t kLongestTagKey = 128;
constexpr size_t kLongestTagValue = 256;

Status refused_tags(const std::string& why) {
  return Status(Code::invalid_argument, ErrorClass::invalid_spec, "--tags " + why);
}

// Why EC2 takes no such tag; empty when it does.
std::string fault_of(std::string_view key, std::string_view value) {
  if (key.empty() || key.size() > kLongestTagKey) return "has no key of 1 to 128 bytes";
  if (value.size() > kLongestTagValue) return "has a value of more than 256 bytes";
  if (key.starts_with("aws:")) return "is AWS's own";
  // Taken away with a Node, such a tag would take the instance from the cluster.
  if (key.starts_with(kClusterTagPrefix) || key == kLegacyClusterTag) {
    return "says whose an instance is";
  }
  return {};
}

Result<InstanceTagMap> parse_tags(std::string_view text) {
  InstanceTagMap tags;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find(','));
    text.remove_prefix(std::min(pair.size() + 1, text.size()));
    const size_t equals = pair.find('=');
    if (equals == std::string_view::npos) {
      return refused_tags("\"" + std::string(pair) + "\" must be formatted as key=value");
    }
    const std::string_view key = pair.substr(0, equals);
    const std::string_view value = pair.substr(equals + 1);
    const std::string fault = fault_of(key, value);
    if (!fault.empty()) return refused_tags("\"" + std::string(key) + "\" " + fault);
    tags.insert_or_assign(std::string(key), std::string(value));
  }
  if (tags.empty()) return refused_tags("must not be empty and must be a form of key=value");
  if (tags.size() > kMostInstanceTags) return refused_tags("are more than an instance takes, 50");
  return tags;
}

}  // namespace

Result<TaggingSettings> read_tagging_settings(const Config& config) {
  TaggingSettings settings;
  auto tags = parse_tags(config.flag("tags").value_or(""));
  if (!tags.ok()) return tags.status();
  settings.tags = *std::move(tags);
  if (config.flag("resources").value_or("").empty()) {
    return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                  "--resources must not be empty");
  }
  const std::string_view rate = config.flag("tagging-controller-rate-limit").value_or("0");
  const auto [end, error] = std::from_chars(rate.data(), rate.data() + rate.size(), settings.rate);
  if (error != std::errc() || end != rate.data() + rate.size() || !(settings.rate >= 0)) {
    return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                  "--tagging-controller-rate-limit must be a number of 0 or more");
  }
  settings.burst =
      static_cast<double>(config.integer_flag("tagging-controller-burst-limit").value_or(0));
  // As many as one call takes: while it waits, none of them costs a thread.
  const char* syncs = "tagging-controller-concurrent-node-syncs";
  settings.workers = config.flag_given(syncs)
                         ? static_cast<uint32_t>(config.integer_flag(syncs).value_or(1))
                         : static_cast<uint32_t>(kFilterValues);
  return settings;
}

std::string digest_of(const InstanceTagMap& tags) {
  std::vector<std::string> pairs;
  for (const auto& [key, value] : tags) pairs.push_back(key + "=" + value);
  std::sort(pairs.begin(), pairs.end());
  std::string all;
  for (const std::string& pair : pairs) all += (all.empty() ? "" : ",") + pair;
  return md5_hex(all);
}

}  // namespace ccm::aws
