// The Lease as leader election sees it, the JSON that it writes (HOST-107, HOST-111, API-61..66),
// and the access to both on an API server; tests have some in memory.
#pragma once

#include "kube/client.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ccm::election {

// spec of a coordination.k8s.io/v1 Lease. Times are kept as the server's texts: they are shown and
// copied, never compared with the local clock (TRAP-2).
struct LeaseRecord {
  std::string holder_identity;  // empty = free (API-64)
  std::chrono::seconds lease_duration{0};
  std::string acquire_time;  // MicroTime (API-11)
  std::string renew_time;
  int64_t lease_transitions = 0;

  bool operator==(const LeaseRecord&) const = default;
};

struct Lease {
  LeaseRecord record;
  std::string preferred_holder;  // in a coordinated election: for whom the holder makes room
  std::string resource_version;
  std::string document;  // the whole object as JSON, so that writing it back loses no field
};

// Fails with data_loss when the text is no Lease with a name and a resourceVersion.
Result<Lease> parse_lease(std::string_view json);

// Annotations that the holder sets; those with an empty value it takes away.
using LeaseAnnotations = std::map<std::string, std::string>;
// Where the holder is asked for its state: its port, and the SHA-256 of the certificate there.
inline constexpr const char* kPortAnnotation = "cloud-controller-manager/serving-port";
inline constexpr const char* kCertificateAnnotation =
    "cloud-controller-manager/serving-certificate-sha256";

// The body of a POST that creates the Lease: no labels, no owner references (HOST-107).
std::string new_lease(std::string_view namespace_name, std::string_view name,
                      const LeaseRecord& record, const LeaseAnnotations& annotations = {});

// The body of a PUT: `lease.document` with the fields of `record` and the annotations replaced; its
// resourceVersion makes the write conditional (API-62).
std::string updated_lease(const Lease& lease, const LeaseRecord& record,
                          const LeaseAnnotations& annotations = {});

// "2026-01-02T03:04:05.000006Z".
std::string micro_time(std::chrono::system_clock::time_point time);

// The LeaseCandidate by which a process proposes itself to the coordinator of the API server
// (KEP-4355, HOST-120, HOST-150..155), and the JSON of it. Plain values; any thread.

// The coordinator chooses by these.
struct CandidateVersions {
  std::string binary;     // semantic versions without "v"
  std::string emulation;  // the oldest one is elected
};

struct LeaseCandidate {
  std::string ping_time;   // MicroTime; when the coordinator asked last (API-11)
  std::string renew_time;  // MicroTime; when the candidate answered last
  std::string resource_version;
  std::string document;  // the whole object as JSON, so that writing it back loses no field
};

// data_loss when the text is no object with a resourceVersion.
Result<LeaseCandidate> parse_lease_candidate(std::string_view json);

struct CandidateNames {
  std::string api_version;  // "coordination.k8s.io/v1beta1"
  std::string namespace_name;
  std::string name;   // the identity that the Lease gets as its holder
  std::string lease;  // the name of the Lease
};
// The body of a POST.
std::string new_lease_candidate(const CandidateNames& names, const CandidateVersions& versions,
                                std::chrono::system_clock::time_point wall);

// The body of a PUT that answers the coordinator. The time of the answer is never before that of
// the question, whatever the local clock says (TRAP-2).
std::string renewed_lease_candidate(const LeaseCandidate& candidate,
                                    std::chrono::system_clock::time_point wall);

// One event of a watch on objects of type T.
template <typename T>
struct ObjectEvent {
  std::optional<T> object;  // none: it was deleted
  std::string failure;      // not empty: the Status with which the server ends the watch
};

// data_loss when the text is no event; `kind` stands in the message.
Result<ObjectEvent<std::string>> parse_event(std::string_view text, std::string_view kind);

// Reads an event with the object as `parse` reads it, whose failure is this one's, too.
template <typename T>
Result<ObjectEvent<T>> parse_event(std::string_view text, std::string_view kind,
                                   Result<T> (*parse)(std::string_view)) {
  auto event = parse_event(text, kind);
  if (!event.ok()) return event.status();
  ObjectEvent<T> result{{}, std::move(event->failure)};
  if (!event->object) return result;
  auto object = parse(*event->object);
  if (!object.ok()) return object.status();
  result.object = std::move(*object);
  return result;
}

// One request each, without retries; all but the watch bounded by the client's time limit: the
// election has its own rhythm (API-65). Failures as kube::Client's.
template <typename T>
class ObjectClient {
 public:
  using Object = T;
  virtual ~ObjectClient() = default;
  virtual boost::asio::awaitable<Result<T>> get() = 0;
  virtual boost::asio::awaitable<Result<T>> create(std::string body) = 0;
  virtual boost::asio::awaitable<Result<T>> update(std::string body) = 0;

  // Called for each change; nullopt = the object was deleted. False ends the watch.
  using Changed = std::function<bool(std::optional<T> object)>;
  // Watches the object from `resource_version` on until `changed` returns false or the stream ends
  // in an orderly way: ok. Otherwise why it broke; out_of_range when that version is too old.
  virtual boost::asio::awaitable<Status> watch(std::string resource_version, Changed changed) = 0;
};

using LeaseClient = ObjectClient<Lease>;

// The client of this process's LeaseCandidate.
class LeaseCandidateClient : public ObjectClient<LeaseCandidate> {
 public:
  // The apiVersion in which the API server has LeaseCandidates, for all further requests; not_found
  // when it has none.
  virtual boost::asio::awaitable<Result<std::string>> find_version() = 0;
  virtual boost::asio::awaitable<Status> remove() = 0;
};

// The Lease and the LeaseCandidate on an API server. Home thread: the client's.

// `timeout` bounds each request but the watch (HOST-109).
std::unique_ptr<LeaseClient> kube_lease_client(kube::Client client, std::string namespace_name,
                                               std::string name, std::chrono::milliseconds timeout);
std::unique_ptr<LeaseCandidateClient> kube_lease_candidate_client(
    kube::Client client, std::string namespace_name, std::string name,
    std::chrono::milliseconds timeout);

}  // namespace ccm::election
