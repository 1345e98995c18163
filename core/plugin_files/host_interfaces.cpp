#include "plugin_files/host_interfaces.hpp"

#include <ccm/abi/config.h>
#include <ccm/abi/controller.h>
#include <ccm/abi/crypto.h>
#include <ccm/abi/ctx.h>
#include <ccm/abi/event.h>
#include <ccm/abi/file.h>
#include <ccm/abi/hint.h>
#include <ccm/abi/http.h>
#include <ccm/abi/http_client.h>
#include <ccm/abi/instances.h>
#include <ccm/abi/kube.h>
#include <ccm/abi/leader.h>
#include <ccm/abi/loadbalancers.h>
#include <ccm/abi/log.h>
#include <ccm/abi/metrics.h>
#include <ccm/abi/object.h>
#include <ccm/abi/queue.h>
#include <ccm/abi/routes.h>
#include <ccm/abi/timer.h>
#include <ccm/abi/worker.h>

#include <array>

namespace ccm::plugin {

std::span<const std::string_view> host_interfaces() {
  static constexpr std::array<std::string_view, 21> kIds{
      CCM_CLOUD_INSTANCES,  CCM_CLOUD_LOADBALANCERS,
      CCM_CLOUD_ROUTES,     CCM_HOST_CONFIG,
      CCM_HOST_CRYPTO,      CCM_HOST_CTX,
      CCM_HOST_EVENT,       CCM_HOST_FILE,
      CCM_HOST_HINT,        CCM_HOST_HTTP,
      CCM_HOST_HTTP_CLIENT, CCM_HOST_KUBE,
      CCM_HOST_LEADER,      CCM_HOST_LOG,
      CCM_HOST_METRICS,     CCM_HOST_OBJECT,
      CCM_HOST_POST,        CCM_HOST_QUEUE,
      CCM_HOST_SETUP,       CCM_HOST_TIMER,
      CCM_HOST_WORKER};
  return kIds;
}

}  // namespace ccm::plugin
