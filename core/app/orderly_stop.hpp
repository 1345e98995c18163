// The orderly stop, up to the moment when only the loop is left: reconciles, Events, writes, Lease,
// components, in this order. Loop thread.
#pragma once

#include "app/leadership.hpp"
#include "net/write_gate.hpp"
#include "plugin/host_services/event_service.hpp"
#include "plugin_host/plugin_host.hpp"
#include "runtime/event_loop.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>

namespace ccm::app {

struct StopParts {
  runtime::EventLoop& loop;
  plugin_host::PluginHost& plugins;
  plugin::EventRecorders& recorders;
  Leadership& leadership;
  std::shared_ptr<net::WriteGate> write_gate;
  std::shared_ptr<net::WriteGate> event_gate;
};

// Releases the Lease well before kStopLimit, whatever the plugins do, as long as the loop runs;
// keeps it, until it expires, when a write has no answer or a plugin's thread may still write. A
// provider whose log-out takes long may reach kStopLimit afterwards, which ends the process. Once.
boost::asio::awaitable<void> stop_in_order(StopParts parts);

}  // namespace ccm::app
