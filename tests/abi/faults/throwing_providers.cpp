// A provider that lets an exception leave one of its functions.
#include <ccm/abi/plugin.h>

#include <stdexcept>

static void create_row(void* self, ccm_ctx ctx, const ccm_create_request* request,
                       ccm_completion done);
#define FAULTY_TABLE
#define FAULTY_CREATE create_row
#include "faulty.h"

static void throw_in_destroy(void*) { throw 42; }

static fault faults[] = {
    {"throws_in_create", nullptr},
    {"throws_in_destroy", throw_in_destroy},
    {"throws_in_list", nullptr},
};

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  if (is_wanted("throws_in_list")) throw std::runtime_error("out of ideas");
  list_nothing(self, ctx, request, done);
}
FAULTY_LIST("throwing-providers", list)

static void create_row(void* self, ccm_ctx ctx, const ccm_create_request* request,
                       ccm_completion done) {
  if (is_wanted("throws_in_create")) throw 42;
  create_component(self, ctx, request, done);
}
