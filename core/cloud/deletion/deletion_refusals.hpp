// The answers of the gate in front of deletions of Nodes when it does not delete. Any thread.
#pragma once

#include <ccm/status.hpp>

#include <string>
#include <string_view>

namespace ccm::plugin {

Status refused_deletion(std::string_view reason, std::string message);
// To be requested again.
Status waiting_deletion(std::string_view reason, std::string message);
// Nothing is known, so it is requested again; not a failure of the deletion.
Status second_look_failed(const Status& cause);
Status node_changed(const std::string& name);
Status instance_exists(const std::string& name);
Status node_is_ready(const std::string& name);
// It neither has a provider ID nor waits for one.
Status not_of_this_cloud(const std::string& name);
// It has no provider ID, and this process never saw an instance of its name. `absence`:
// InstancesBroker::absence_text().
Status instance_never_seen(const std::string& name, const std::string& absence);
// The cloud's listings change between instances that come and go.
Status listing_incomplete();

}  // namespace ccm::plugin
