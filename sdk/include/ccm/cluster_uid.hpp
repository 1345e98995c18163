// The cluster's own identity: the UID of its namespace kube-system. The API server chose it, and no
// other cluster has it but one that was restored from a copy; --cluster-name is "kubernetes" in
// most of them. For marks in the cloud. The provider's manifest asks for the right to "get" that
// namespace (see docs/provider-authors.md). [serial]
#pragma once

#include <ccm/ctx.hpp>
#include <ccm/host.hpp>
#include <ccm/kube.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace ccm {

class ClusterUid {
 public:
  explicit ClusterUid(Host& host) : host_(host) {}
  ClusterUid(const ClusterUid&) = delete;
  ClusterUid& operator=(const ClusterUid&) = delete;

  // Empty when the manager may not read the namespace, or there is none; asked until there is an
  // answer, then no more. Failure: what kept the API server from answering.
  Task<Result<std::string>> get(Ctx ctx) {
    if (!known_) {
      KubeReference reference;
      reference.resource = "v1/namespaces";
      reference.name = "kube-system";
      const auto found = co_await host_.kube.get(ctx.with_timeout(kTime), std::move(reference));
      const Code code = found.status().code();
      if (found.ok()) {
        known_ = found->uid();
      } else if (code == Code::permission_denied || code == Code::not_found) {
        known_ = std::string();
      } else {
        co_return found.status().with_context("the UID of the namespace kube-system");
      }
    }
    co_return *known_;
  }

 private:
  static constexpr std::chrono::milliseconds kTime{10'000};

  Host& host_;
  std::optional<std::string> known_;
};

}  // namespace ccm
