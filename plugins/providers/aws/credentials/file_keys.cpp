#include "file_keys.hpp"

#include "aws/config/cloud_config.hpp"

#include <string_view>

namespace ccm::aws {
namespace {

std::string path_of(const Environment& environment, std::string_view variable,
                    std::string_view name) {
  std::string path = environment.get(variable);
  if (!path.empty()) return path;
  const std::string home = environment.get("HOME");
  return home.empty() ? std::string() : home + "/.aws/" + std::string(name);
}

// A file that nobody named need not be there.
Task<Result<std::string>> read_if_there(Host& host, Ctx ctx, std::string path) {
  if (path.empty()) co_return std::string();
  auto text = co_await host.files.read(ctx, path);
  if (text.ok()) co_return text;
  if (text.status().code() == Code::not_found) co_return std::string();
  co_return text.status().with_context(path);
}

}  // namespace

Task<Result<Profiles>> read_profiles(Host& host, Ctx ctx, const Environment& environment) {
  std::string path = path_of(environment, "AWS_CONFIG_FILE", "config");
  auto config = co_await read_if_there(host, ctx, std::move(path));
  if (!config.ok()) co_return config.status();
  path = path_of(environment, "AWS_SHARED_CREDENTIALS_FILE", "credentials");
  auto credentials = co_await read_if_there(host, ctx, std::move(path));
  if (!credentials.ok()) co_return credentials.status();
  co_return Profiles::parse(*config, *credentials);
}

Task<Result<Keys>> FileKeys::fetch(Ctx ctx) {
  auto profiles = co_await read_profiles(host_, ctx, environment_);
  if (!profiles.ok()) co_return profiles.status();
  Keys keys;
  if (const Profile* profile = profiles->find(profile_); profile != nullptr) {
    keys.access_key_id = setting(*profile, "aws_access_key_id");
    keys.secret_access_key = Secret(setting(*profile, "aws_secret_access_key"));
    keys.session_token = Secret(setting(*profile, "aws_session_token"));
  }
  if (!keys.complete()) {
    co_return invalid_configuration("aws_access_key_id or aws_secret_access_key is missing");
  }
  co_return keys;
}

}  // namespace ccm::aws
