#include "api/reader.hpp"

#include "api/continue_token.hpp"

#include <algorithm>
#include <charconv>

namespace sandbox {
namespace {

const char* const kExpiredRevision = "The resourceVersion for the provided list is too old.";
const char* const kExpiredContinue =
    "The provided continue parameter is too old to display a consistent list result. You can "
    "start a new list without the continue parameter, or use the continue token in this response "
    "to retrieve the remainder of the results. Continuing with the provided token results in an "
    "inconsistent list - objects that were created, modified, or deleted between the time the "
    "first chunk was returned and now may show up in the list.";

ApiError invalid_options(std::vector<Cause> causes) {
  Resource options;
  options.group = "meta.k8s.io";
  options.kind = "ListOptions";
  return invalid(options, "", std::move(causes));
}

void check_match(const http::Request& request) {
  const std::string& match = request.query.get("resourceVersionMatch");
  const std::string& revision = request.query.get("resourceVersion");
  std::vector<Cause> causes;
  auto forbid = [&](const char* why) {
    causes.push_back(forbidden_value("resourceVersionMatch", why));
  };
  if (!match.empty()) {
    if (revision.empty()) {
      forbid("resourceVersionMatch is forbidden unless resourceVersion is provided");
    }
    if (!request.query.get("continue").empty()) {
      forbid("resourceVersionMatch is forbidden when continue is provided");
    }
    if (match != "Exact" && match != "NotOlderThan") {
      causes.push_back(not_supported("resourceVersionMatch", match, {"Exact", "NotOlderThan", ""}));
    }
    if (match == "Exact" && revision == "0") {
      forbid("resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
    }
  }
  if (!request.query.get("sendInitialEvents").empty()) {
    causes.push_back(
        forbidden_value("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  if (!causes.empty()) throw invalid_options(std::move(causes));
}

std::size_t parse_limit(const http::Request& request) {
  const std::string& text = request.query.get("limit");
  long long limit = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (!text.empty() && (error != std::errc() || end != text.data() + text.size())) {
    throw bad_request("strconv.ParseInt: parsing \"" + text + "\": invalid syntax");
  }
  return limit < 0 ? 0 : static_cast<std::size_t>(limit);
}

struct Page {
  SnapshotPtr snapshot;  // null: the live state
  std::string after_key;
  std::size_t limit = 0;  // 0 = all
};

class Lister {
 public:
  Lister(Store& store, const RequestInfo& info, const http::Request& request)
      : store_(store),
        collection_(store.collection(info.resource->index)),
        info_(info),
        request_(request) {}

  ReadOutcome run() {
    View view = parse_accept(request_.accept, *info_.resource);
    check_match(request_);
    Selector selector = parse_selector(info_, request_);
    Page page;
    page.limit = parse_limit(request_);
    if (!request_.query.get("continue").empty()) {
      continue_page(page);
    } else if (!first_page(page)) {
      return {{}, true};
    }
    return {collect(page, selector, view), false};
  }

 private:
  void continue_page(Page& page) {
    auto revision = parse_revision(request_, true);
    if (revision && *revision != 0) {
      throw bad_request("specifying resource version is not allowed when using continue");
    }
    auto token = ContinueToken::decode(request_.query.get("continue"));
    if (!token) throw bad_request("invalid continue token: illegal base64 or JSON content");
    page.after_key = token->last_key;
    if (token->revision == -1) return;
    page.snapshot = collection_.at(static_cast<Revision>(token->revision), store_.revision());
    if (page.snapshot) return;
    ApiError error = expired(kExpiredContinue);
    error.continue_token = ContinueToken{-1, token->last_key}.encode();
    throw error;
  }

  // False: the revision lies in the future.
  bool first_page(Page& page) {
    auto revision = parse_revision(request_, true);
    if (!revision) return true;
    if (*revision == 0) {
      page.limit = 0;  // served from the cache, which knows no pages
      return true;
    }
    if (must_wait(store_, request_, *revision)) return false;
    const std::string& match = request_.query.get("resourceVersionMatch");
    bool exact = match == "Exact" || (match.empty() && page.limit > 0);
    if (!exact) return true;
    page.snapshot = collection_.at(*revision, store_.revision());
    if (!page.snapshot) throw expired(kExpiredRevision);
    return true;
  }

  http::Response collect(const Page& page, const Selector& selector, View view) {
    std::vector<ObjectPtr> found;
    std::size_t behind = 0;  // objects after the last one found, whether they match or not
    std::string prefix = selector.name_space.empty() ? "" : selector.name_space + "/";
    std::string after = std::max(page.after_key, prefix);
    // False: this and all later objects lie outside the namespace.
    auto visit = [&](const ObjectPtr& object) {
      if (!object->key.starts_with(prefix)) return false;
      if (page.limit != 0 && found.size() == page.limit) {
        ++behind;
      } else if (selector.matches(*info_.resource, *object)) {
        found.push_back(object);
      }
      return true;
    };
    ListMeta meta;
    if (page.snapshot) {
      meta.revision = page.snapshot->revision;
      const auto& objects = page.snapshot->objects;
      auto at = std::upper_bound(
          objects.begin(), objects.end(), after,
          [](const std::string& key, const ObjectPtr& object) { return key < object->key; });
      while (at != objects.end() && visit(*at)) ++at;
    } else {
      meta.revision = store_.revision();
      const auto& objects = collection_.objects();
      auto at = objects.upper_bound(after);
      while (at != objects.end() && visit(at->second)) ++at;
    }
    if (behind > 0) add_continue(selector, found.back()->key, behind, meta);
    http::Response response;
    response.content_type = content_type(view);
    response.body = encode_list(*info_.resource, found, meta, view);
    return response;
  }

  void add_continue(const Selector& selector, const std::string& last, std::size_t behind,
                    ListMeta& meta) {
    collection_.pin(meta.revision, store_.revision());
    meta.continue_token = ContinueToken{static_cast<long long>(meta.revision), last}.encode();
    if (selector.empty()) {
      meta.remaining = static_cast<long long>(behind);
    }
  }

  Store& store_;
  Collection& collection_;
  const RequestInfo& info_;
  const http::Request& request_;
};

}  // namespace

std::optional<Revision> parse_revision(const http::Request& request, bool list) {
  const std::string& text = request.query.get("resourceVersion");
  if (text.empty()) return std::nullopt;
  Revision revision = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), revision);
  if (error != std::errc() || end != text.data() + text.size()) {
    std::string why = "resourceVersion: Invalid value: \"" + text +
                      "\": strconv.ParseUint: parsing \"" + text + "\": invalid syntax";
    throw list ? bad_request(why) : unclassified(why);
  }
  return revision;
}

Selector parse_selector(const RequestInfo& info, const http::Request& request) {
  Selector selector;
  selector.name_space = info.name_space;
  selector.labels = LabelSelector::parse(request.query.get("labelSelector"));
  selector.fields = FieldSelector::parse(*info.resource, request.query.get("fieldSelector"));
  if (!info.name.empty()) selector.fields.require("metadata.name", info.name);
  return selector;
}

bool must_wait(const Store& store, const http::Request& request, Revision wanted) {
  if (wanted <= store.revision()) return false;
  if (request.waited >= kRevisionWait) throw too_large_revision(wanted, store.revision());
  return true;
}

ReadOutcome read_object(const Store& store, const RequestInfo& info, const http::Request& request) {
  const Resource& resource = *info.resource;
  View view = parse_accept(request.accept, resource);
  auto revision = parse_revision(request, false);
  if (revision && must_wait(store, request, *revision)) return {{}, true};
  ObjectPtr object =
      store.collection(resource.index).find(object_key(resource, info.name_space, info.name));
  if (!object) throw not_found(resource, info.name);
  http::Response response;
  response.content_type = content_type(view);
  response.body = encode_object(resource, *object, view);
  return {response, false};
}

ReadOutcome read_list(Store& store, const RequestInfo& info, const http::Request& request) {
  return Lister(store, info, request).run();
}

}  // namespace sandbox
