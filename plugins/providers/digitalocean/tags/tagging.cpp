#include "tagging.hpp"

#include <ccm/percent_encode.hpp>

#include <nlohmann/json.hpp>

#include <utility>

namespace ccm::digitalocean {
namespace {

using nlohmann::json;

Call resources_call(TagChange change, const std::string& tag, const std::string& resource_type,
                    const std::vector<std::string>& ids) {
  json resources = json::array();
  for (const std::string& id : ids) {
    resources.push_back({{"resource_id", id}, {"resource_type", resource_type}});
  }
  Call call;
  call.method = change == TagChange::add ? "POST" : "DELETE";
  call.path = "/v2/tags/" + percent_encode(tag) + "/resources";
  call.operation = change == TagChange::add ? "TagResources" : "UntagResources";
  call.body = json{{"resources", std::move(resources)}}.dump();
  return call;
}

Task<Status> make_tag(Api& api, Ctx ctx, std::string tag) {
  Call call;
  call.method = "POST";
  call.path = "/v2/tags";
  call.operation = "CreateTag";
  call.body = json{{"name", tag}}.dump();
  auto body = co_await api.call(ctx, std::move(call));
  std::string context = "failed to create tag \"";
  context += tag + "\"";
  co_return body.ok() ? Status() : body.status().with_context(context);
}

}  // namespace

Task<Status> change_tag(Api& api, Ctx ctx, TagChange change, std::string tag,
                        std::string resource_type, std::vector<std::string> ids) {
  Call first = resources_call(change, tag, resource_type, ids);
  auto done = co_await api.call(ctx, std::move(first));
  Status status = done.status();
  if (status.error_class() == ErrorClass::not_found) {
    if (change == TagChange::remove) co_return Status();
    Status made = co_await make_tag(api, ctx, tag);
    if (!made.ok()) co_return made;
    Call second = resources_call(change, tag, resource_type, ids);
    done = co_await api.call(ctx, std::move(second));
    status = done.status();
  }
  if (status.ok()) co_return status;
  std::string context = "failed to change the tag \"";
  context += tag + "\"";
  co_return status.with_context(context);
}

}  // namespace ccm::digitalocean
