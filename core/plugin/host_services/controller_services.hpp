// The services of a controller: ccm.host.setup/1 over its ComponentController, ccm.host.queue/1
// over its work queue.
#pragma once

#include "plugin/host_services/host_service.hpp"

#include <ccm/abi/controller.h>
#include <ccm/abi/queue.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ccm::plugin {

class ComponentController;

// Where the services of a controller's component meet its controller, which is made later. Loop
// thread.
class ControllerPort {
 public:
  struct Item {
    std::string key;
    int32_t priority;  // CCM_PRIORITY_*
    std::chrono::milliseconds delay;
  };
  using Take = std::function<void(const Item&)>;

  // Null until it is made.
  [[nodiscard]] ComponentController* controller() const { return controller_; }
  void connect(ComponentController* controller) { controller_ = controller; }

  // Hands the item on, or keeps it until take() is known.
  void add(Item item) {
    if (take_) return take_(item);
    early_.push_back(std::move(item));
  }
  void on_item(Take take) {
    take_ = std::move(take);
    for (const Item& item : std::exchange(early_, {})) take_(item);
  }

 private:
  ComponentController* controller_ = nullptr;
  Take take_;
  std::vector<Item> early_;
};

// ccm.host.queue/1 over the work queue of a controller.
class QueueService final : public HostService {
 public:
  QueueService(const std::shared_ptr<LiveComponent>& component,
               std::shared_ptr<ControllerPort> port)
      : HostService(component, CCM_HOST_QUEUE, &kTable), port_(std::move(port)) {}

 private:
  static void add(void* self, const ccm_queue_item* item) noexcept;
  static const ccm_host_queue kTable;

  const std::shared_ptr<ControllerPort> port_;
};

class SetupService final : public HostService {
 public:
  SetupService(const std::shared_ptr<LiveComponent>& component,
               std::shared_ptr<ControllerPort> port)
      : HostService(component, CCM_HOST_SETUP, &kTable), port_(std::move(port)) {}

 private:
  static void watch(void* self, const ccm_watch* watch) noexcept;
  static void queue(void* self, const ccm_queue_options* options) noexcept;
  static void every(void* self, ccm_str key, int64_t period_ms) noexcept;
  static const ccm_host_setup kTable;
  [[nodiscard]] ComponentController* controller(std::string_view function) const;

  const std::shared_ptr<ControllerPort> port_;
};

}  // namespace ccm::plugin
