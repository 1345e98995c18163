// ccm.host.event/1 over the Event recorder.
#pragma once

#include "kube/events.hpp"
#include "plugin/host_services/host_service.hpp"

#include <ccm/abi/event.h>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace ccm::plugin {

// One Event recorder for each source component ("node-controller") and identity. Loop thread.
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

// Passes an Event to the recorder of its source ("node-controller"). Loop thread; must not block.
using RecordEvent =
    std::function<void(const std::string& source, kube::ObjectReference about, kube::EventType type,
                       std::string reason, std::string message)>;

class EventService final : public HostService {
 public:
  EventService(const std::shared_ptr<LiveComponent>& component, RecordEvent record)
      : HostService(component, CCM_HOST_EVENT, &kTable), record_(std::move(record)) {}

 private:
  static void record(void* self, const ccm_event* event) noexcept;
  static const ccm_host_event kTable;

  const RecordEvent record_;
};

}  // namespace ccm::plugin
