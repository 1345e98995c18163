// Tells the cluster of a cloud that fails: one Event on the Lease, and one on each of the first ten
// Nodes that wait for it; not again with each attempt. When the cloud works again, the Lease gets
// one, too. The leader alone tells. Loop thread.
#pragma once

#include "cloud/cloud_health.hpp"
#include "kube/client.hpp"
#include "kube/events.hpp"
#include "runtime/timers.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ccm::app {

class CloudEvents {
 public:
  static constexpr std::size_t kMostNodes = 10;  // told in one outage

  using Nodes = std::vector<kube::ObjectReference>;
  struct Dependencies {
    runtime::Timers& timers;
    const cloud::CloudHealth& health;
    std::function<bool()> leading;
    std::function<kube::ObjectReference()> lease;
    // Gives Nodes that wait for the cloud, now or later; at most once for each call.
    std::function<void(std::function<void(Nodes)> done)> waiting_nodes;
    std::function<void(kube::ObjectReference about, kube::EventType type, std::string reason,
                       std::string message)>
        record;
  };

  // What the dependencies refer to must outlive it.
  explicit CloudEvents(Dependencies deps) : deps_(std::move(deps)) {}
  ~CloudEvents() { stop(); }
  CloudEvents& operator=(CloudEvents&&) = delete;

  // The cloud's health, or the leadership, may have changed.
  void look();
  void stop();

 private:
  void tell(const cloud::CloudTrouble& trouble);
  void tell_end();
  void ask_for_nodes();
  void tell_nodes(const Nodes& nodes);
  void look_later();

  Dependencies deps_;
  std::map<cloud::CloudFault, runtime::TimePoint> told_;  // the last time
  bool outage_ = false;
  bool outage_told_ = false;
  runtime::TimePoint began_;
  std::string reason_;  // which the Events on Nodes have
  std::string message_;
  std::set<std::string> nodes_;  // that were told
  bool asking_ = false;
  std::chrono::milliseconds pause_{0};
  runtime::Timers::Id timer_ = 0;
  bool stopped_ = false;
};

// Nodes that no manager has initialised, read from the API server: while the provider cannot log
// in, there are no caches. Loop thread.

// The first `most` of them; fewer when the API server does not answer.
boost::asio::awaitable<std::vector<kube::ObjectReference>> list_waiting_nodes(kube::Client client,
                                                                              std::size_t most);

// Adds the waiting Nodes of a page, up to `most` in all. Returns the next page's token, if wanted.
std::string add_waiting_nodes(const std::string& page, std::size_t most,
                              std::vector<kube::ObjectReference>& nodes);

}  // namespace ccm::app
