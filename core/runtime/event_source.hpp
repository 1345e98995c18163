// The source of a controller's events: the shared informers, or a test.
#pragma once

#include "kube/informer.hpp"

#include <ccm/status.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace ccm::runtime {

struct WatchSpec {
  std::string resource;             // "v1/nodes"
  std::vector<std::string> fields;  // JSON pointers of all fields that are read
  std::string label_selector;
  std::string field_selector;
  std::chrono::milliseconds resync{0};  // 0 = never
};

class EventSource {
 public:
  virtual ~EventSource() = default;
  // Passes the events of `spec` to `handler` (its `resync` is set from the spec) until the source
  // ends. on_synced must be called once, after the initial adds. Failure: invalid_argument naming
  // the fault of the spec. Loop thread.
  virtual Status watch(const WatchSpec& spec, kube::InformerHandler handler) = 0;
};

// The informers of a process (HOST-85, 89). `informers` must outlive it.
class InformerSource final : public EventSource {
 public:
  explicit InformerSource(kube::InformerSet& informers) : informers_(informers) {}
  Status watch(const WatchSpec& spec, kube::InformerHandler handler) override;

 private:
  kube::InformerSet& informers_;
};

}  // namespace ccm::runtime
