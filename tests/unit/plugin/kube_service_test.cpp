// Reads and writes of a plugin through the kube service.
#include "host_services_fixture.hpp"

namespace ccm::plugin {
namespace {

ccm_kube_reference node_reference(const char* name, const char* subresource = "") {
  auto reference = sized<ccm_kube_reference>();
  reference.resource = c_str("v1/nodes");
  reference.name = c_str(name);
  reference.subresource = c_str(subresource);
  return reference;
}

ccm_kube_patch_request patch_of(const ccm_kube_reference& reference, int32_t type,
                                const char* body = "{}", uint32_t flags = 0) {
  auto patch = sized<ccm_kube_patch_request>();
  patch.flags = flags;
  patch.reference = &reference;
  patch.body = c_str(body);
  patch.type = type;
  return patch;
}

ccm_kube_get_request get_of(const ccm_kube_reference& reference) {
  auto get = sized<ccm_kube_get_request>();
  get.reference = &reference;
  return get;
}

TEST_F(HostServicesTest, KubePatchGoesOutInThePluginsNameAndGivesTheObject) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_kube* kube = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_KUBE, &kube);
  const auto reference = node_reference("n1", "status");
  const auto patch = patch_of(reference, CCM_PATCH_STRATEGIC, "{\"a\":1}");
  Caught caught;
  std::string name;
  caught.on_result = [&](const void* result) {
    name = object_of(static_cast<const ccm_object*>(result))->name();
  };
  kube->patch(service.self, {}, &patch, caught.completion());
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
    const auto patch = patch_of(reference, CCM_PATCH_MERGE, "{}", flags);
    Caught caught;
    const void* answer = nullptr;
    caught.on_result = [&](const void* result) { answer = result; };
    kube->patch(service.self, {}, &patch, caught.completion());
    poll();
    metadata.push_back(api_->answer_metadata);
    const bool wanted = flags != CCM_PATCH_ANSWER_NONE;
    api_->open.back()(std::string(wanted ? R"({"metadata":{"name":"n1"}})" : "no JSON"));
    ASSERT_TRUE(caught.status && caught.status->ok());
    EXPECT_EQ(answer != nullptr, wanted);
  }
  EXPECT_EQ(metadata, (std::vector<bool>{false, true, true}));
}

TEST_F(HostServicesTest, AnAnswerOfMetadataHasNoManagedFields) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_kube* kube = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_KUBE, &kube);
  const auto reference = node_reference("n1");
  const auto patch = patch_of(reference, CCM_PATCH_MERGE, "{}", CCM_PATCH_ANSWER_METADATA);
  Caught caught;
  std::string json;
  caught.on_result = [&](const void* result) {
    json = object_of(static_cast<const ccm_object*>(result))->json();
  };
  kube->patch(service.self, {}, &patch, caught.completion());
  poll();
  api_->open[0](std::string(
      R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"n1",)"
      R"("resourceVersion":"5","labels":{"a":"b"},"managedFields":[{"manager":"kubelet"}]}})"));
  EXPECT_EQ(json, R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{)"
                  R"("name":"n1","resourceVersion":"5","labels":{"a":"b"}}})");
}

TEST_F(HostServicesTest, KubeWritesNothingWithoutTheLease) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_kube* kube = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_KUBE, &kube);
  const auto reference = node_reference("n1");
  const auto patch = patch_of(reference, CCM_PATCH_MERGE);
  auto removal = sized<ccm_kube_delete_request>();
  removal.reference = &reference;
  removal.uid = c_str("uid");
  auto creation = sized<ccm_kube_create_request>();
  creation.reference = &reference;
  creation.body = c_str("{}");
  const auto get = get_of(reference);
  Caught patched, created, removed, read;
  kube->patch(service.self, {}, &patch, patched.completion());
  leader_.lead = false;  // lost between the call and the sending
  kube->create(service.self, {}, &creation, created.completion());
  kube->remove(service.self, {}, &removal, removed.completion());
  kube->get(service.self, {}, &get, read.completion());
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
  const ccm_ctx limited = ctx->with_timeout(contexts.self, {}, 2000);
  EXPECT_EQ(ctx->remaining_ms(contexts.self, limited), 2000);
  const auto reference = node_reference("n1");
  Caught caught;
  const auto get = get_of(reference);
  kube->get(service.self, limited, &get, caught.completion());
  poll();
  EXPECT_EQ(api_->timeout, 2s);
  EXPECT_LE(api_->deadline, std::chrono::steady_clock::now() + 2s);
  EXPECT_FALSE(api_->stop.stop_requested());
  advance(2s);
  EXPECT_TRUE(api_->stop.stop_requested()) << "no retry goes on for nobody";
  ASSERT_TRUE(caught.status);
  EXPECT_EQ(caught.status->code(), Code::deadline_exceeded);
  EXPECT_TRUE(ctx->ended(contexts.self, limited));
  api_->open[0](std::string("{}"));
  EXPECT_EQ(caught.calls, 1) << "the late answer is dropped";
  ctx->cancel(contexts.self, limited);
}

TEST_F(HostServicesTest, KubeRefusesNonsense) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_kube* kube = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_KUBE, &kube);
  auto reference = node_reference("n1");
  reference.resource = c_str("nodes");
  Caught bad_resource, no_patch, bad_type;
  const auto get = get_of(reference);
  kube->get(service.self, {}, &get, bad_resource.completion());
  kube->patch(service.self, {}, nullptr, no_patch.completion());
  const auto good = node_reference("n1");
  const auto patch = patch_of(good, 9);
  kube->patch(service.self, {}, &patch, bad_type.completion());
  poll();
  for (const Caught* caught : {&bad_resource, &no_patch}) {
    ASSERT_TRUE(caught->status);
    EXPECT_EQ(caught->status->code(), Code::invalid_argument);
  }
  ASSERT_TRUE(bad_type.status);
  EXPECT_EQ(bad_type.status->code(), Code::unimplemented);
  EXPECT_EQ(bad_type.status->reason(), CCM_REASON_UNKNOWN_REQUEST);
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
  auto nodes = sized<ccm_kube_cached_request>();
  nodes.resource = c_str("v1/nodes");
  const auto visit = [](void* owner, const ccm_object*) -> ccm_bool {
    return ++*static_cast<int*>(owner) < 1 ? 1 : 0;
  };
  EXPECT_EQ(kube->cached_each(service.self, &nodes, visit, &visited), CCM_CACHE_FOUND);
  EXPECT_EQ(visited, 1) << "stopped by the visitor";
  visited = 0;
  const ccm_object* kept = nullptr;
  const auto one = node_reference("a");
  EXPECT_EQ(kube->cached(service.self, &one, &kept), CCM_CACHE_FOUND);
  const ccm_object* untouched = nullptr;
  const auto other = node_reference("z");
  EXPECT_EQ(kube->cached(service.self, &other, &untouched), CCM_CACHE_ABSENT);
  auto pod = other;
  pod.resource = c_str("v1/pods");
  EXPECT_EQ(kube->cached(service.self, &pod, &untouched), CCM_CACHE_NOT_WATCHED);
  cache_.synced = false;
  EXPECT_EQ(kube->cached(service.self, &other, &untouched), CCM_CACHE_NOT_SYNCED);
  EXPECT_EQ(kube->cached_each(service.self, &nodes, visit, &visited), CCM_CACHE_NOT_SYNCED);
  EXPECT_EQ(untouched, nullptr);
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
      [](void* owner, ccm_str, ccm_value) -> ccm_bool {
        return ++*static_cast<int*>(owner) > 0 ? 1 : 0;
      },
      &members);
  EXPECT_EQ(members, 2);
  EXPECT_NE(view(objects->json(reader.self, kept)).find("\"taints\""), std::string_view::npos);
  objects->retain(reader.self, kept);
  objects->release(reader.self, kept);
  objects->release(reader.self, kept);
}

TEST_F(HostServicesTest, AListIsReadInPages) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_kube* kube = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_KUBE, &kube);
  auto request = sized<ccm_kube_list_request>();
  request.resource = c_str("v1/nodes");
  request.label_selector = c_str("pool=a");
  Caught caught;
  std::string names;
  caught.on_result = [&](const void* result) {
    const auto& list = *static_cast<const ccm_kube_list*>(result);
    for (std::size_t index = 0; index < list.count; ++index) {
      names += std::string(object_of(list.objects[index])->name()) + " ";
    }
    names += view(list.resource_version);
  };
  kube->list(service.self, {}, &request, caught.completion());
  poll();
  api_->open[0](std::string(R"({"kind":"NodeList","metadata":{"resourceVersion":"7","continue":"x"},
    "items":[{"metadata":{"name":"n1"}},{"metadata":{"name":"n2"}}]})"));
  ASSERT_EQ(api_->calls,
            (std::vector<std::string>{"list v1/nodes  pool=a ", "list v1/nodes  pool=a x"}));
  api_->open[1](std::string(
      R"({"kind":"NodeList","metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"n3"}}]})"));
  ASSERT_TRUE(caught.status);
  EXPECT_TRUE(caught.status->ok()) << caught.status->message();
  EXPECT_EQ(names, "n1 n2 n3 7");
}

TEST_F(HostServicesTest, ASubresourceIsCreatedUnderItsObject) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_kube* kube = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_KUBE, &kube);
  auto account = sized<ccm_kube_reference>();
  account.resource = c_str("v1/serviceaccounts");
  account.namespace_ = c_str("kube-system");
  account.name = c_str("cloud");
  account.subresource = c_str("token");
  auto request = sized<ccm_kube_create_request>();
  request.reference = &account;
  request.body = c_str("{}");
  Caught caught;
  kube->create(service.self, {}, &request, caught.completion());
  poll();
  EXPECT_EQ(api_->calls,
            (std::vector<std::string>{"create v1/serviceaccounts kube-system/cloud/token {}"}));
  api_->open[0](std::string(R"({"status":{"token":"t"}})"));
  ASSERT_TRUE(caught.status);
  EXPECT_TRUE(caught.status->ok()) << caught.status->message();
}

// A part of a request that this host does not know: refused before anything is sent.
TEST_F(HostServicesTest, ARequestFromTheFutureIsRefused) {
  ASSERT_TRUE(create(true).ok());
  const ccm_host_kube* kube = nullptr;
  const ccm_interface service = plugin_.service(CCM_HOST_KUBE, &kube);
  struct {
    ccm_kube_reference known;
    ccm_str added;
  } longer{node_reference("n1"), {}};
  longer.known.size = sizeof(longer);
  Caught zero, filled, flagged;
  auto get = get_of(longer.known);
  kube->get(service.self, {}, &get, zero.completion());
  poll();
  EXPECT_EQ(api_->calls.size(), 1u) << "what is 0 asks for nothing";
  longer.added = c_str("more");
  kube->get(service.self, {}, &get, filled.completion());
  const auto good = node_reference("n1");
  get = get_of(good);
  get.flags = 4;
  kube->get(service.self, {}, &get, flagged.completion());
  poll();
  EXPECT_EQ(api_->calls.size(), 1u);
  for (const Caught* caught : {&filled, &flagged}) {
    ASSERT_TRUE(caught->status);
    EXPECT_EQ(caught->status->code(), Code::unimplemented);
    EXPECT_EQ(caught->status->reason(), CCM_REASON_UNKNOWN_REQUEST);
  }
  api_->open[0](std::string(R"({"metadata":{"name":"n1"}})"));
  EXPECT_TRUE(zero.status && zero.status->ok());
}

}  // namespace
}  // namespace ccm::plugin
