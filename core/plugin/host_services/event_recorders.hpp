// One Event recorder for each source component ("node-controller") and identity. Loop thread.
#pragma once

#include "kube/events.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace ccm::plugin {

class EventRecorders {
 public:
  // `account`: the service account that sends; empty: the program.
  using Make = std::function<std::unique_ptr<kube::EventRecorder>(const std::string& source,
                                                                  const std::string& account)>;
  explicit EventRecorders(Make make) : make_(std::move(make)) {}

  // Under the program's identity. Fits RecordEvent.
  void record(const std::string& source, kube::ObjectReference about, kube::EventType type,
              std::string reason, std::string message);
  void record_as(const std::string& account, const std::string& source, kube::ObjectReference about,
                 kube::EventType type, std::string reason, std::string message);
  // This process leads: recorded Events are sent from now on.
  void start();
  // Waits until all of them have sent their Events, or the time is over.
  boost::asio::awaitable<void> drain(std::chrono::milliseconds limit);

 private:
  Make make_;
  using Key = std::pair<std::string, std::string>;  // source, account
  std::map<Key, std::unique_ptr<kube::EventRecorder>> recorders_;
  bool started_ = false;
};

}  // namespace ccm::plugin
