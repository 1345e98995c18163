#include "pages.hpp"

#include "json_answer.hpp"

namespace ccm::openstack {

using nlohmann::json;

Result<PageInfo> Pages::take(std::string_view body, bool first) {
  if (first) {
    ids_.clear();
    take_(nullptr);
  }
  return read_answer(body, [this](const json& document) -> Result<PageInfo> {
    PageInfo page;
    for (const json& entry : document.at(name_)) {
      page.last_id = id_of(entry);
      if (!ids_.insert(page.last_id).second) return bad_answer("lists " + page.last_id + " twice");
      take_(&entry);
      ++page.count;
    }
    for (const json& link : part_of(document, (std::string(name_) + "_links").c_str())) {
      page.more = page.more || text_of(link, "rel") == "next";
    }
    return page;
  });
}

Task<Status> read_pages(Api& api, Ctx ctx, Collection collection, const char* name,
                        TakeObject take) {
  Pages pages(name, std::move(take));
  PageReader reader = [&pages](const std::string& body, bool first) {
    return pages.take(body, first);
  };
  Status listed = co_await api.list(ctx, std::move(collection), std::move(reader));
  co_return listed;
}

}  // namespace ccm::openstack
