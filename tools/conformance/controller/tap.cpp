#include "tap.hpp"

#include "conformance/call.hpp"
#include "tap_component.hpp"

#include <ccm/abi/ctx.h>
#include <ccm/abi/metrics.h>
#include <ccm/utf8.hpp>

#include <algorithm>
#include <cstring>

namespace ccm::conformance {
namespace {

// Calls at one time of the clock after which a controller is held to wake itself for ever.
constexpr std::size_t kEndless = 1'000;
constexpr std::size_t kMore = 16;  // bytes that these headers do not know

// A copy of a struct of the ABI with bytes of the future.
std::vector<uint64_t> grown(const void* given, std::size_t size) {
  std::vector<uint64_t> copy(size / sizeof(uint64_t) + 2, 0xA5A5A5A5A5A5A5A5U);
  std::memcpy(copy.data(), given, size);
  const auto whole = static_cast<uint32_t>(size + kMore);
  std::memcpy(copy.data(), &whole, sizeof(whole));
  return copy;
}

// An operation that passes its end on. Frees itself.
struct Passed {
  Tap* tap;
  ccm_completion done;
  std::optional<Status> instead;
  std::size_t result_size;
  bool future;

  static void completed(void* owner, uint64_t, const ccm_status* status, const void* result) {
    const std::unique_ptr<Passed> self(static_cast<Passed*>(owner));
    ccm_status raw = self->instead ? self->instead->to_c() : known(status);
    if (self->instead) result = nullptr;
    if (!self->future) return self->done.fn(self->done.owner, self->done.operation, &raw, result);
    raw.flags |= 1U << 30;
    const auto status_of_future = grown(&raw, sizeof(raw));
    std::vector<uint64_t> result_of_future;
    if (result != nullptr && self->result_size > 0) {
      result_of_future = grown(result, self->result_size);
      result = result_of_future.data();
    }
    self->done.fn(self->done.owner, self->done.operation,
                  reinterpret_cast<const ccm_status*>(status_of_future.data()), result);
  }
};

// A call that ends when its ctx does. Dropped by the host exactly once.
struct Hanging {
  testing::FakeHost& host;
  ccm_completion done;
  ccm_interface contexts;
  ccm_ctx ctx;
  std::function<void()> ended;

  static void end(void* owner) {
    auto& self = *static_cast<Hanging*>(owner);
    const auto* table = static_cast<const ccm_host_ctx*>(self.contexts.table);
    const auto code = static_cast<Code>(table->end_code(self.contexts.self, self.ctx));
    self.ended();
    const Status status(code, "the ctx ended");
    const ccm_status raw = status.to_c();
    self.done.fn(self.done.owner, self.done.operation, &raw, nullptr);
  }
  static void drop(void* owner) { delete static_cast<Hanging*>(owner); }
};

std::vector<std::string> segments(std::string_view pointer) {
  std::vector<std::string> parts;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::size_t slash = std::min(pointer.find('/'), pointer.size());
    parts.emplace_back(pointer.substr(0, slash));
    pointer.remove_prefix(slash);
  }
  return parts;
}

// Whether one is within the other.
bool overlap(std::string_view read, std::string_view declared) {
  const auto left = segments(read);
  const auto right = segments(declared);
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    if (left[i] != right[i] && right[i] != "-") return false;
  }
  return true;
}

}  // namespace

std::string HostCall::text() const {
  std::string text = operation + " of ";
  text += service == "kube" ? resource : service;
  if (!subresource.empty()) text += "/" + subresource;
  if (!name.empty()) text += " " + (namespace_name.empty() ? name : namespace_name + "/" + name);
  return text;
}

Tap::Tap(testing::FakeHost& the_host) : host(the_host) {}
Tap::~Tap() = default;

void Tap::set_phase(Phase phase) {
  const std::lock_guard lock(mutex_);
  phase_ = phase;
}

void Tap::judge(Judge judge) {
  const std::lock_guard lock(mutex_);
  judge_ = std::move(judge);
}

void Tap::restart() {
  const std::lock_guard lock(mutex_);
  judge_ = nullptr;
  count_ = 0;
  calls_.clear();
}

void Tap::set_future(bool future) {
  const std::lock_guard lock(mutex_);
  future_ = future;
}

std::vector<HostCall> Tap::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

std::vector<HostCall> Tap::writes() const {
  std::vector<HostCall> found = calls();
  std::erase_if(found, [](const HostCall& call) { return !call.writes; });
  return found;
}

std::size_t Tap::hanging() const {
  const std::lock_guard lock(mutex_);
  return hanging_;
}

std::vector<TappedWatch> Tap::watches() const {
  const std::lock_guard lock(mutex_);
  return watches_;
}

std::vector<AddedKey> Tap::added() const {
  const std::lock_guard lock(mutex_);
  return added_;
}

void Tap::clear_added() {
  const std::lock_guard lock(mutex_);
  added_.clear();
}

std::vector<TappedEnd> Tap::reconciled() const {
  const std::lock_guard lock(mutex_);
  return ends_;
}

std::map<std::string, std::chrono::milliseconds> Tap::slowest() const {
  const std::lock_guard lock(mutex_);
  return slowest_;
}

std::vector<std::string> Tap::secrets() const {
  const std::lock_guard lock(mutex_);
  return secrets_;
}

std::string Tap::said() const {
  const std::lock_guard lock(mutex_);
  return said_;
}

void Tap::note(const std::string& rule, const std::string& what) {
  const std::lock_guard lock(mutex_);
  notes_[rule].push_back(what);
}

std::vector<std::string> Tap::notes(const std::string& rule) const {
  const std::lock_guard lock(mutex_);
  const auto found = notes_.find(rule);
  return found != notes_.end() ? found->second : std::vector<std::string>();
}

void Tap::read(const std::string& resource, const std::vector<std::string>& fields) {
  const std::lock_guard lock(mutex_);
  declared_[resource].insert(fields.begin(), fields.end());
}

void Tap::declare(const TappedWatch& watch) {
  const std::lock_guard lock(mutex_);
  watches_.push_back(watch);
  declared_[watch.resource].insert(watch.fields.begin(), watch.fields.end());
}

void Tap::add_key(AddedKey key) {
  const std::lock_guard lock(mutex_);
  added_.push_back(std::move(key));
}

void Tap::keep_secret(const std::string& content) {
  const std::lock_guard lock(mutex_);
  secrets_.push_back(content);
}

void Tap::keep_metric(uint64_t number, const std::string& name, int32_t kind, std::size_t labels) {
  const std::lock_guard lock(mutex_);
  metrics_[number] = {name, kind, labels};
}

void Tap::check_metric(uint64_t number, const ccm_str* values, std::size_t count, double value) {
  const std::lock_guard lock(mutex_);
  const auto found = metrics_.find(number);
  if (number == 0) return note("metrics", "a metric that the host refused is recorded");
  if (found == metrics_.end()) return;  // defined in `open`, say
  const Metric& metric = found->second;
  if (count != metric.labels || (count > 0 && values == nullptr)) {
    return note("metrics", "the metric \"" + metric.name + "\" is recorded with " +
                               std::to_string(count) + " label values, and has " +
                               std::to_string(metric.labels) + " labels");
  }
  if (metric.kind == CCM_METRIC_COUNTER && value < 0) {
    note("metrics", "the counter \"" + metric.name + "\" is lowered");
  }
  for (std::size_t i = 0; i < count; ++i) check_text("a label value of a metric", values[i]);
}

void Tap::took(const std::string& what, std::chrono::steady_clock::time_point began) {
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - began);
  const std::lock_guard lock(mutex_);
  auto& longest = slowest_[what];
  longest = std::max(longest, time);
}

void Tap::check_text(const char* what, ccm_str text) {
  if (is_utf8(view(text))) return;
  note("text", std::string(what) + " is no UTF-8");
}

void Tap::say(ccm_str text) {
  const std::lock_guard lock(mutex_);
  said_.append(view(text)).append("\n");
}

void Tap::check_phase(const char* function, bool only_in_create) {
  const std::lock_guard lock(mutex_);
  if (phase_ == Phase::destroy || phase_ == Phase::gone) {
    note("destroy", std::string(function) + " is called in `destroy`, or after it");
  } else if (only_in_create && phase_ != Phase::create && phase_ != Phase::setup) {
    note("late-declaration", std::string(function) + " is called when `setup` has completed");
  }
}

void Tap::keep_cached(const ccm_object* object, const std::string& resource) {
  const std::lock_guard lock(mutex_);
  if (object == nullptr) return;
  if (resource.empty()) {
    cached_.erase(object);
  } else {
    cached_[object] = resource;
  }
}

void Tap::check_read(const ccm_object* object, std::string_view pointer) {
  const std::lock_guard lock(mutex_);
  const auto cached = cached_.find(object);
  if (cached == cached_.end()) return;
  const auto& fields = declared_[cached->second];
  for (const char* always : {"/apiVersion", "/kind", "/metadata/name", "/metadata/namespace",
                             "/metadata/uid", "/metadata/resourceVersion"}) {
    if (overlap(pointer, always)) return;
  }
  for (const std::string& field : fields) {
    if (overlap(pointer, field)) return;
  }
  note("undeclared", std::string(pointer) + " of " + cached->second);
}

std::optional<Fault> Tap::find_break(const HostCall& call) {
  const std::lock_guard lock(mutex_);
  calls_.push_back(call);
  const bool endless = calls_.size() > kEndless && calls_[calls_.size() - kEndless].at == call.at;
  if (endless && notes_["endless"].empty()) {
    note("endless", call.text());
    host.kube.set_cache_follows(false);  // no further event, so that the case comes to its end
  }
  const std::size_t index = count_++;
  return judge_ ? judge_(call, index) : std::nullopt;
}

void Tap::hang(ccm_ctx ctx, ccm_completion done) {
  const std::lock_guard lock(mutex_);
  ccm_interface contexts{nullptr, nullptr};
  component_->inner->get_interface(component_->inner->self, CCM_HOST_CTX, &contexts);
  ++hanging_;
  const auto ended = [this] {
    const std::lock_guard again(mutex_);
    --hanging_;
  };
  auto* hanging = new Hanging{host, done, contexts, ctx, ended};  // NOLINT: it is dropped
  static_cast<const ccm_host_ctx*>(contexts.table)
      ->on_end(contexts.self, ctx, {&Hanging::end, &Hanging::drop, hanging});
}

void Tap::fail(ccm_completion done, Status status) {
  host.loop.post([done, status = std::move(status)] {
    const ccm_status raw = status.to_c();
    done.fn(done.owner, done.operation, &raw, nullptr);
  });
}

ccm_completion Tap::watch_end(ccm_completion done, std::optional<Status> instead,
                              std::size_t result_size) {
  const std::lock_guard lock(mutex_);
  if (!instead && !future_) return done;
  return {&Passed::completed,
          new Passed{this, done, std::move(instead), result_size, future_},  // NOLINT: it completes
          1};
}

void Tap::enter(HostCall call, ccm_ctx ctx, ccm_completion done,
                const std::function<void(ccm_completion)>& pass, std::size_t result_size) {
  check_phase(call.operation.c_str(), false);
  call.at = host.loop.now();
  const auto fault = find_break(call);
  if (!fault) return pass(watch_end(done, std::nullopt, result_size));
  Status refused = host.contexts.check(ctx);
  if (!refused.ok()) return fail(done, std::move(refused));
  switch (fault->kind) {
    case Fault::Kind::fail:
      return fail(done, fault->status);
    case Fault::Kind::lose:
      return pass(watch_end(done, fault->status, result_size));
    case Fault::Kind::hang:
      return hang(ctx, done);
  }
}

}  // namespace ccm::conformance
