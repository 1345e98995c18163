#include "plugin/brake_status.hpp"

namespace ccm::plugin {

bool is_held(const Status& status) {
  return status.reason() == kDeletionHeld || status.reason() == kCloudViewBlind ||
         status.reason() == kDeletionBrakeEngaged;
}

}  // namespace ccm::plugin
