// Lists in pages.
#include "contract.hpp"

#include <set>

namespace ccm::contract {
namespace {

class Paging : public Contract {
 protected:
  Paging() : space_(make_namespace()), maps_(space_ + "/configmaps") {}

  void fill(int count) {
    for (int i = 0; i < count; ++i) create_config_map(space_, "m" + std::to_string(i));
  }
  static std::string token(const json& list) {
    return list.at("metadata").value("continue", std::string());
  }
  KubeResponse page(const std::string& query, const json& previous) {
    return api().get(maps_ + "?" + query +
                     "&continue=" + support::encode_component(token(previous)));
  }

  std::string space_;
  std::string maps_;
};

TEST_F(Paging, API_18_PagesHoldEveryItemOnceAtOneVersion) {
  fill(7);
  json list = must(api().get(maps_ + "?limit=3"));
  const std::string at = version(list);
  std::vector<std::string> all = names(list);
  std::vector<std::size_t> sizes{list.at("items").size()};
  while (!token(list).empty()) {
    list = must(page("limit=3", list));
    EXPECT_EQ(version(list), at);
    sizes.push_back(list.at("items").size());
    for (const std::string& name : names(list)) all.push_back(name);
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{3, 3, 1}));
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 7U);
}

TEST_F(Paging, API_18_LaterPagesShowTheStateOfTheFirst) {
  fill(4);
  json list = must(api().get(maps_ + "?limit=2"));
  create_config_map(space_, "zzz");
  must(api().remove(maps_ + "/m3"));
  list = must(page("limit=2", list));
  EXPECT_EQ(names(list), (std::vector<std::string>{"m2", "m3"}));
  EXPECT_EQ(token(list), "");
}

TEST_F(Paging, API_18_ExactlyFullLastPageHasNoToken) {
  fill(4);
  const json list = must(api().get(maps_ + "?limit=2"));
  EXPECT_EQ(token(must(page("limit=2", list))), "");
}

TEST_F(Paging, API_18_LimitMayChangeBetweenPages) {
  fill(5);
  const json list = must(api().get(maps_ + "?limit=1"));
  EXPECT_EQ(must(page("limit=10", list)).at("items").size(), 4U);
}

TEST_F(Paging, API_18_PagesWithASelectorAreFull) {
  for (int i = 0; i < 6; ++i) {
    must(api().create(maps_, {{"apiVersion", "v1"},
                              {"kind", "ConfigMap"},
                              {"metadata",
                               {{"name", "s" + std::to_string(i)},
                                {"labels", {{"half", i % 2 == 0 ? "even" : "odd"}}}}}}));
  }
  const json first = must(api().get(maps_ + "?limit=2&labelSelector=half%3Deven"));
  EXPECT_EQ(names(first), (std::vector<std::string>{"s0", "s2"}));
  const json second = must(page("limit=2&labelSelector=half%3Deven", first));
  EXPECT_EQ(names(second), std::vector<std::string>{"s4"});
}

TEST_F(Paging, API_19_RemainingItemCountIsAbsentWithSelectorsAndOnTheLastPage) {
  fill(5);
  const json first = must(api().get(maps_ + "?limit=2"));
  EXPECT_EQ(first.at("metadata").at("remainingItemCount"), 3);
  const json last = must(page("limit=5", first));
  EXPECT_FALSE(last.at("metadata").contains("remainingItemCount"));
  const json selected = must(api().get(maps_ + "?limit=2&fieldSelector=metadata.name!%3Dm0"));
  EXPECT_NE(token(selected), "");
  EXPECT_FALSE(selected.at("metadata").contains("remainingItemCount"));
}

TEST_F(Paging, API_18_ResourceVersionWithTokenIsRefused) {
  fill(3);
  const json first = must(api().get(maps_ + "?limit=1"));
  const KubeResponse response = page("limit=1&resourceVersion=" + version(first), first);
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.reason(), "BadRequest");
}

TEST_F(Paging, API_16_MatchWithTokenIsInvalid) {
  fill(3);
  const json first = must(api().get(maps_ + "?limit=1"));
  const KubeResponse response =
      page("limit=1&resourceVersionMatch=Exact&resourceVersion=" + version(first), first);
  EXPECT_EQ(response.status, 422);
}

TEST_F(Paging, API_18_ForgedTokenIsABadRequest) {
  EXPECT_EQ(api().get(maps_ + "?limit=1&continue=bm9uc2Vuc2U").status, 400);
}

TEST_F(Paging, API_15_NegativeLimitIsRefusedOrIgnoredButNeverCrashes) {
  fill(2);
  EXPECT_LT(api().get(maps_ + "?limit=-1").status, 500);
  EXPECT_EQ(must(api().get(maps_ + "?limit=0")).at("items").size(), 2U);
}

TEST_F(Paging, API_18_PagesGoAcrossNamespaces) {
  const std::string name = unique("shared");
  for (int i = 0; i < 3; ++i) create_config_map(make_namespace(), name);
  const std::string all = "/api/v1/configmaps?limit=2&fieldSelector=metadata.name%3D" + name;
  const json first = must(api().get(all));
  EXPECT_EQ(first.at("items").size(), 2U);
  const json second = must(api().get(all + "&continue=" + support::encode_component(token(first))));
  EXPECT_EQ(second.at("items").size(), 1U);
}

}  // namespace
}  // namespace ccm::contract
