// Kubernetes API requests in the raw: paths and JSON in, status and JSON out.
#pragma once

#include "support/http_client.hpp"
#include "support/watch_stream.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

namespace ccm::support {

inline constexpr const char* kJsonPatch = "application/json-patch+json";
inline constexpr const char* kMergePatch = "application/merge-patch+json";
inline constexpr const char* kStrategicPatch = "application/strategic-merge-patch+json";
inline constexpr const char* kApplyPatch = "application/apply-patch+yaml";

struct KubeResponse {
  int status = 0;
  nlohmann::json body;  // null if the answer is no JSON
  HttpResponse http;

  bool ok() const { return status >= 200 && status < 300; }
  // What a Status object says; empty otherwise.
  std::string reason() const;
  std::string message() const;
  // True if details.causes has an entry of this reason ("type" in Go).
  bool has_cause(const std::string& cause) const;
  // The resource version of an object or list.
  std::string resource_version() const;
};

// One connection to one API server. One thread at a time. Throws std::runtime_error only if the
// server does not answer.
class KubeClient {
 public:
  explicit KubeClient(const std::filesystem::path& kubeconfig);
  explicit KubeClient(Credentials credentials);

  KubeResponse send(const HttpRequest& request);
  KubeResponse get(const std::string& target);
  KubeResponse create(const std::string& target, const nlohmann::json& object);
  KubeResponse replace(const std::string& target, const nlohmann::json& object);
  KubeResponse patch(const std::string& target, const std::string& type,
                     const nlohmann::json& patch);
  // options: DeleteOptions, or null for no body.
  KubeResponse remove(const std::string& target, const nlohmann::json& options = nullptr);
  // target without watch=true.
  WatchStream watch(const std::string& target) const;
  const Credentials& credentials() const { return http_.credentials(); }

 private:
  HttpClient http_;
};

}  // namespace ccm::support
