// Watches.
#include "contract.hpp"

#include <algorithm>

namespace ccm::contract {
namespace {

class Watch : public Contract {
 protected:
  WatchStream watch(const std::string& query) { return api().watch(kNodes + "?" + query); }
  std::string mine_from(const std::string& at) { return selector() + "&resourceVersion=" + at; }

  json label(const json& node, const json& labels) {
    return must(api().patch(node_path(node), kMergePatch, {{"metadata", {{"labels", labels}}}}));
  }
  json expect(WatchStream& stream, const std::string& type, const json& object) {
    const auto event = stream.next_change();
    if (!event) {
      ADD_FAILURE() << "no event, expected " << type;
      return json::object();
    }
    EXPECT_EQ(event->at("type"), type) << *event;
    EXPECT_EQ(event->at("object").at("metadata").at("name"), object.at("metadata").at("name"));
    return event->at("object");
  }
};

TEST_F(Watch, API_23_EventsAfterTheVersionComeInOrder) {
  const json before = create_node();
  WatchStream stream = watch(mine_from(now(kNodes)));
  EXPECT_EQ(stream.status(), 200);
  const json created = create_node();
  const json changed = label(created, {{"step", "2"}});
  must(api().remove(node_path(created)));

  EXPECT_EQ(version(expect(stream, "ADDED", created)), version(created));
  const json modified = expect(stream, "MODIFIED", created);
  EXPECT_EQ(version(modified), version(changed));
  EXPECT_EQ(modified.at("metadata").at("labels").at("step"), "2");
  const json deleted = expect(stream, "DELETED", created);
  // API-24: the last state, at the version of the deletion.
  EXPECT_EQ(deleted.at("metadata").at("labels").at("step"), "2");
  EXPECT_GT(std::stoll(version(deleted)), std::stoll(version(changed)));
  EXPECT_EQ(api().get(node_path(before)).status, 200);
}

TEST_F(Watch, API_23_HistoryIsReplayed) {
  const std::string start = now(kNodes);
  const json created = create_node();
  label(created, {{"step", "2"}});
  label(created, {{"step", "3"}});
  WatchStream stream = watch(mine_from(start));
  expect(stream, "ADDED", created);
  EXPECT_EQ(expect(stream, "MODIFIED", created).at("metadata").at("labels").at("step"), "2");
  EXPECT_EQ(expect(stream, "MODIFIED", created).at("metadata").at("labels").at("step"), "3");
}

TEST_F(Watch, API_23_VersionItselfIsExcluded) {
  const json created = create_node();
  WatchStream stream = watch(mine_from(version(created)));
  const json changed = label(created, {{"step", "2"}});
  EXPECT_EQ(version(expect(stream, "MODIFIED", created)), version(changed));
}

TEST_F(Watch, API_23_ZeroAndUnsetStartWithWhatExists) {
  const json one = create_node();
  const json two = create_node();
  for (const std::string& query : {selector() + "&resourceVersion=0", selector()}) {
    WatchStream stream = watch(query);
    std::vector<std::string> found;
    for (int i = 0; i < 2; ++i) {
      const auto event = stream.next_change();
      ASSERT_TRUE(event) << query;
      EXPECT_EQ(event->at("type"), "ADDED");
      found.push_back(event->at("object").at("metadata").at("name"));
    }
    std::sort(found.begin(), found.end());
    std::vector<std::string> wanted{one.at("metadata").at("name"), two.at("metadata").at("name")};
    std::sort(wanted.begin(), wanted.end());
    EXPECT_EQ(found, wanted);
    const json changed = label(one, {{"query", std::to_string(query.size())}});
    EXPECT_EQ(version(expect(stream, "MODIFIED", one)), version(changed));
  }
}

TEST_F(Watch, API_140_ObjectsCarryKindAndVersion) {
  WatchStream stream = watch(mine_from(now(kNodes)));
  const json created = create_node();
  const json added = expect(stream, "ADDED", created);
  EXPECT_EQ(added.at("kind"), "Node");
  EXPECT_EQ(added.at("apiVersion"), "v1");
}

TEST_F(Watch, API_6_StreamIsChunkedJson) {
  WatchStream stream = watch(selector() + "&timeoutSeconds=1");
  EXPECT_TRUE(stream.content_type().starts_with("application/json")) << stream.content_type();
  EXPECT_TRUE(stream.chunked());
}

TEST_F(Watch, API_50_WriteWithoutChangeIsNoEvent) {
  const json created = create_node();
  WatchStream stream = watch(mine_from(version(created)));
  const json same = label(created, created.at("metadata").at("labels"));
  EXPECT_EQ(version(same), version(created));
  // The first event is the next real change.
  const json changed = label(created, {{"real", "change"}});
  EXPECT_EQ(version(expect(stream, "MODIFIED", created)), version(changed));
}

TEST_F(Watch, API_23_LeavingTheSelectorIsDeletedAndEnteringIsAdded) {
  const json created = create_node();
  const std::string key = unique("key");
  WatchStream stream = watch("labelSelector=" + key + "%3Don&resourceVersion=" + version(created));
  label(created, {{key, "on"}});
  const json entered = expect(stream, "ADDED", created);
  EXPECT_EQ(entered.at("metadata").at("labels").at(key), "on");
  const json off = label(created, {{key, "off"}});
  const json left = expect(stream, "DELETED", created);
  EXPECT_EQ(version(left), version(off));
}

TEST_F(Watch, API_43_FieldSelectorWatchesOneObject) {
  const json one = create_node();
  const json other = create_node();
  WatchStream stream =
      watch("fieldSelector=metadata.name%3D" + one.at("metadata").at("name").get<std::string>() +
            "&resourceVersion=" + now(kNodes));
  label(other, {{"seen", "no"}});
  label(one, {{"seen", "yes"}});
  EXPECT_EQ(expect(stream, "MODIFIED", one).at("metadata").at("labels").at("seen"), "yes");
}

TEST_F(Watch, API_1_NamespacedWatchSeesItsNamespaceOnly) {
  const std::string one = make_namespace();
  const std::string two = make_namespace();
  WatchStream stream = api().watch(one + "/configmaps?resourceVersion=" + now(one + "/configmaps"));
  create_config_map(two, "other");
  const json wanted = create_config_map(one, "wanted");
  EXPECT_EQ(expect(stream, "ADDED", wanted).at("metadata").at("namespace"), namespace_of(one));
}

TEST_F(Watch, API_30_TimeoutSecondsEndsTheStreamCleanly) {
  WatchStream stream = watch(selector() + "&timeoutSeconds=1&resourceVersion=" + now(kNodes));
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(stream.wait_for_end(std::chrono::seconds(20)));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(900));
  EXPECT_FALSE(stream.cut());
}

TEST_F(Watch, API_32_BookmarkTellsAVersionThatNoEventTold) {
  // It is sent shortly before the timeout, if something has changed that the selector hides.
  const json created = create_node();
  WatchStream stream = watch("labelSelector=contract%3Dnobody&allowWatchBookmarks=true" +
                             std::string("&timeoutSeconds=5&resourceVersion=") + version(created));
  const json changed = label(created, {{"hidden", "change"}});
  const auto event = stream.next();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->at("type"), "BOOKMARK");
  const json& object = event->at("object");
  EXPECT_EQ(object.at("kind"), "Node");
  EXPECT_GE(std::stoll(version(object)), std::stoll(version(changed)));
  EXPECT_EQ(object.at("metadata").value("name", ""), "");
}

TEST_F(Watch, API_32_NoBookmarkUnlessAskedFor) {
  const json created = create_node();
  WatchStream stream =
      watch("labelSelector=contract%3Dnobody&timeoutSeconds=4&resourceVersion=" + version(created));
  label(created, {{"hidden", "change"}});
  EXPECT_FALSE(stream.next());
  EXPECT_TRUE(stream.wait_for_end(std::chrono::seconds(1)));
}

TEST_F(Watch, API_17_FutureVersionIsTooLargeOrWaits) {
  // The server may say so, in the stream or as the answer, or wait for that version; it must not
  // deliver older events.
  const json created = create_node();
  WatchStream stream =
      watch(selector() + "&timeoutSeconds=4&resourceVersion=" + now(kNodes) + "00000");
  label(created, {{"older", "yes"}});
  const auto event = stream.next(std::chrono::seconds(10));
  if (event && stream.status() == 200) {
    EXPECT_EQ(event->at("type"), "ERROR");
  }
}

TEST_F(Watch, API_13_MalformedVersionIsRefused) {
  // kube-apiserver 1.36 answers 500 here, as opposed to a list.
  EXPECT_GE(watch("resourceVersion=yesterday").status(), 400);
}

TEST_F(Watch, API_104_ManyWatchesAtOnceAllSeeTheEvent) {
  const std::string start = now(kNodes);
  std::vector<WatchStream> streams;
  for (int i = 0; i < 30; ++i) streams.push_back(watch(mine_from(start)));
  const json created = create_node();
  for (WatchStream& stream : streams) expect(stream, "ADDED", created);
}

TEST_F(Watch, API_6_ObjectsOfManyChunksArriveWhole) {
  WatchStream stream = watch(mine_from(now(kNodes)));
  json big = node(unique("node"));
  big["metadata"]["annotations"] = {{"text", std::string(200000, 'x') + "}{\"\\"}};
  const json created = create_node(big);
  const json added = expect(stream, "ADDED", created);
  EXPECT_EQ(added.at("metadata").at("annotations"), big.at("metadata").at("annotations"));
}

}  // namespace
}  // namespace ccm::contract
