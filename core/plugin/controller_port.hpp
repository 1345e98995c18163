// Where the services of a controller's component meet its controller, which is made later. Loop
// thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ccm::plugin {

class ComponentController;

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

}  // namespace ccm::plugin
