#include "settings.hpp"

#include <ccm/trim.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace ccm::digitalocean {

Status invalid_configuration(std::string message) {
  return Status(Code::invalid_argument, ErrorClass::invalid_spec, std::move(message))
      .with_reason("InvalidConfiguration");
}

namespace {

constexpr std::string_view kDefaultApi = "https://api.digitalocean.com";
constexpr std::string_view kDefaultMetadata = "http://169.254.169.254";

std::string flag(const Config& config, std::string_view name) {
  return std::string(trim(config.flag(name).value_or(std::string_view())));
}

bool is_http_url(std::string_view url) {
  const bool plain = url.starts_with("http://");
  if (!plain && !url.starts_with("https://")) return false;
  url.remove_prefix(plain ? 7 : 8);
  return !url.empty() && url.front() != '/' && url.find_first_of(" \t\r\n?#") == url.npos;
}

// A path prefix is kept and applies to all calls alike (DO-9).
Result<std::string> url_flag(const Config& config, std::string_view name, std::string_view variable,
                             std::string_view fallback) {
  std::string url = flag(config, name);
  if (url.empty()) url = fallback;
  if (!is_http_url(url)) {
    std::string where = "--" + std::string(name);
    if (!variable.empty()) where += " (" + std::string(variable) + ")";
    return invalid_configuration(where + ": \"" + url +
                                 "\" is no http or https URL without a query");
  }
  while (url.ends_with('/')) url.pop_back();
  return url;
}

// Split as the Go manager does, but blanks and empty items are dropped (DO-16).
std::vector<std::string> items(const std::string& text) {
  std::vector<std::string> found;
  size_t begin = 0;
  while (begin <= text.size()) {
    const size_t end = std::min(text.find(',', begin), text.size());
    std::string item(trim(std::string_view(text).substr(begin, end - begin)));
    if (!item.empty()) found.push_back(std::move(item));
    begin = end + 1;
  }
  return found;
}

Status read_firewall(const Config& config, Settings& settings) {
  settings.firewall_name = flag(config, "digitalocean-firewall-name");
  settings.firewall_tags = items(flag(config, "digitalocean-firewall-tags"));
  if (settings.firewall_name.empty() == settings.firewall_tags.empty()) return {};
  const std::string missing = settings.firewall_name.empty() ? "PUBLIC_ACCESS_FIREWALL_NAME"
                                                             : "PUBLIC_ACCESS_FIREWALL_TAGS";
  return invalid_configuration("environment variable \"" + missing +
                               "\" is required when managing firewalls");
}

Status read_rate(const Config& config, Settings& settings) {
  const std::string text = flag(config, "digitalocean-api-qps");
  if (text.empty()) return {};
  double rate = 0;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, rate);
  if (fault != std::errc() || stop != end || std::isnan(rate) || rate <= 0) {
    return invalid_configuration(
        "failed to parse value from environment variable DO_API_RATE_LIMIT_QPS: \"" + text +
        "\" is no number above 0");
  }
  settings.calls_per_second = std::isinf(rate) ? 0 : rate;
  return {};
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const char c = text[i];
    const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (dash ? c != '-' : !hex) return false;
  }
  return true;
}

}  // namespace

bool is_tag(std::string_view text) {
  constexpr size_t kLongestTag = 255;
  return !text.empty() && text.size() <= kLongestTag &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  c == '_' || c == '-' || c == ':';
         });
}

bool runs_controller(std::string_view controllers, std::string_view name) {
  bool all = false;
  for (const std::string& item : items(std::string(controllers))) {
    if (item == name) return true;
    if (item == "-" + std::string(name)) return false;
    all = all || item == "*";
  }
  return all;
}

std::string Settings::cluster_tag() const {
  return cluster_id.empty() ? std::string() : "k8s:" + cluster_id;
}

std::string Settings::service_tag(const LoadBalancerService& service) const {
  std::string tag = "k8s:";
  if (!cluster().empty()) tag += cluster() + ":";
  return tag + "service:" + service.uid;
}

std::string Settings::named_service_tag(const LoadBalancerService& service) const {
  std::string tag = service_tag(service) + ":" + service.namespace_name + ":" + service.name;
  return is_tag(tag) ? tag : std::string();
}

bool Settings::is_own_tag(std::string_view tag) const {
  return !cluster().empty() && tag.starts_with("k8s:" + cluster() + ":");
}

Result<Settings> read_settings(const Config& config) {
  Settings settings;
  auto api = url_flag(config, "digitalocean-api-url", "DO_OVERRIDE_URL", kDefaultApi);
  if (!api.ok()) return api.status();
  settings.api_url = *std::move(api);
  auto metadata = url_flag(config, "digitalocean-metadata-url", "", kDefaultMetadata);
  if (!metadata.ok()) return metadata.status();
  settings.metadata_url = *std::move(metadata);

  settings.region = flag(config, "digitalocean-region");
  settings.cluster_id = flag(config, "digitalocean-cluster-id");
  settings.vpc_id = flag(config, "digitalocean-cluster-vpc-id");
  if (!settings.vpc_id.empty() && !is_uuid(settings.vpc_id)) {
    return invalid_configuration("--digitalocean-cluster-vpc-id (DO_CLUSTER_VPC_ID): \"" +
                                 settings.vpc_id + "\" is no UUID");
  }
  settings.target_tag = flag(config, "digitalocean-target-tag");
  if (!settings.target_tag.empty() && !is_tag(settings.target_tag)) {
    std::string text = "--digitalocean-target-tag: \"";
    text += settings.target_tag;
    return invalid_configuration(text + "\" is no tag: letters, digits, _, - and : only");
  }
  const std::string type = flag(config, "digitalocean-default-lb-type");
  if (type == "REGIONAL") settings.default_lb_type = type;

  Status status = read_firewall(config, settings);
  if (status.ok()) status = read_rate(config, settings);
  if (!status.ok()) return status;
  return settings;
}

Status told_by_provider() {
  return {Code::unimplemented, ErrorClass::unsupported,
          "the provider's settings cannot be used, which the provider tells"};
}

Result<std::string> read_token(const Config& config) {
  std::string token(trim(config.secret(kTokenVariable).value_or(std::string())));
  const std::string variable(kTokenVariable);
  if (token.empty()) {
    return invalid_configuration("environment variable \"" + variable + "\" is required; or let " +
                                 variable + "_FILE name a file that holds the token");
  }
  const bool printable =
      std::all_of(token.begin(), token.end(), [](unsigned char c) { return c > 0x20 && c < 0x7F; });
  if (!printable)
    return invalid_configuration("the token in " + variable +
                                 " holds a character that no token has");
  return token;
}

}  // namespace ccm::digitalocean
