#include "election/lease.hpp"

#include "kube/client_status.hpp"
#include "kube/time_text.hpp"
#include "kube/watch_decoder.hpp"
#include "net/http_client.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace ccm::election {

using boost::asio::awaitable;
using nlohmann::json;

namespace {

// JSON of an API server as leader election reads it: whatever is odd reads as absent, and nothing
// throws.

// Values that nest deeper than any Lease are left out: copying and rendering a json are recursive.
// Discarded when the text is no JSON.
json parse_bounded(std::string_view text) {
  constexpr int kMaxDepth = 64;
  return json::parse(
      text, [](int depth, json::parse_event_t, const json&) { return depth < kMaxDepth; }, false);
}

// A member of the wrong type reads as absent.
std::string text_member(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Empty when the value is no object of an API server.
std::string resource_version_of(const json& object) {
  if (!object.is_object()) return {};
  const auto metadata = object.find("metadata");
  if (metadata == object.end() || !metadata->is_object()) return {};
  return text_member(*metadata, "resourceVersion");
}

// An int32 that is not negative, as the API has it.
int64_t number(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return 0;
  if (found->is_number_unsigned() && found->get<uint64_t>() > INT32_MAX) return INT32_MAX;
  return std::clamp<int64_t>(found->get<int64_t>(), 0, INT32_MAX);
}

json spec_of(const LeaseRecord& record, json spec) {
  spec["holderIdentity"] = record.holder_identity;
  spec["leaseDurationSeconds"] = record.lease_duration.count();
  spec["acquireTime"] = record.acquire_time.empty() ? json(nullptr) : json(record.acquire_time);
  spec["renewTime"] = record.renew_time.empty() ? json(nullptr) : json(record.renew_time);
  // An int32 in the API, which refuses larger numbers.
  spec["leaseTransitions"] = std::min<int64_t>(record.lease_transitions, INT32_MAX);
  return spec;
}

void annotate(json& object, const LeaseAnnotations& annotations) {
  json& metadata = object["metadata"];
  if (!metadata.is_object()) return;
  for (const auto& [name, value] : annotations) {
    json& all = metadata["annotations"];
    if (!all.is_object()) all = json::object();
    if (value.empty()) {
      all.erase(name);
    } else {
      all[name] = value;
    }
  }
}

constexpr const char* kCoordinationGroup = "coordination.k8s.io";

// The newest first: both have the same fields.
constexpr const char* kCandidateVersions[] = {"v1beta1", "v1alpha2"};

// The next step after an event: true = go on, false = the watch has ended as it was meant to.
using EventText = std::function<Result<bool>(std::string_view event)>;

// Watches the object of that name from `resource_version` on. Ok after an orderly end, of which
// `on_event` is one; otherwise why it broke, or the failure of `on_event`.
awaitable<Status> watch_object(kube::Client client, kube::Resource resource,
                               std::string namespace_name, std::string name,
                               std::string resource_version, EventText on_event) {
  kube::WatchOptions options;
  options.field_selector = "metadata.name=" + name;
  options.resource_version = std::move(resource_version);
  options.bookmarks = false;  // each event holds the version that the next watch begins with
  auto opened = co_await client.open_watch(std::move(resource), std::move(namespace_name), options);
  if (!opened.ok()) co_return opened.status();
  const std::unique_ptr<net::ResponseStream> stream = std::move(*opened);
  kube::WatchDecoder pieces;
  while (true) {
    Result<std::string> read = co_await stream->read(std::chrono::milliseconds(0));
    if (!read.ok()) co_return read.status();
    if (read->empty()) co_return Status();
    pieces.feed(*read);
    std::string_view text;
    for (auto piece = pieces.next(text); piece != kube::WatchDecoder::Piece::none;
         piece = pieces.next(text)) {
      if (piece != kube::WatchDecoder::Piece::object) {
        co_return Status(Code::data_loss, "the watch on " + name + " sent no event");
      }
      const Result<bool> more = on_event(text);
      if (!more.ok()) co_return more.status();
      if (!*more) co_return Status();
    }
  }
}

// It never waits for a rate limit, since a late renewal costs the leadership.
template <typename Interface>
class ObjectRequests : public Interface {
 public:
  using T = typename Interface::Object;
  using Parse = Result<T> (*)(std::string_view text);

  ObjectRequests(kube::Client client, kube::Resource resource, std::string namespace_name,
                 std::string name, std::chrono::milliseconds timeout, Parse parse)
      : client_(std::move(client)),
        object_{.resource = std::move(resource),
                .namespace_name = std::move(namespace_name),
                .name = std::move(name)},
        parse_(parse) {
    object_.call.timeout = timeout;
    object_.call.max_retries = 0;
    object_.call.max_response_bytes = 1u << 20;  // reading it as JSON takes many times that
    object_.call.rate_limited = false;
  }

  awaitable<Result<T>> get() override { return ask(Verb::get, {}); }
  awaitable<Result<T>> create(std::string body) override {
    return ask(Verb::create, std::move(body));
  }
  awaitable<Result<T>> update(std::string body) override {
    return ask(Verb::update, std::move(body));
  }

  awaitable<Status> watch(std::string resource_version,
                          typename Interface::Changed changed) override {
    EventText on_event = [kind = object_.resource.kind, parse = parse_,
                          changed = std::move(changed)](std::string_view text) -> Result<bool> {
      auto event = parse_event(text, kind, parse);
      if (!event.ok()) return event.status();
      if (!event->failure.empty()) return kube::status_of_object(event->failure);
      return changed(std::move(event->object));
    };
    return watch_object(client_, object_.resource, object_.namespace_name, object_.name,
                        std::move(resource_version), std::move(on_event));
  }

 protected:
  using Verb = kube::ObjectRequest::Verb;

  kube::Client client_;
  kube::ObjectRequest object_;  // reads it; the others are made of it

 private:
  awaitable<Result<T>> ask(Verb verb, std::string body) {
    kube::ObjectRequest request = object_;
    request.verb = verb;
    request.body = std::move(body);
    const Result<std::string> answer = co_await client_.send(std::move(request));
    co_return answer.ok() ? parse_(*answer) : Result<T>(answer.status());
  }

  Parse parse_;
};

bool lists_candidates(const std::string& resource_list) {
  const nlohmann::json list = parse_bounded(resource_list);
  if (!list.is_object() || !list.contains("resources") || !list["resources"].is_array()) {
    return false;
  }
  for (const nlohmann::json& resource : list["resources"]) {
    if (resource.is_object() && text_member(resource, "name") == "leasecandidates") return true;
  }
  return false;
}

class CandidateRequests final : public ObjectRequests<LeaseCandidateClient> {
 public:
  using ObjectRequests::ObjectRequests;

  // Asks what is served instead of trying: without the right to create a LeaseCandidate the
  // answer is 403 whether there are any or not.
  awaitable<Result<std::string>> find_version() override {
    for (const char* version : kCandidateVersions) {
      std::string path = std::string("/apis/") + kCoordinationGroup + "/" + version;
      const auto answer = co_await client_.raw("GET", std::move(path), std::string(), object_.call);
      if (!answer.ok() && answer.status().code() == Code::not_found) continue;
      if (!answer.ok()) co_return answer.status();
      if (!lists_candidates(*answer)) continue;
      object_.resource = {kCoordinationGroup, version, "leasecandidates", "LeaseCandidate", true};
      co_return object_.resource.api_version();
    }
    co_return Status(Code::not_found, "the API server has no LeaseCandidates");
  }

  awaitable<Status> remove() override {
    kube::ObjectRequest unconditional = object_;
    unconditional.verb = Verb::remove;
    const auto answer = co_await client_.send(std::move(unconditional));
    co_return answer.status();
  }
};

}  // namespace

// Members of the wrong type read as absent: the other fields decide whether an odd Lease counts as
// free or expired; it never stops the election.
Result<Lease> parse_lease(std::string_view text_of_lease) {
  const json object = parse_bounded(text_of_lease);
  Lease lease;
  lease.document = std::string(text_of_lease);
  lease.resource_version = resource_version_of(object);
  if (lease.resource_version.empty()) {
    return Status(Code::data_loss, "the API server's answer is no Lease");
  }
  const auto spec = object.find("spec");
  if (spec != object.end() && spec->is_object()) {
    lease.record.holder_identity = text_member(*spec, "holderIdentity");
    lease.record.lease_duration = std::chrono::seconds(number(*spec, "leaseDurationSeconds"));
    lease.record.acquire_time = text_member(*spec, "acquireTime");
    lease.record.renew_time = text_member(*spec, "renewTime");
    lease.record.lease_transitions = number(*spec, "leaseTransitions");
    lease.preferred_holder = text_member(*spec, "preferredHolder");
  }
  return lease;
}

std::string new_lease(std::string_view namespace_name, std::string_view name,
                      const LeaseRecord& record, const LeaseAnnotations& annotations) {
  json object;
  object["apiVersion"] = "coordination.k8s.io/v1";
  object["kind"] = "Lease";
  object["metadata"]["namespace"] = namespace_name;
  object["metadata"]["name"] = name;
  object["spec"] = spec_of(record, json::object());
  annotate(object, annotations);
  return object.dump();
}

std::string updated_lease(const Lease& lease, const LeaseRecord& record,
                          const LeaseAnnotations& annotations) {
  json object = parse_bounded(lease.document);
  json spec = object.value("spec", json::object());
  if (!spec.is_object()) spec = json::object();
  object["spec"] = spec_of(record, std::move(spec));
  annotate(object, annotations);
  return object.dump();
}

std::string micro_time(std::chrono::system_clock::time_point time) {
  const auto fraction = time - std::chrono::floor<std::chrono::seconds>(time);
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(fraction).count();
  char text[16];
  std::snprintf(text, sizeof text, ".%06dZ", static_cast<int>(micros));
  std::string whole = kube::format_time(time);
  whole.pop_back();
  return whole + text;
}

Result<LeaseCandidate> parse_lease_candidate(std::string_view text_of_candidate) {
  const json object = parse_bounded(text_of_candidate);
  LeaseCandidate candidate;
  candidate.document = std::string(text_of_candidate);
  candidate.resource_version = resource_version_of(object);
  if (candidate.resource_version.empty()) {
    return Status(Code::data_loss, "the API server's answer is no LeaseCandidate");
  }
  const auto spec = object.find("spec");
  if (spec != object.end() && spec->is_object()) {
    candidate.ping_time = text_member(*spec, "pingTime");
    candidate.renew_time = text_member(*spec, "renewTime");
  }
  return candidate;
}

std::string new_lease_candidate(const CandidateNames& names, const CandidateVersions& versions,
                                std::chrono::system_clock::time_point wall) {
  json object;
  object["apiVersion"] = names.api_version;
  object["kind"] = "LeaseCandidate";
  object["metadata"]["namespace"] = names.namespace_name;
  object["metadata"]["name"] = names.name;
  object["spec"]["leaseName"] = names.lease;
  object["spec"]["binaryVersion"] = versions.binary;
  object["spec"]["emulationVersion"] = versions.emulation;
  object["spec"]["strategy"] = "OldestEmulationVersion";
  object["spec"]["renewTime"] = micro_time(wall);
  return object.dump();
}

std::string renewed_lease_candidate(const LeaseCandidate& candidate,
                                    std::chrono::system_clock::time_point wall) {
  json object = parse_bounded(candidate.document);
  if (!object["spec"].is_object()) object["spec"] = json::object();
  // Texts of one length, both of UTC: they sort as the times do.
  object["spec"]["renewTime"] = std::max(micro_time(wall), candidate.ping_time);
  return object.dump();
}

Result<ObjectEvent<std::string>> parse_event(std::string_view text, std::string_view kind) {
  const nlohmann::json event = parse_bounded(text);
  const auto object = event.is_object() ? event.find("object") : event.end();
  if (!event.is_object() || object == event.end() || !object->is_object()) {
    return Status(Code::data_loss, "the watch on the " + std::string(kind) + " sent no event");
  }
  ObjectEvent<std::string> result;
  const std::string type = text_member(event, "type");
  if (type == "ERROR") {
    result.failure = object->dump();
  } else if (type == "ADDED" || type == "MODIFIED") {
    result.object = object->dump();
  } else if (type != "DELETED") {
    return Status(Code::data_loss,
                  "the watch on the " + std::string(kind) + " sent an event of type " + type);
  }
  return result;
}

std::unique_ptr<LeaseClient> kube_lease_client(kube::Client client, std::string namespace_name,
                                               std::string name,
                                               std::chrono::milliseconds timeout) {
  return std::make_unique<ObjectRequests<LeaseClient>>(std::move(client), kube::resources::leases(),
                                                       std::move(namespace_name), std::move(name),
                                                       timeout, &parse_lease);
}

std::unique_ptr<LeaseCandidateClient> kube_lease_candidate_client(
    kube::Client client, std::string namespace_name, std::string name,
    std::chrono::milliseconds timeout) {
  return std::make_unique<CandidateRequests>(std::move(client), kube::Resource(),
                                             std::move(namespace_name), std::move(name), timeout,
                                             &parse_lease_candidate);
}

}  // namespace ccm::election
