#include "cloud_files.hpp"

#include "invalid_configuration.hpp"

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

namespace ccm::openstack {
namespace {

using Paths = std::vector<std::string>;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

// An absolute path; the given one when there is no working directory any more.
std::string absolute(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path found = std::filesystem::absolute(path, failed);
  return failed ? path : found.string();
}

Paths places_of(const std::string& name) {
  const std::string home = environment("HOME");
  Paths places;
  for (const char* ending : {".yaml", ".yml"}) {
    places.push_back(absolute(name + ending));
    if (!home.empty()) places.push_back(home + "/.config/openstack/" + name + ending);
    places.push_back("/etc/openstack/" + name + ending);
  }
  return places;
}

// The first file that exists; an empty text when none does.
Task<Result<std::string>> read_first(Host& host, Ctx ctx, Paths places, Paths& found) {
  for (const std::string& path : places) {
    auto text = co_await host.files.read(ctx, path);
    if (text.ok()) {
      found.push_back(path);
      co_return text;
    }
    if (text.status().code() != Code::not_found) co_return text.status();
  }
  co_return std::string();
}

}  // namespace

Task<Result<CloudFiles>> read_cloud_files(Host& host, Ctx ctx, std::string clouds_file) {
  CloudFiles files;
  Paths places;
  if (!clouds_file.empty()) {
    places.push_back(absolute(clouds_file));
  } else {
    places = places_of("clouds");
    const std::string named = environment("OS_CLIENT_CONFIG_FILE");
    if (!named.empty()) places.insert(places.begin(), absolute(named));
  }
  auto clouds = co_await read_first(host, ctx, places, files.paths);
  if (!clouds.ok()) co_return clouds.status();
  if (files.paths.empty()) {
    std::string looked_at;
    for (const std::string& path : places) looked_at += (looked_at.empty() ? "" : ", ") + path;
    co_return invalid_configuration("there is no clouds.yaml: " + looked_at);
  }
  auto secure = co_await read_first(host, ctx, places_of("secure"), files.paths);
  if (!secure.ok()) co_return secure.status();
  auto clouds_public = co_await read_first(host, ctx, places_of("clouds-public"), files.paths);
  if (!clouds_public.ok()) co_return clouds_public.status();
  files.texts = {*std::move(clouds), *std::move(secure), *std::move(clouds_public)};
  co_return files;
}

}  // namespace ccm::openstack
