#include "chain.hpp"

#include "assumed_role.hpp"
#include "aws/config/cloud_config.hpp"
#include "file_keys.hpp"
#include "instance_keys.hpp"
#include "static_keys.hpp"
#include "web_identity.hpp"

#include <memory>
#include <utility>

namespace ccm::aws {
namespace {

constexpr int kMostProfiles = 8;  // in a chain of source_profile

// The variable, or the one by its older name.
std::string either(const Environment& environment, const char* name, const char* older) {
  std::string value = environment.get(name);
  return value.empty() ? environment.get(older) : value;
}

Keys environment_keys(const Environment& environment) {
  Keys keys;
  keys.access_key_id = either(environment, "AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY");
  keys.secret_access_key = Secret(either(environment, "AWS_SECRET_ACCESS_KEY", "AWS_SECRET_KEY"));
  keys.session_token = Secret(environment.get("AWS_SESSION_TOKEN"));
  return keys;
}

KeySourcePtr container_source(const ChainParts& parts, std::string url) {
  const Environment& environment = parts.environment;
  return std::make_unique<ContainerKeys>(
      parts.host, parts.direct,
      ContainerEndpoint{std::move(url), environment.get("AWS_CONTAINER_AUTHORIZATION_TOKEN"),
                        environment.get("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")});
}

// nullptr when neither variable is set.
Result<KeySourcePtr> container_of_environment(const ChainParts& parts) {
  const std::string path = parts.environment.get("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  if (!path.empty()) return container_source(parts, "http://169.254.170.2" + path);
  const std::string url = parts.environment.get("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (url.empty()) return KeySourcePtr();
  if (Status status = check_container_url(url); !status.ok()) return status;
  return container_source(parts, url);
}

// What is asked when nothing names a place: the container's endpoint, else the instance.
Result<KeySourcePtr> surrounding_source(const ChainParts& parts) {
  auto container = container_of_environment(parts);
  if (!container.ok() || *container) return container;
  return KeySourcePtr(std::make_unique<InstanceKeys>(parts.host, parts.imds));
}

KeySourcePtr web_identity_source(const ChainParts& parts, WebIdentity identity) {
  return std::make_unique<WebIdentityKeys>(parts.host, parts.sts, std::move(identity));
}

Status in_profile(std::string_view name, std::string_view what) {
  std::string text = "profile ";
  text.append(name).append(": ").append(what);
  return invalid_configuration(std::move(text));
}

Result<KeySourcePtr> named_source(const ChainParts& parts, const std::string& profile,
                                  const std::string& name) {
  if (name == "Ec2InstanceMetadata")
    return KeySourcePtr(std::make_unique<InstanceKeys>(parts.host, parts.imds));
  if (name == "EcsContainer") {
    auto source = container_of_environment(parts);
    if (!source.ok() || *source) return source;
    return in_profile(profile,
                      "credential_source is EcsContainer, but no AWS_CONTAINER_... is set");
  }
  if (name == "Environment") {
    Keys keys = environment_keys(parts.environment);
    if (keys.complete()) {
      return KeySourcePtr(std::make_unique<StaticKeys>(std::move(keys), "environment variables"));
    }
    return in_profile(profile, "credential_source is Environment, but it has no keys");
  }
  return in_profile(profile,
                    "credential_source is none of Environment, Ec2InstanceMetadata and "
                    "EcsContainer");
}

class ProfileSource {
 public:
  explicit ProfileSource(const ChainParts& parts) : parts_(parts) {}

  // nullptr when the profile gives no keys.
  Result<KeySourcePtr> of(const std::string& name, int depth = 0) const {
    const Profile* profile = parts_.profiles.find(name);
    if (profile == nullptr) return in_profile(name, "is in neither of the shared files");
    if (depth == kMostProfiles) return in_profile(name, "source_profile goes round in a circle");
    const std::string token_file = setting(*profile, "web_identity_token_file");
    const std::string role = setting(*profile, "role_arn");
    auto base = base_of(name, *profile, depth);
    if (!base.ok() || role.empty()) return base;
    if (*base == nullptr && !token_file.empty()) {
      return web_identity_source(parts_,
                                 {token_file, role, setting(*profile, "role_session_name")});
    }
    // A role is never left out: who has it alone stands on the keys around this program.
    if (*base == nullptr) base = surrounding_source(parts_);
    if (!base.ok()) return base;
    Role assumed{role, setting(*profile, "role_session_name"), setting(*profile, "external_id"),
                 setting(*profile, "duration_seconds")};
    return KeySourcePtr(std::make_unique<AssumedRoleKeys>(parts_.host, parts_.sts, *std::move(base),
                                                          std::move(assumed)));
  }

 private:
  // The keys on which role_arn stands. nullptr when there are none.
  Result<KeySourcePtr> base_of(const std::string& name, const Profile& profile, int depth) const {
    const std::string source = setting(profile, "source_profile");
    const bool keys = !setting(profile, "aws_access_key_id").empty();
    if (!source.empty() && source != name) return of(source, depth + 1);
    if (keys) {
      return KeySourcePtr(std::make_unique<FileKeys>(parts_.host, parts_.environment, name));
    }
    const std::string named = setting(profile, "credential_source");
    if (!named.empty()) return named_source(parts_, name, named);
    if (!setting(profile, "web_identity_token_file").empty()) return KeySourcePtr();
    if (!setting(profile, "sso_session").empty() || !setting(profile, "sso_start_url").empty()) {
      return in_profile(name, "SSO needs somebody who logs in; use a role");
    }
    if (!setting(profile, kCredentialProcess).empty()) {
      return KeySourcePtr(std::make_unique<ProcessKeys>(parts_.host, parts_.environment, name));
    }
    return KeySourcePtr();
  }

  const ChainParts& parts_;
};

}  // namespace

std::string profile_name(const Environment& environment) {
  const std::string name = either(environment, "AWS_PROFILE", "AWS_DEFAULT_PROFILE");
  return name.empty() ? "default" : name;
}

Result<KeySourcePtr> find_key_source(const ChainParts& parts) {
  const Environment& environment = parts.environment;
  Keys keys = environment_keys(environment);
  if (keys.complete()) {
    return KeySourcePtr(std::make_unique<StaticKeys>(std::move(keys), "environment variables"));
  }
  const std::string token_file = environment.get("AWS_WEB_IDENTITY_TOKEN_FILE");
  const std::string role = environment.get("AWS_ROLE_ARN");
  if (!token_file.empty() && role.empty()) {
    return invalid_configuration("AWS_WEB_IDENTITY_TOKEN_FILE is set, but not AWS_ROLE_ARN");
  }
  if (!token_file.empty()) {
    return web_identity_source(parts, {token_file, role, environment.get("AWS_ROLE_SESSION_NAME")});
  }
  const std::string profile = profile_name(environment);
  const bool asked_for = !either(environment, "AWS_PROFILE", "AWS_DEFAULT_PROFILE").empty();
  if (asked_for || parts.profiles.find(profile) != nullptr) {
    auto source = ProfileSource(parts).of(profile);
    if (!source.ok() || *source) return source;
  }
  return surrounding_source(parts);
}

}  // namespace ccm::aws
