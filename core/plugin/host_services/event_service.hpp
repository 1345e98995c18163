// ccm.host.event/1 over the Event recorder.
#pragma once

#include "kube/events.hpp"
#include "plugin/host_services/host_service.hpp"

#include <ccm/abi/event.h>

#include <functional>
#include <string>

namespace ccm::plugin {

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
