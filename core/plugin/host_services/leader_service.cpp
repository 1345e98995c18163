#include "plugin/host_services/leader_service.hpp"

namespace ccm::plugin {

bool LeaderService::leading(void* self) noexcept {
  return static_cast<LeaderService*>(self)->state_.leading();
}

uint64_t LeaderService::transitions(void* self) noexcept {
  return static_cast<LeaderService*>(self)->state_.transitions();
}

const void* LeaderService::table() const {
  static const ccm_host_leader table{sizeof(table), 0, &leading, &transitions};
  return &table;
}

}  // namespace ccm::plugin
