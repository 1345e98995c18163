#include "plugin/host_services/kube_listing.hpp"

#include "kube/object_decoder.hpp"
#include "kube/watch_decoder.hpp"
#include "plugin/host_services/object_service.hpp"

#include <ccm/abi/kube.h>
#include <ccm/sized.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace ccm::plugin {

namespace {

constexpr int64_t kPageSize = 500;             // as client-go's pager
constexpr std::size_t kListBytes = 64u << 20;  // of all pages
constexpr std::size_t kListedObject = 8u << 20;

// One listing on its way.
class Listing : public std::enable_shared_from_this<Listing> {
 public:
  Listing(std::shared_ptr<ObjectApi> api, std::shared_ptr<HostOperation> running,
          kube::Resource resource, std::string namespace_name, kube::ListOptions options)
      : api_(std::move(api)),
        running_(std::move(running)),
        resource_(std::move(resource)),
        namespace_name_(std::move(namespace_name)),
        options_(std::move(options)) {
    options_.limit = kPageSize;
  }

  void next_page() {
    api_->list(resource_, namespace_name_, options_, call_options(*running_),
               [self = shared_from_this()](Result<std::string> body) {
                 self->take_page(std::move(body));
               });
  }

 private:
  void take_page(Result<std::string> body) {
    if (running_->ended()) return;
    if (!body) {
      // The version of the first page is gone: once more, all at once.
      if (kube::is_expired(body.status()) && !options_.continue_token.empty()) {
        objects_.clear();
        bytes_ = 0;
        options_.continue_token.clear();
        options_.limit = 0;
        return next_page();
      }
      return running_->end(body.status());
    }
    bytes_ += body->size();
    if (bytes_ > kListBytes) {
      return running_->end(Status(Code::resource_exhausted,
                                  "the list of " + resource_.id() + " is longer than 64 MiB"));
    }
    if (Status decoded = decode(*body); !decoded.ok()) return running_->end(decoded);
    if (!options_.continue_token.empty()) return next_page();
    finish();
  }

  Status decode(const std::string& body) {
    const Status strange(Code::unavailable, ErrorClass::unavailable,
                         "list " + resource_.id() + ": the answer is no Kubernetes list");
    kube::ListDecoder pieces(kListedObject);
    pieces.feed(body);
    std::vector<kube::ObjectPtr> page;
    std::string_view text;
    for (auto piece = pieces.next(text); piece != kube::WatchDecoder::Piece::none;
         piece = pieces.next(text)) {
      if (piece != kube::WatchDecoder::Piece::object) return strange;
      auto object = kube::Object::decode(text);
      if (!object) return object.status();
      page.push_back(std::move(*object));
    }
    if (!pieces.done()) return strange;
    const auto envelope = kube::Object::decode(pieces.envelope());
    if (!envelope || !(*envelope)->text_at("/kind").ends_with("List")) return strange;
    objects_.insert(objects_.end(), page.begin(), page.end());
    resource_version_ = (*envelope)->text_at("/metadata/resourceVersion");
    options_.continue_token = (*envelope)->text_at("/metadata/continue");
    return {};
  }

  void finish() {
    std::vector<const ccm_object*> handles;
    handles.reserve(objects_.size());
    for (const kube::ObjectPtr& object : objects_) handles.push_back(object_handle(object));
    auto list = sized<ccm_kube_list>();
    list.objects = handles.data();
    list.count = handles.size();
    list.resource_version = c_str(resource_version_);
    running_->end({}, &list);
  }

  const std::shared_ptr<ObjectApi> api_;
  const std::shared_ptr<HostOperation> running_;
  const kube::Resource resource_;
  const std::string namespace_name_;
  kube::ListOptions options_;
  std::size_t bytes_ = 0;
  std::vector<kube::ObjectPtr> objects_;
  std::string resource_version_;
};

}  // namespace

kube::CallOptions call_options(const HostOperation& operation) {
  kube::CallOptions options;
  options.stop = operation.stop_token();
  if (const auto left = operation.context()->remaining()) {
    options.deadline = std::chrono::steady_clock::now() + *left;
    options.timeout =
        std::clamp(*left, std::chrono::milliseconds(1), std::chrono::milliseconds(60'000));
  }
  return options;
}

void list_objects(std::shared_ptr<ObjectApi> api, std::shared_ptr<HostOperation> running,
                  kube::Resource resource, std::string namespace_name, kube::ListOptions options) {
  std::make_shared<Listing>(std::move(api), std::move(running), std::move(resource),
                            std::move(namespace_name), std::move(options))
      ->next_page();
}

}  // namespace ccm::plugin
