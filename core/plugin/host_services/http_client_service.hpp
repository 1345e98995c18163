// ccm.host.http_client/1: HTTP clients with a CA, a certificate or a proxy of their own.
#pragma once

#include "plugin/host_services/file_service.hpp"
#include "plugin/host_services/host_service.hpp"
#include "plugin/host_services/http_access.hpp"
#include "plugin/host_services/http_service.hpp"

#include <ccm/abi/http_client.h>

#include <functional>
#include <memory>

namespace ccm::plugin {

class HttpClientService final : public HostService {
 public:
  // `make` opens clients; `shared` is what the component's shared client has. `files` must outlive
  // it.
  HttpClientService(const std::shared_ptr<LiveComponent>& component, MakeHttpClient make,
                    HttpServiceOptions shared, WatchedFiles& files);
  ~HttpClientService() override;

 private:
  struct State;
  static void open(void* self, ccm_ctx ctx, const ccm_http_client_options* request,
                   ccm_completion done) noexcept;
  static void close(void* self, uint64_t number) noexcept;
  static const ccm_host_http_client kTable;

  const std::shared_ptr<State> state_;  // of the loop
};

}  // namespace ccm::plugin
