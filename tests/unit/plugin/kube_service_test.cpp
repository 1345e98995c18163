// Reads and writes of a plugin through the kube service.
#include "host_services_fixture.hpp"

namespace ccm::plugin {
namespace {

ccm_kube_reference node_reference(const char* name, const char* subresource = "") {
  return {sizeof(ccm_kube_reference), 0, c_str("v1/nodes"), c_str(""), c_str(name),
          c_str(subresource)};
}

TEST_F(HostServicesTest, KubePatchGoesOutInThePluginsNameAndGivesTheObject) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_kube* kube = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_KUBE, &kube);
  const auto reference = node_reference("n1", "status");
  const ccm_kube_patch patch{
      sizeof(patch), CCM_PATCH_STRATEGIC, &reference, c_str("{\"a\":1}"), 0, 0};
  Caught caught;
  std::string name;
  caught.on_result = [&](const void* result) {
    name = object_of(static_cast<const ccm_object*>(result))->name();
  };
  kube->patch(service.self, nullptr, &patch, caught.completion());
  EXPECT_TRUE(api_->calls.empty()) << "posted";
  poll();
  ASSERT_EQ(api_->calls.size(), 1u);
  EXPECT_EQ(api_->calls[0], "patch v1/nodes n1 2 {\"a\":1} status test.example");
  api_->open[0](std::string(R"({"metadata":{"name":"n1"}})"));
  EXPECT_EQ(name, "n1");
  EXPECT_TRUE(caught.status->ok());
}

TEST_F(HostServicesTest, AnAnswerThatIsNotWantedIsShortAndNotRead) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_kube* kube = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_KUBE, &kube);
  const auto reference = node_reference("n1");
  std::vector<bool> metadata;
  for (const uint32_t flags :
       {0U, unsigned{CCM_PATCH_ANSWER_METADATA}, unsigned{CCM_PATCH_ANSWER_NONE}}) {
    const ccm_kube_patch patch{sizeof(patch), CCM_PATCH_MERGE, &reference, c_str("{}"), flags, 0};
    Caught caught;
    const void* answer = nullptr;
    caught.on_result = [&](const void* result) { answer = result; };
    kube->patch(service.self, nullptr, &patch, caught.completion());
    poll();
    metadata.push_back(api_->answer_metadata);
    const bool wanted = flags != CCM_PATCH_ANSWER_NONE;
    api_->open.back()(std::string(wanted ? R"({"metadata":{"name":"n1"}})" : "no JSON"));
    ASSERT_TRUE(caught.status && caught.status->ok());
    EXPECT_EQ(answer != nullptr, wanted);
  }
  EXPECT_EQ(metadata, (std::vector<bool>{false, true, true}));
}

TEST_F(HostServicesTest, KubeWritesNothingWithoutTheLease) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_kube* kube = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_KUBE, &kube);
  const auto reference = node_reference("n1");
  const ccm_kube_patch patch{sizeof(patch), CCM_PATCH_MERGE, &reference, c_str("{}"), 0, 0};
  const ccm_kube_delete removal{sizeof(removal), 0, &reference, c_str("uid"), c_str("")};
  Caught patched, created, removed, read;
  kube->patch(service.self, nullptr, &patch, patched.completion());
  leader_.lead = false;  // lost between the call and the sending
  kube->create(service.self, nullptr, &reference, c_str("{}"), created.completion());
  kube->remove(service.self, nullptr, &removal, removed.completion());
  kube->get(service.self, nullptr, &reference, read.completion());
  poll();
  for (const Caught* caught : {&patched, &created, &removed}) {
    ASSERT_TRUE(caught->status);
    EXPECT_EQ(caught->status->code(), Code::failed_precondition);
  }
  EXPECT_EQ(api_->calls, (std::vector<std::string>{"get v1/nodes n1"})) << "reads are allowed";
  api_->open[0](Status(Code::not_found, ErrorClass::not_found, "gone"));
  EXPECT_EQ(read.status->error_class(), ErrorClass::not_found);
}

TEST_F(HostServicesTest, KubeCallsEndWithTheirCtx) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_kube* kube = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_KUBE, &kube);
  const ccm_host_ctx* ctx = nullptr;
  const ccm_interface contexts = plugin_.service(CCM_HOST_CTX, &ctx);
  const ccm_ctx* limited = ctx->with_timeout(contexts.self, nullptr, 2000);
  EXPECT_EQ(ctx->remaining_ms(contexts.self, limited), 2000);
  const auto reference = node_reference("n1");
  Caught caught;
  kube->get(service.self, limited, &reference, caught.completion());
  poll();
  EXPECT_EQ(api_->timeout, 2s);
  EXPECT_LE(api_->deadline, std::chrono::steady_clock::now() + 2s);
  EXPECT_FALSE(api_->stop.stop_requested());
  advance(2s);
  EXPECT_TRUE(api_->stop.stop_requested()) << "no retry goes on for nobody";
  ASSERT_TRUE(caught.status);
  EXPECT_EQ(caught.status->code(), Code::deadline_exceeded);
  EXPECT_TRUE(ctx->cancelled(contexts.self, limited));
  api_->open[0](std::string("{}"));
  EXPECT_EQ(caught.calls, 1) << "the late answer is dropped";
  ctx->release(contexts.self, limited);
}

TEST_F(HostServicesTest, KubeRefusesNonsense) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_kube* kube = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_KUBE, &kube);
  auto reference = node_reference("n1");
  reference.resource = c_str("nodes");
  Caught bad_resource, no_patch, bad_type;
  kube->get(service.self, nullptr, &reference, bad_resource.completion());
  kube->patch(service.self, nullptr, nullptr, no_patch.completion());
  const auto good = node_reference("n1");
  const ccm_kube_patch patch{sizeof(patch), 9, &good, c_str("{}"), 0, 0};
  kube->patch(service.self, nullptr, &patch, bad_type.completion());
  poll();
  for (const Caught* caught : {&bad_resource, &no_patch, &bad_type}) {
    ASSERT_TRUE(caught->status);
    EXPECT_EQ(caught->status->code(), Code::invalid_argument);
  }
  EXPECT_TRUE(api_->calls.empty());
}

TEST_F(HostServicesTest, CachedObjectsAreHandlesThatCanBeKept) {
  ASSERT_TRUE(create(true).ok());
  cache_.objects = {object(R"({"metadata":{"name":"a"},"spec":{"taints":[{"key":"k"}],"n":5}})"),
                    object(R"({"metadata":{"name":"b"}})")};
  const ccm_host_kube* kube = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_KUBE, &kube);
  const ccm_host_object* objects = nullptr;
  const ccm_interface reader = plugin_.service(CCM_HOST_OBJECT, &objects);
  int visited = 0;
  kube->cached_each(
      service.self, c_str("v1/nodes"), c_str(""),
      [](void* owner, const ccm_object*) { return ++*static_cast<int*>(owner) < 1; }, &visited);
  EXPECT_EQ(visited, 1) << "stopped by the visitor";
  const ccm_object* kept = kube->cached(service.self, c_str("v1/nodes"), c_str(""), c_str("a"));
  EXPECT_EQ(kube->cached(service.self, c_str("v1/nodes"), c_str(""), c_str("z")), nullptr);
  ASSERT_NE(kept, nullptr);
  cache_.objects.clear();
  ccm_str text{};
  const ccm_value taints = objects->find(reader.self, kept, c_str("/spec/taints"));
  EXPECT_EQ(objects->kind(reader.self, taints), CCM_VALUE_ARRAY);
  EXPECT_TRUE(
      objects->text(reader.self, objects->find_in(reader.self, taints, c_str("/0/key")), &text));
  EXPECT_EQ(view(text), "k");
  EXPECT_TRUE(
      objects->text(reader.self, objects->find(reader.self, kept, c_str("/spec/n")), &text));
  EXPECT_EQ(view(text), "5");
  EXPECT_FALSE(objects->text(reader.self, taints, &text));
  const ccm_value nothing = objects->find(reader.self, kept, c_str("/spec/none"));
  EXPECT_EQ(nothing.object, nullptr);
  EXPECT_EQ(objects->kind(reader.self, nothing), CCM_VALUE_ABSENT);
  EXPECT_TRUE(objects->equal(reader.self, taints, taints));
  EXPECT_FALSE(objects->equal(reader.self, taints, objects->find(reader.self, kept, c_str(""))));
  EXPECT_FALSE(objects->equal(reader.self, taints, nothing));
  EXPECT_TRUE(objects->equal(reader.self, nothing, nothing));
  int members = 0;
  objects->each(
      reader.self, objects->find(reader.self, kept, c_str("")),
      [](void* owner, ccm_str, ccm_value) { return ++*static_cast<int*>(owner) > 0; }, &members);
  EXPECT_EQ(members, 2);
  EXPECT_NE(view(objects->json(reader.self, kept)).find("\"taints\""), std::string_view::npos);
  objects->retain(reader.self, kept);
  objects->release(reader.self, kept);
  objects->release(reader.self, kept);
}

}  // namespace
}  // namespace ccm::plugin
