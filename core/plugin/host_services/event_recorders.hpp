// One Event recorder for each source component ("node-controller"). Loop thread.
#pragma once

#include "kube/events.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace ccm::plugin {

class EventRecorders {
 public:
  using Make = std::function<std::unique_ptr<kube::EventRecorder>(const std::string& source)>;
  explicit EventRecorders(Make make) : make_(std::move(make)) {}

  // Fits RecordEvent.
  void record(const std::string& source, kube::ObjectReference about, kube::EventType type,
              std::string reason, std::string message);
  // This process leads: recorded Events are sent from now on.
  void start();
  // Waits until all of them have sent their Events, or the time is over.
  boost::asio::awaitable<void> drain(std::chrono::milliseconds limit);

 private:
  Make make_;
  std::map<std::string, std::unique_ptr<kube::EventRecorder>> recorders_;
  bool started_ = false;
};

}  // namespace ccm::plugin
