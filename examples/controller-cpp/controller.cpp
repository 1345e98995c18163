// A whole controller: each Node whose type is m5.large gets the label
// example.com/instance-family=m5, so that Pods can choose a family. The label follows the type. The
// manifest says "nonblocking": true, so all of this runs on the host's loop and reconcile is a
// coroutine.
#include "ccm_plugin_manifest.h"

#include <ccm/controller.hpp>
#include <ccm/json_writer.hpp>
#include <ccm/plugin.hpp>
#include <ccm/watch.hpp>

#include <string>
#include <string_view>

namespace instance_family {

constexpr std::string_view kNodes = "v1/nodes";
constexpr std::string_view kLabel = "example.com/instance-family";
// JSON pointers; "~1" stands for "/".
constexpr const char* kLabelField = "/metadata/labels/example.com~1instance-family";
constexpr const char* kTypeField = "/metadata/labels/node.kubernetes.io~1instance-type";

// Empty when there is none. The beginning of a label's value is a label's value, too, if it ends
// with a letter or digit.
std::string_view family_of(std::string_view type, std::string_view separators) {
  std::string_view family = type.substr(0, type.find_first_of(separators));
  while (!family.empty() && std::string_view("-_.").find(family.back()) != std::string_view::npos) {
    family.remove_suffix(1);
  }
  return family;
}

class Controller {
 public:
  explicit Controller(ccm::Host& host) : host_(host) {}

  // Called once, before any cache is filled. A failure ends the host with this message.
  ccm::Status setup(ccm::Setup& setup) {
    separators_ = host_.config.flag("instance-family-separators").value_or("");
    if (separators_.empty()) {
      return ccm::Status(
          ccm::Code::invalid_argument,
          "--instance-family-separators must name at least one character, such as \".-\"");
    }
    ccm::QueueOptions queue;
    queue.workers = 4;
    setup.queue(queue);

    // The host keeps these fields in its cache and no others, so declare all that you read.
    ccm::watch(setup, kNodes, {kLabelField, kTypeField},
               [this](ccm::EventKind kind, const ccm::Object&, const ccm::Object& now,
                      const ccm::Queue& keys) {
                 // A Node that is right asks for no work, so it makes no key.
                 if (kind == ccm::EventKind::deleted || is_right(now)) return;
                 const bool resync = kind == ccm::EventKind::resync;
                 keys.add(now.name(), resync ? ccm::Priority::periodic : ccm::Priority::changed);
               });
    return {};
  }

  // Makes one Node right. It runs on the leader only, and never twice at once for a key. A failure
  // is retried after a back-off.
  ccm::Task<ccm::Status> reconcile(ccm::Ctx ctx, ccm::Request request) {
    const ccm::Object node = host_.kube.cached(kNodes, request.key);
    if (!node || is_right(node)) co_return ccm::Status();
    ccm::KubePatch patch;
    patch.reference.resource = kNodes;
    patch.reference.name = request.key;
    patch.body = label_patch(node);
    patch.answer = ccm::PatchAnswer::none;
    const auto written = co_await host_.kube.patch(ctx, std::move(patch));
    // The Node was deleted meanwhile, so nothing is left to do.
    if (written.status().error_class() == ccm::ErrorClass::not_found) co_return ccm::Status();
    if (written.ok()) report(node);
    co_return written.status();
  }

 private:
  [[nodiscard]] std::string_view wanted(const ccm::Object& node) const {
    return family_of(node.text(kTypeField), separators_);
  }
  [[nodiscard]] bool is_right(const ccm::Object& node) const {
    return node.text(kLabelField) == wanted(node);
  }

  // The UID makes the API server refuse the patch for a Node that was made again under this name.
  [[nodiscard]] std::string label_patch(const ccm::Object& node) const {
    ccm::JsonWriter json;
    json.object([&] {
      json.member("metadata").object([&] {
        json.member("uid").text(node.uid());
        json.member("labels").object([&] {
          json.member(kLabel);
          if (wanted(node).empty()) {
            json.null();  // takes the label off
          } else {
            json.text(wanted(node));
          }
        });
      });
    });
    return json.str();
  }

  void report(const ccm::Object& node) const {
    const std::string family(wanted(node));
    const std::string type(node.text(kTypeField));
    host_.log.info("Changed the family of a node",
                   {{"node", node.name()}, {"family", family}, {"type", type}});
    host_.events.normal(node, "InstanceFamilyChanged",
                        family.empty()
                            ? "The label " + std::string(kLabel) + " is removed: no type names one"
                            : "The instance type " + type + " is of family " + family);
  }

  ccm::Host& host_;
  std::string separators_;
};

}  // namespace instance_family

CCM_PLUGIN(ccm::component<instance_family::Controller>("instance-family-controller"));
