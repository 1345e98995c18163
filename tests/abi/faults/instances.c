/* A provider whose table of instances, or one of its other functions than `list`, has one fault. */
#define FAULTY_TABLE
#include "faulty.h"

static void describe(ccm_completion done, size_t count) {
  const ccm_instance other = machine("other", "faulty://other");
  const ccm_instance* all[3];
  all[0] = all[1] = all[2] = &other;
  succeed_with(done, all, count);
}

#define DESCRIBE(name)                                                                     \
  static void name(void* self, ccm_ctx ctx, const ccm_describe_instances_request* request, \
                   ccm_completion done)
#define UNUSED (void)self, (void)ctx, (void)request

DESCRIBE(describe_too_few) {
  UNUSED;
  describe(done, 0);
}

DESCRIBE(describe_too_many) {
  UNUSED;
  describe(done, 3);
}

static void absurd_limits(void* self, ccm_ctx ctx, const ccm_limits_request* request,
                          ccm_completion done) {
  ccm_instance_limits made;
  UNUSED;
  memset(&made, 0, sizeof(made));
  made.size = sizeof(made);
  made.timeout_ms = INT64_MIN;
  made.list_timeout_ms = INT64_MAX;
  made.batch = -1;
  made.parallel = INT64_MIN;
  succeed(done, &made);
}

#define TABLE(name, list, describe, limits) \
  static const ccm_cloud_instances name = {sizeof(name), 0, list, describe, NULL, limits}
TABLE(too_few, NULL, describe_too_few, NULL);
TABLE(too_many, NULL, describe_too_many, NULL);
TABLE(absurd, list_one, NULL, absurd_limits);
/* It ends before its first function. */
static const ccm_cloud_instances too_short = {8, 0, NULL, NULL, NULL, NULL};

struct instances {
  struct fault fault;
  const ccm_cloud_instances* table;
};

static struct instances faults[] = {
    {{"describe_too_few", NULL}, &too_few},  {{"describe_too_many", NULL}, &too_many},
    {{"list_limits_absurd", NULL}, &absurd}, {{"short_instances", NULL}, &too_short},
    {{"null_instances", NULL}, NULL},
};
FAULTY_PLUGIN("instances", "provider", CCM_CLOUD_INSTANCES, ((const struct instances*)self)->table)
