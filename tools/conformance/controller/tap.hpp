// Stands between a controller and the fake host: each service that the component gets passes its
// calls on, after it has noted them, and breaks those that a case wants broken. All that the
// controller asks, writes and says is looked at here, whatever its language is. Any thread.
#pragma once

#include <ccm/abi/controller.h>
#include <ccm/abi/kube.h>
#include <ccm/abi/plugin.h>
#include <ccm/status.hpp>
#include <ccm/testing/fake_host.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace ccm::conformance {

// One operation of the host that the component started.
struct HostCall {
  std::string service;      // "kube", "instances", "loadbalancers", "routes"
  std::string operation;    // "patch"
  std::string resource;     // of kube: "v1/nodes"
  std::string subresource;  // "status"
  std::string namespace_name;
  std::string name;  // of the object, or of the Service
  std::string body;
  int32_t patch_type = 0;
  bool writes = false;
  std::chrono::milliseconds at{0};

  [[nodiscard]] std::string text() const;  // "patch of v1/nodes/status node-1"
};

// The outcome of a call instead of a success.
struct Fault {
  enum class Kind { fail, lose, hang } kind = Kind::fail;
  Status status;
};

// A watch, as it was declared.
struct TappedWatch {
  ccm_watch raw{};
  std::string resource;
  std::vector<std::string> fields;
};

// A key that the component added.
struct AddedKey {
  std::string key;
  int32_t priority = 0;
  bool operator<(const AddedKey& other) const {
    return std::tie(key, priority) < std::tie(other.key, other.priority);
  }
};

// How a reconcile, or setup, ended: before the fake host reads it.
struct TappedEnd {
  int32_t code = 0;
  bool has_result = false;
  uint32_t result_size = 0;
  int64_t requeue_after_ms = 0;
};

class Tap {
 public:
  enum class Phase { nothing, create, setup, run, destroy, gone };
  // Which break comes for a call, if any. `index` counts calls since restart().
  using Judge = std::function<std::optional<Fault>(const HostCall& call, std::size_t index)>;

  explicit Tap(testing::FakeHost& host);
  ~Tap();
  Tap(const Tap&) = delete;
  Tap& operator=(const Tap&) = delete;

  // The plugin whose components get this tap's services. One component at a time.
  const ccm_plugin* wrap(const ccm_plugin* plugin);
  void set_phase(Phase phase);
  // Further fields that the manifest reads.
  void read(const std::string& resource, const std::vector<std::string>& fields);

  void judge(Judge judge);
  void restart();  // no break; the counts begin again
  [[nodiscard]] std::vector<HostCall> calls() const;
  [[nodiscard]] std::vector<HostCall> writes() const;
  [[nodiscard]] std::size_t hanging() const;  // calls that hang and have not ended
  // Every status and result of the host has more than these headers know.
  void set_future(bool future);

  [[nodiscard]] std::vector<TappedWatch> watches() const;
  [[nodiscard]] std::vector<AddedKey> added() const;
  void clear_added();
  [[nodiscard]] std::vector<TappedEnd> reconciled() const;
  // The longest time that one call into the component took, by its name.
  [[nodiscard]] std::map<std::string, std::chrono::milliseconds> slowest() const;

  // Breaches that were seen, by kind: "undeclared", "late-declaration", "destroy", "text",
  // "malformed", "map", "not-watched", "metrics", "events", "kube".
  void note(const std::string& rule, const std::string& what);
  [[nodiscard]] std::vector<std::string> notes(const std::string& rule) const;
  // References to objects that the component has not given back.
  [[nodiscard]] int64_t references() const { return references_; }
  void add_reference(int64_t count) { references_ += count; }
  // Texts that came from config.secret.
  [[nodiscard]] std::vector<std::string> secrets() const;
  [[nodiscard]] std::string said() const;  // all texts of the log, of Events and of statuses

  // Private to the tap's own files.
  struct Component;
  struct Tables;
  void declare(const TappedWatch& watch);
  void add_key(AddedKey key);
  void keep_secret(const std::string& content);
  void keep_metric(uint64_t number, const std::string& name, int32_t kind, std::size_t labels);
  void check_metric(uint64_t number, const ccm_str* values, std::size_t count, double value);
  void check_text(const char* what, ccm_str text);
  void say(ccm_str text);
  void check_phase(const char* function, bool only_in_create);
  void keep_cached(const ccm_object* object, const std::string& resource);
  void check_read(const ccm_object* object, std::string_view pointer);
  void enter(HostCall call, ccm_ctx ctx, ccm_completion done,
             const std::function<void(ccm_completion)>& pass, std::size_t result_size);
  void fail(ccm_completion done, Status status);
  void took(const std::string& what, std::chrono::steady_clock::time_point began);
  testing::FakeHost& host;

 private:
  friend struct Component;
  friend struct Tables;
  std::optional<Fault> find_break(const HostCall& call);
  void hang(ccm_ctx ctx, ccm_completion done);
  ccm_completion watch_end(ccm_completion done, std::optional<Status> instead,
                           std::size_t result_size);

  mutable std::recursive_mutex mutex_;
  const ccm_plugin* real_ = nullptr;
  ccm_plugin wrapped_{};
  std::unique_ptr<Component> component_;
  std::vector<std::unique_ptr<Component>> gone_;
  Phase phase_ = Phase::nothing;
  Judge judge_;
  std::size_t count_ = 0;
  std::size_t hanging_ = 0;
  bool future_ = false;
  std::vector<HostCall> calls_;
  std::vector<TappedWatch> watches_;
  std::vector<AddedKey> added_;
  std::vector<TappedEnd> ends_;
  std::map<std::string, std::chrono::milliseconds> slowest_;
  std::map<std::string, std::vector<std::string>> notes_;
  std::map<const ccm_object*, std::string> cached_;
  std::map<std::string, std::set<std::string>> declared_;
  struct Metric {
    std::string name;
    int32_t kind = 0;
    std::size_t labels = 0;
  };
  std::map<uint64_t, Metric> metrics_;
  std::atomic<int64_t> references_{0};
  std::vector<std::string> secrets_;
  std::string said_;
};

}  // namespace ccm::conformance
