// The controller "tagging", off by default: keeps --tags on the instance of each Node, and takes
// them away with the Node (AWS-127 to AWS-130). [serial]
//
// A Node whose tags are written bears a label with their digest and costs nothing any more. The
// label's prefix is one that kubelets may not write.
#pragma once

#include "aws/session.hpp"
#include "instance_tags.hpp"
#include "settings.hpp"

#include <ccm/controller.hpp>
#include <ccm/host.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <map>
#include <set>
#include <string>

namespace ccm::aws {

class TaggingController {
 public:
  TaggingController(Host& host, Session& session);

  // invalid_argument, one line, for wrong flags.
  Status setup(Setup& setup);
  Task<Result<ReconcileResult>> reconcile(Ctx ctx, Request request);

 private:
  void on_event(EventKind kind, const Object& old, const Object& now, const Queue& queue);
  [[nodiscard]] bool lacks_tags(const Object& node) const;
  // Until the Node may be worked on, by --tagging-controller-rate-limit. It keeps its place until
  // then, however many events tell of it.
  std::chrono::milliseconds reserve(const std::string& name);
  // The instance that a Node names now; empty: none.
  void note_instance(const std::string& name, std::string instance);
  Task<Status> tag(Ctx ctx, Object node, bool first_try);
  Task<Status> untag(Ctx ctx, std::string name);
  Task<Status> label(Ctx ctx, Object node);
  [[nodiscard]] bool in_use(const std::string& instance_id) const;

  Host& host_;
  const Session& session_;
  TaggingSettings settings_;
  std::string digest_;
  InstanceTags tags_;
  double next_free_ms_ = 0;
  std::map<std::string, double> reserved_ms_;  // of Nodes that wait for theirs
  // Which instance each Node names, and the Nodes that name an instance.
  std::map<std::string, std::string> instances_;
  std::map<std::string, std::set<std::string>> nodes_;
  // Instances of deleted Nodes, by the Node's name, which still have the tags.
  std::map<std::string, std::set<std::string>> left_;
};

}  // namespace ccm::aws
