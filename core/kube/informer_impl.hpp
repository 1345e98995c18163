// Internals of kube::Informer: handlers and store, lists, watches and the encoding of both.
#pragma once

#include "base/log.hpp"
#include "kube/informer.hpp"
#include "kube/object_store.hpp"
#include "kube/task_group.hpp"
#include "kube/watch_decoder.hpp"
#include "kube/wire_format.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <unordered_set>
#include <vector>

namespace ccm::kube {

// Growing pauses with jitter (API-35). Private to core/kube.
class Backoff {
 public:
  using Milliseconds = std::chrono::milliseconds;
  using Clock = std::chrono::steady_clock;

  // `timing` must outlive it.
  explicit Backoff(const InformerTiming& timing) : timing_(timing), step_(timing.backoff_initial) {}

  // The pause after one more failure; the first pause again when there was none for the reset time.
  // A failure may bring a lower limit.
  Milliseconds next(Clock::time_point now, Milliseconds limit) {
    if (now - last_ > timing_.backoff_reset) step_ = timing_.backoff_initial;
    last_ = now;
    std::uniform_real_distribution<double> spread(1.0, 1.0 + timing_.backoff_jitter);
    const auto pause =
        std::chrono::duration_cast<Milliseconds>(std::min(step_, limit) * spread(random_));
    step_ = std::min(step_ * 2, timing_.backoff_limit);
    return pause;
  }

 private:
  const InformerTiming& timing_;
  Milliseconds step_;
  Clock::time_point last_{};
  std::minstd_rand random_{std::random_device{}()};
};

// Objects of a list that is still arriving (API-40).
struct Listing {
  std::vector<ObjectPtr> objects;
  std::string resource_version;
  std::string continue_token;
  std::size_t bytes = 0;  // of the objects
  uint64_t skipped = 0;
};

struct Informer::Impl : std::enable_shared_from_this<Informer::Impl> {
  struct Subscriber {
    InformerHandler handler;
    bool active = true;  // false until a late subscriber got the store's content
  };
  using Subscribers = std::vector<std::shared_ptr<Subscriber>>;

  Impl(Client client_, InformerSpec spec_, InformerTiming timing_,
       std::shared_ptr<ServerFindings> findings_);

  // How to go on after a watch.
  enum class Next { watch, list };
  struct Outcome {
    Next next = Next::watch;
    Status failure;  // not ok: back off first
  };

  // Handlers and store.
  boost::asio::awaitable<void> run();
  boost::asio::awaitable<void> resync(std::shared_ptr<Subscriber> subscriber);
  boost::asio::awaitable<void> back_off(Status failure);
  void spawn_resync(const std::shared_ptr<Subscriber>& subscriber);
  void welcome(const std::shared_ptr<Subscriber>& late);
  void take_put(ObjectPtr object, bool initial);
  void take_removal(ObjectStore::Key key, const ObjectPtr& last, bool final_state_unknown);
  void take_listing(Listing listing);
  template <typename Notify>
  void notify(Notify notify_one);
  void set_version(std::string_view version);
  void note_restored(std::string_view newest);
  void note_failure(const Status& status);
  void skipped_object(const Status& why);
  std::chrono::milliseconds pause_after(const Status& status);

  // Encoding.
  void choose_format();
  // A failure that JSON would not have, while the format is protobuf.
  [[nodiscard]] bool wants_json(const Status& status) const;
  // From now on, for good.
  void use_json(const Status& why);
  // Whether the answer is in the encoding that was asked for. Goes over to JSON when it is JSON.
  Status check_type(const net::ResponseStream& answer);

  // Lists: ends with the objects in the store and the version set.
  boost::asio::awaitable<Status> list();
  boost::asio::awaitable<Status> list_stream();
  boost::asio::awaitable<Status> list_pages();
  boost::asio::awaitable<Status> list_page(Listing& listing, ListOptions options,
                                           Backoff::Clock::time_point end);
  // Failure: the list holds more than any cluster has.
  Status keep(ObjectPtr object, Listing& listing) const;
  [[nodiscard]] bool may_stream() const;
  void log_no_streaming(const Status& why) const;
  void note_endless_stream();
  Status take_envelope(const std::string& envelope, Listing& listing) const;
  // Failure: wants_json(), or keep()'s.
  Status take_piece(PieceReader::Piece piece, std::string_view text, Listing& listing);

  // Watches.
  boost::asio::awaitable<Outcome> watch();
  // Reads the open stream to its end. `listing` not null: a streamed list comes first.
  boost::asio::awaitable<Outcome> follow(std::optional<Listing> listing);
  boost::asio::awaitable<Outcome> verify_version();
  boost::asio::awaitable<Status> open(bool initial_events, std::string version);
  [[nodiscard]] std::chrono::milliseconds left_to_stream() const;
  [[nodiscard]] Status no_end() const;
  void log_cut() const;
  // False when the stream is of no more use; `outcome` gives the reason.
  bool take_event(std::string_view text, std::optional<Listing>& listing, Outcome& outcome);
  Outcome after_error(const Status& status) const;
  Outcome after_expiry(const Status& status);

  Client client;
  InformerSpec spec;
  InformerTiming timing;
  Object::DecodeOptions decode_options;
  std::string api_version;
  FieldSet fields;
  std::optional<WireFormat> format;
  ObjectStore store;
  Backoff backoff;
  Signal changed_state;  // synced or stopped

  std::shared_ptr<const Subscribers> subscribers = std::make_shared<Subscribers>();

  bool started = false;
  bool stopped = false;
  bool streaming_refused = false;  // the server has no streamed lists (API-39)
  bool version_unusable = false;   // list from the newest state, not from `version` (API-17, 27)
  bool version_verified = false;   // a watch may go on from `version`
  int streamed_failures = 0;       // in a row
  std::shared_ptr<ServerFindings> findings;
  Backoff::Clock::duration streamed_time{};   // of streams in a row that did not end the list
  Backoff::Clock::time_point streamed_end{};  // of the one that is read
  std::unique_ptr<net::ResponseStream> stream;
  std::unique_ptr<WatchReader> pieces;  // of the stream
  uint64_t events_of_stream = 0;
  Backoff::Clock::time_point last_expiry{};
  log::Throttle skipped_lines;
  std::atomic<bool> synced{false};

  mutable std::mutex mutex;  // of what follows, which other threads read
  std::string version;
  InformerStatistics statistics;
  Status failure;

  TaskGroup tasks;
};

}  // namespace ccm::kube
