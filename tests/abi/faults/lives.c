/* A provider with one fault when it is opened or made, or in what it brings for its end. */
#include <ccm/abi/plugin.h>

#include <stddef.h>
#include <stdint.h>

static void open_row(void* self, ccm_ctx ctx, const ccm_open_request* request, ccm_completion done);
static void create_row(void* self, ccm_ctx ctx, const ccm_create_request* request,
                       ccm_completion done);
#define FAULTY_TABLE
#define FAULTY_OPEN open_row
#define FAULTY_CREATE create_row
#include "faulty.h"
#undef FAULTY_DESTROY
#define FAULTY_DESTROY (the_life()->indestructible ? NULL : destroy_row)

struct life {
  struct fault fault;
  void (*open)(ccm_completion done);
  void (*create)(ccm_completion done); /* NULL = as it should be */
  ccm_bool indestructible;
};

static void open_well(ccm_completion done) {
  ccm_opened opened;
  memset(&opened, 0, sizeof(opened));
  opened.size = sizeof(opened);
  succeed(done, &opened);
}

static void open_twice(ccm_completion done) {
  open_well(done);
  end_with(done, CCM_CODE_INTERNAL, "once more", NULL);
}

/* It succeeds without a result. */
static void open_nothing(ccm_completion done) { succeed(done, NULL); }

static void open_never(ccm_completion done) { (void)done; }

/* It succeeds with nothing. */
static void create_nothing(ccm_completion done) { done.fn(done.owner, done.operation, NULL, NULL); }

static struct life faults[] = {
    {{"open_completes_twice", NULL}, open_twice, NULL, 0},
    {{"open_gives_nothing", NULL}, open_nothing, NULL, 0},
    {{"open_never_completes", NULL}, open_never, NULL, 0},
    {{"no_component", NULL}, open_well, create_nothing, 0},
    {{"no_destroy", NULL}, open_well, NULL, 1},
};

static const struct life* the_life(void) { return (const struct life*)FAULTY_SELF; }

FAULTY_LIST("lives", list_one)

static void open_row(void* self, ccm_ctx ctx, const ccm_open_request* request,
                     ccm_completion done) {
  (void)self;
  (void)ctx;
  (void)request;
  the_life()->open(done);
}

static void create_row(void* self, ccm_ctx ctx, const ccm_create_request* request,
                       ccm_completion done) {
  if (the_life()->create != NULL) {
    the_life()->create(done);
  } else {
    create_component(self, ctx, request, done);
  }
}
