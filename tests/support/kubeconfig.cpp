#include "support/kubeconfig.hpp"

#include "support/file.hpp"
#include "support/yaml.hpp"

#include <nlohmann/json.hpp>
#include <openssl/evp.h>

#include <stdexcept>

namespace ccm::support {
namespace {

using nlohmann::json;

std::string decode_base64(const std::string& text) {
  std::string bytes(text.size() / 4 * 3 + 3, '\0');
  const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()));
  if (length < 0) throw std::runtime_error("a value is not base64");
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  bytes.resize(static_cast<std::size_t>(length) - padding);
  return bytes;
}

json named(const json& config, const char* list, const std::string& name, const char* member) {
  for (const json& entry : config.value(list, json::array())) {
    if (entry.value("name", "") == name) return entry.value(member, json::object());
  }
  throw std::runtime_error(std::string(list) + " has no entry named \"" + name + "\"");
}

// KEY-data inline, or KEY as a path relative to the kubeconfig's folder.
std::string material(const json& entry, const std::string& key,
                     const std::filesystem::path& folder) {
  if (entry.contains(key + "-data")) return decode_base64(entry.at(key + "-data"));
  if (entry.contains(key)) return read_file(folder / entry.at(key).get<std::string>());
  return {};
}

}  // namespace

Credentials read_kubeconfig(const std::filesystem::path& path) {
  try {
    const json config = parse_yaml(read_file(path));
    const json context = named(config, "contexts", config.value("current-context", ""), "context");
    const json cluster = named(config, "clusters", context.value("cluster", ""), "cluster");
    const json user = named(config, "users", context.value("user", ""), "user");
    const std::filesystem::path folder = path.parent_path();
    Credentials result;
    result.server = cluster.at("server");
    result.ca_pem = material(cluster, "certificate-authority", folder);
    result.client_certificate = material(user, "client-certificate", folder);
    result.client_key = material(user, "client-key", folder);
    result.token = user.value("token", "");
    return result;
  } catch (const std::exception& error) {
    throw std::runtime_error(path.string() + ": " + error.what());
  }
}

}  // namespace ccm::support
