/* No fault: a provider that reads ConfigMaps from the cache because its manifest says so, and
 * others that it does not name. It lists nothing before the cache is complete, and says what it
 * found. */
#define FAULTY_MANIFEST ", \"reads\": [{\"resource\": \"v1/configmaps\", \"fields\": [\"/data\"]}]"
#include "faulty.h"

#include <ccm/abi/object.h>

static int32_t look(const char* resource, const char* name, const ccm_object** out) {
  const ccm_interface found = service(CCM_HOST_KUBE);
  ccm_kube_reference reference;
  memset(&reference, 0, sizeof(reference));
  reference.size = sizeof(reference);
  reference.resource = text(resource);
  reference.namespace_ = text("default");
  reference.name = text(name);
  return ((const ccm_host_kube*)found.table)->cached(found.self, &reference, out);
}

static void say(const ccm_object* rack) {
  const ccm_interface objects = service(CCM_HOST_OBJECT);
  const ccm_interface logger = service(CCM_HOST_LOG);
  const ccm_host_object* reader = (const ccm_host_object*)objects.table;
  const ccm_ctx none = {0};
  ccm_key_value pairs[2];
  ccm_log_record record;
  memset(&record, 0, sizeof(record));
  memset(pairs, 0, sizeof(pairs));
  pairs[0].key = text("row");
  reader->text(objects.self, reader->find(objects.self, rack, text("/data/row")), &pairs[0].value);
  pairs[1].key = text("labels");
  pairs[1].value =
      text(reader->kind(objects.self, reader->find(objects.self, rack, text("/metadata/labels"))) ==
                   CCM_VALUE_ABSENT
               ? "not kept"
               : "kept");
  record.size = sizeof(record);
  record.level = CCM_LOG_INFO;
  record.message = text("Read the cache");
  record.pairs = pairs;
  record.pair_count = 2;
  ((const ccm_host_log*)logger.table)->write(logger.self, none, &record);
}

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  const ccm_instance one = machine("node-1", "faulty://1");
  const ccm_instance* all[1];
  const ccm_object* rack = NULL;
  const ccm_object* other = NULL;
  const int32_t state = look("v1/configmaps", "rack", &rack);
  const ccm_interface objects = service(CCM_HOST_OBJECT);
  (void)self;
  (void)ctx;
  (void)request;
  if (state == CCM_CACHE_NOT_SYNCED) {
    end_with(done, CCM_CODE_UNAVAILABLE, "the cache is not complete", NULL);
    return;
  }
  if (state != CCM_CACHE_FOUND) {
    end_with(done, CCM_CODE_INTERNAL, "the ConfigMap was not found", NULL);
    return;
  }
  say(rack);
  ((const ccm_host_object*)objects.table)->release(objects.self, rack);
  if (look("v1/configmaps", "none", &other) != CCM_CACHE_ABSENT) {
    end_with(done, CCM_CODE_INTERNAL, "a ConfigMap that is not there is not absent", NULL);
    return;
  }
  if (look("v1/secrets", "rack", &other) != CCM_CACHE_NOT_WATCHED) {
    end_with(done, CCM_CODE_INTERNAL, "Secrets are not watched", NULL);
    return;
  }
  all[0] = &one;
  succeed_with(done, all, 1);
}
FAULTY_LIST("reads-cache", list)
