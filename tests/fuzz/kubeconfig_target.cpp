// Kubeconfig files (kube/config.hpp). Input: the text.
// Properties: no exception and no endless work; a usable result keeps its promises; credentials
// never go to a plain-http server; the message of a failure is one line; the same text gives the
// same result.
#include "fuzz.hpp"
#include "kube/config.hpp"
#include "kube/object.hpp"

#include <algorithm>

namespace ccm::fuzz {
namespace {

using kube::ClientConfig;

constexpr const char* kNowhere = "/nonexistent";

bool one_line(const std::string& text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) && c != '\t';
  });
}

void check(const Result<ClientConfig>& result, std::string_view text) {
  if (!result.ok()) {
    require(!result.status().message().empty(), "a failure says what is wrong");
    require(one_line(result.status().message()), "a failure is one line");
    require(result.status().message().size() <= text.size() * 2 + 512, "a short one");
    return;
  }
  const ClientConfig& config = *result;
  const bool tls = config.server.starts_with("https://");
  require(tls || config.server.starts_with("http://"), "the server is a URL");
  require(!config.server.ends_with('/'), "without a slash at its end");
  require(!config.namespace_name.empty(), "there is a namespace");
  const bool credentials = !config.token.empty() || !config.token_file.empty() ||
                           !config.username.empty() || !config.password.empty() || config.exec ||
                           !config.client_key_data.empty() || !config.impersonate.user.empty();
  require(tls || !credentials, "no credential for a plain-http server (API-98)");
  require(config.ca_file.empty() || config.ca_data.empty(), "file and data exclude each other");
  if (!config.exec) return;
  require(!config.exec->command.empty(), "an exec plugin has a command");
  const std::string& json = config.exec->cluster_config_json;
  if (json.empty()) return;
  require(json.size() <= (64U << 10U) + text.size(), "anchors do not multiply without limit");
  require(kube::Object::decode(R"({"config":)" + json + "}").ok(), "the extension is JSON");
}

}  // namespace

void kubeconfig_target(std::string_view bytes) {
  const std::string text(bytes);
  const auto plain = kube::parse_kubeconfig(text, "config", kNowhere);
  check(plain, bytes);
  const auto again = kube::parse_kubeconfig(text, "config", kNowhere);
  require(plain.ok() == again.ok(), "the same text gives the same result");
  if (!plain.ok()) require_equal(plain.status().message(), again.status().message(), "message");
  check(kube::parse_kubeconfig(text, "config", kNowhere, "https://192.0.2.1:6443/"), bytes);
}

}  // namespace ccm::fuzz
