#include "file_keys.hpp"

#include "aws/config/cloud_config.hpp"
#include "json_keys.hpp"

#include <string_view>
#include <utility>

namespace ccm::aws {
namespace {

// `variable`: kConfigFile or kCredentialsFile.
std::string path_of(const Environment& environment, std::string_view variable) {
  std::string path = environment.get(variable);
  if (!path.empty()) return path;
  const std::string home = environment.get("HOME");
  if (home.empty()) return {};
  return home + (variable == kConfigFile ? "/.aws/config" : "/.aws/credentials");
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
  std::string path = path_of(environment, kConfigFile);
  auto config = co_await read_if_there(host, ctx, std::move(path));
  if (!config.ok()) co_return config.status();
  path = path_of(environment, kCredentialsFile);
  auto credentials = co_await read_if_there(host, ctx, std::move(path));
  if (!credentials.ok()) co_return credentials.status();
  co_return Profiles::parse(*config, *credentials);
}

Task<Result<Keys>> FileKeys::fetch(Ctx ctx) {
  auto profiles = co_await read_profiles(host_, ctx, environment_);
  if (!profiles.ok()) co_return profiles.status();
  const Profile* profile = profiles->find(profile_);
  Keys keys;
  if (profile != nullptr) {
    keys.access_key_id = setting(*profile, "aws_access_key_id");
    keys.secret_access_key = Secret(setting(*profile, "aws_secret_access_key"));
    keys.session_token = Secret(setting(*profile, "aws_session_token"));
  }
  if (!keys.complete()) {
    co_return invalid_configuration("aws_access_key_id or aws_secret_access_key is missing");
  }
  co_return keys;
}

Task<Result<std::string>> ProcessKeys::output(Ctx ctx) {
  auto profiles = co_await read_profiles(host_, ctx, environment_);
  if (!profiles.ok()) co_return profiles.status();
  const Profile* profile = profiles->find(profile_);
  if (profile == nullptr || setting(*profile, kCredentialProcess).empty()) {
    co_return invalid_configuration("credential_process is missing");
  }
  Command command{path_of(environment_, profile->process_file), std::string(kCredentialProcess),
                  setting(*profile, kCredentialProcess)};
  const Programs programs(host_.find<ccm_host_process>(CCM_HOST_PROCESS));
  auto output = co_await programs.run(ctx, std::move(command));
  co_return output;
}

Task<Result<Keys>> ProcessKeys::fetch(Ctx ctx) {
  auto output = co_await this->output(ctx);
  if (output.ok()) co_return parse_json_keys(host_.objects, *output, KeysForm::process);
  const Status& failed = output.status();
  if (failed.code() == Code::cancelled || failed.code() == Code::deadline_exceeded ||
      failed.code() == Code::unimplemented) {
    co_return failed;
  }
  // Also what is wrong in the files: somebody may be writing them.
  co_return Status(Code::unauthenticated, ErrorClass::auth, failed.message())
      .with_reason("CloudCredentialRefused");
}

}  // namespace ccm::aws
