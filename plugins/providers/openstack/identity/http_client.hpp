// The HTTP client for all services of the cloud, as [Global] wants it (OS-48..OS-50).
#pragma once

#include "openstack/config/settings.hpp"

#include <ccm/host.hpp>
#include <ccm/http.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

namespace ccm::openstack {

// The host's own client, or one with ca-file, cafilecontents, cert-file, key-file, tls-insecure.
// Failure: that of HttpClients::open, with the option's section. [serial]
Task<Result<Http>> open_http_client(Host& host, Ctx ctx, GlobalSettings global);

}  // namespace ccm::openstack
