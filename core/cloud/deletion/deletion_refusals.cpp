#include "cloud/deletion/deletion_refusals.hpp"

#include <utility>

namespace ccm::plugin {

Status refused_deletion(std::string_view reason, std::string message) {
  return Status(Code::failed_precondition, std::move(message)).with_reason(std::string(reason));
}

Status waiting_deletion(std::string_view reason, std::string message) {
  return Status(Code::failed_precondition, ErrorClass::waiting, std::move(message))
      .with_reason(std::string(reason));
}

Status second_look_failed(const Status& cause) {
  return waiting_deletion("SecondLookFailed", "second look at the cloud: " + cause.message())
      .with_retry_after(cause.retry_after());
}

Status node_changed(const std::string& name) {
  return Status(Code::aborted, ErrorClass::conflict,
                "Node " + name + " was replaced since its deletion was requested")
      .with_reason("Conflict");
}

Status instance_exists(const std::string& name) {
  return refused_deletion("MachineExists", "the cloud knows the instance of Node " + name);
}

Status node_is_ready(const std::string& name) {
  return refused_deletion("NodeIsReady", "Node " + name + " is Ready, so it is not deleted");
}

Status not_of_this_cloud(const std::string& name) {
  return refused_deletion("NotOfThisCloud",
                          "Node " + name +
                              " has no provider ID and does not wait for one, so its absence from "
                              "the cloud proves nothing");
}

Status instance_never_seen(const std::string& name, const std::string& absence) {
  return waiting_deletion("InstanceNeverSeen",
                          "Node " + name +
                              " has no provider ID, and no instance of its name was ever seen, so "
                              "it is not deleted: " +
                              absence);
}

Status listing_incomplete() {
  return waiting_deletion("IncompleteListing",
                          "second look at the cloud: its list of instances is incomplete");
}

}  // namespace ccm::plugin
