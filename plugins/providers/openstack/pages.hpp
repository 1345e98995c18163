// Reading a collection of objects with IDs to its end.
#pragma once

#include "api.hpp"
#include "json_answer.hpp"

#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::openstack {

// The objects of the pages that were taken. `read` throws json::exception.
template <typename T>
struct Pages {
  const char* name;  // of the list in the answer
  T (*read)(const nlohmann::json& entry);
  std::vector<T> all{};
  std::set<std::string> ids{};

  // Failure: bad_answer(), also for an object that was there already.
  Result<PageInfo> take(std::string_view body, bool first) {
    if (first) {
      all.clear();
      ids.clear();
    }
    return read_answer(parse_json(body),
                       [this](const nlohmann::json& document) -> Result<PageInfo> {
                         PageInfo page;
                         for (const nlohmann::json& entry : document.at(name)) {
                           page.last_id = id_of(entry);
                           if (!ids.insert(page.last_id).second) {
                             return bad_answer("lists " + page.last_id + " twice");
                           }
                           all.push_back(read(entry));
                           ++page.count;
                         }
                         for (const nlohmann::json& link :
                              part_of(document, (std::string(name) + "_links").c_str())) {
                           page.more = page.more || text_of(link, "rel") == "next";
                         }
                         return page;
                       });
  }
};

// Failures: those of Api::list and of Pages::take.
template <typename T>
Task<Result<std::vector<T>>> read_pages(Api& api, Ctx ctx, Collection collection, const char* name,
                                        T (*read)(const nlohmann::json& entry)) {
  Pages<T> pages{name, read};
  PageReader reader = [&pages](const std::string& body, bool first) {
    return pages.take(body, first);
  };
  Status listed = co_await api.list(ctx, std::move(collection), std::move(reader));
  if (!listed.ok()) co_return listed;
  co_return std::move(pages.all);
}

}  // namespace ccm::openstack
