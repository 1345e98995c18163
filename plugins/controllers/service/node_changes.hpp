// Changes of Nodes on their way to the Services whose backends they change: gathered for a second,
// and seen to under one key for all Nodes. [serial]
#pragma once

#include "context.hpp"
#include "members.hpp"
#include "node_pass.hpp"
#include "records.hpp"

#include <ccm/controller.hpp>
#include <ccm/task.hpp>

#include <string_view>

namespace ccm::service {

// The key of all Nodes together; no Service is called so.
inline constexpr std::string_view kNodesKey = "nodes";

class NodeChanges {
 public:
  NodeChanges(const Context& context, Members& members, NodePass& pass, const Records& records)
      : host_(context.host), members_(members), pass_(pass), records_(records) {}

  void on_node(EventKind kind, const Object& old, const Object& now, const Queue& queue);
  // One reconcile of kNodesKey: has the Services come whose backends are other ones now.
  Task<Status> sync(Ctx ctx);
  // Before a Service gets its members: what the cloud has to be asked first. Failure: nothing may
  // be concluded yet.
  Task<Status> learn(Ctx ctx);

 private:
  Host& host_;
  Members& members_;
  NodePass& pass_;
  const Records& records_;
  bool missed_ = false;  // Nodes changed while there was no Service to ask the cloud for
};

}  // namespace ccm::service
