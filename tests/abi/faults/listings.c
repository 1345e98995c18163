/* A provider that only lists, with one fault in how it does so. */
#define FAULTY_TABLE
#include "faulty.h"

#include <semaphore.h>
#include <unwind.h>

#define LIST(name)                                                                     \
  static void name(void* self, ccm_ctx ctx, const ccm_list_instances_request* request, \
                   ccm_completion done)
#define UNUSED_LIST (void)self, (void)ctx, (void)request

#define NEVER_SET ((size_t)0xdeadbeefdeadbeef)

/* Completes with the one machine that is there. */
static void succeed_with_node(ccm_completion done) {
  const ccm_instance one = machine("node-1", "faulty://1");
  const ccm_instance* all[1];
  all[0] = &one;
  succeed_with(done, all, 1);
}

/* Completes with a machine as it should be, and these unknown prefixes. */
static void succeed_with_prefixes(ccm_completion done, const ccm_str* prefixes, size_t count) {
  const ccm_instance one = machine("sound", "faulty://sound");
  const ccm_instance* all[1];
  ccm_instance_list made;
  all[0] = &one;
  memset(&made, 0, sizeof(made));
  made.size = sizeof(made);
  made.instances = all;
  made.count = 1;
  made.unknown_prefixes = prefixes;
  made.unknown_prefix_count = count;
  succeed(done, &made);
}

/* A status that only has its size. */
static ccm_status empty_status(void) {
  ccm_status status;
  memset(&status, 0, sizeof(status));
  status.size = sizeof(status);
  return status;
}

/* ---- Machines that cannot be ---- */

LIST(garbage_count) {
  static const ccm_node_address address;
  ccm_instance faulty = machine("node-1", "faulty://1");
  UNUSED_LIST;
  faulty.addresses = &address;
  faulty.address_count = NEVER_SET;
  succeed_with_sound_and(done, &faulty);
}

LIST(garbage_name) {
  const ccm_instance faulty = machine("node-\xff\xfe", "faulty://1");
  UNUSED_LIST;
  succeed_with_sound_and(done, &faulty);
}

/* Addresses and labels that are no UTF-8. */
LIST(garbage_texts) {
  ccm_node_address addresses[2];
  ccm_key_value label;
  ccm_instance faulty = machine("node-1", "faulty://1");
  UNUSED_LIST;
  addresses[0].type = text("InternalIP");
  addresses[0].address = text("192.0.2.1");
  addresses[1].type = text("Internal\xc3");
  addresses[1].address = text("\x80\x81");
  label.key = text("rack");
  label.value = text("a\xff");
  faulty.addresses = addresses;
  faulty.address_count = 2;
  faulty.labels = &label;
  faulty.label_count = 1;
  succeed_with_sound_and(done, &faulty);
}

LIST(null_addresses) {
  ccm_instance faulty = machine("node-1", "faulty://1");
  UNUSED_LIST;
  faulty.addresses = NULL;
  faulty.address_count = 2;
  succeed_with_sound_and(done, &faulty);
}

LIST(null_labels) {
  ccm_instance faulty = machine("node-1", "faulty://1");
  UNUSED_LIST;
  faulty.label_count = 2;
  succeed_with_sound_and(done, &faulty);
}

LIST(null_string) {
  ccm_instance faulty = machine("node-1", "faulty://1");
  UNUSED_LIST;
  faulty.zone.len = 77;
  succeed_with_sound_and(done, &faulty);
}

/* The struct ends before the name. */
LIST(instance_too_short) {
  ccm_instance faulty = machine("node-1", "faulty://1");
  UNUSED_LIST;
  faulty.size = 8;
  succeed_with_sound_and(done, &faulty);
}

/* No fault: it has members that this host does not know. */
LIST(instance_of_the_future) {
  struct {
    ccm_instance known;
    ccm_str unknown;
  } longer;
  UNUSED_LIST;
  memset(&longer, 0, sizeof(longer));
  longer.known = machine("node-1", "faulty://1");
  longer.known.size = sizeof(longer);
  longer.unknown.len = 77;
  succeed_with_sound_and(done, &longer.known);
}

LIST(unknown_state) {
  ccm_instance faulty = machine("node-1", "faulty://1");
  UNUSED_LIST;
  faulty.state = 99;
  succeed_with_sound_and(done, &faulty);
}

/* ---- Lists that cannot be ---- */

LIST(garbage_machine_count) {
  const ccm_instance one = machine("node-1", "faulty://1");
  const ccm_instance* all[1];
  UNUSED_LIST;
  all[0] = &one;
  succeed_with(done, all, NEVER_SET);
}

LIST(null_list) {
  UNUSED_LIST;
  succeed_with(done, NULL, 3);
}

LIST(null_element) {
  UNUSED_LIST;
  succeed_with_sound_and(done, NULL);
}

LIST(no_result) {
  UNUSED_LIST;
  succeed(done, NULL);
}

LIST(garbage_prefix_count) {
  static const ccm_str prefix;
  UNUSED_LIST;
  succeed_with_prefixes(done, &prefix, NEVER_SET);
}

/* One of NULL is empty, and means all machines. */
LIST(garbage_prefixes) {
  ccm_str prefixes[2];
  UNUSED_LIST;
  prefixes[0].ptr = NULL;
  prefixes[0].len = NEVER_SET;
  prefixes[1] = text("\xff\xfe");
  succeed_with_prefixes(done, prefixes, 2);
}

LIST(null_prefixes) {
  UNUSED_LIST;
  succeed_with_prefixes(done, NULL, 3);
}

/* ---- Statuses that cannot be ---- */

LIST(garbage_status) {
  ccm_status status = empty_status();
  UNUSED_LIST;
  status.code = 77;
  status.error_class = -5;
  status.retry_after_ms = INT64_MAX;
  status.reason = text("\xff");
  status.message.len = 77;
  done.fn(done.owner, done.operation, &status, NULL);
}

/* It ends before its code. */
LIST(short_status) {
  ccm_status status = empty_status();
  UNUSED_LIST;
  status.size = 4;
  status.code = CCM_CODE_UNAVAILABLE;
  done.fn(done.owner, done.operation, &status, NULL);
}

/* ---- Completions at the wrong time ---- */

LIST(list_never_completes) {
  UNUSED_LIST;
  (void)done;
}

LIST(list_completes_twice) {
  UNUSED_LIST;
  succeed_with_node(done);
  end_with(done, CCM_CODE_INTERNAL, "the second completion", NULL);
}

/* The first operation is completed while the second runs, long after its deadline. */
LIST(list_completes_late) {
  UNUSED_LIST;
  if (remembered.fn == NULL) {
    remembered = done;
    return;
  }
  end_with(remembered, CCM_CODE_INTERNAL, "the late completion", NULL);
  succeed_with_node(done);
}

static void end_as_cancelled(void* owner) {
  (void)owner;
  end_with(remembered, CCM_CODE_CANCELLED, "cancelled", NULL);
}

/* No fault: it ends only when it is cancelled. */
LIST(list_waits_for_cancel) {
  const ccm_interface found = service(CCM_HOST_CTX);
  const ccm_callback callback = {end_as_cancelled, NULL, NULL};
  (void)self;
  (void)request;
  remembered = done;
  ((const ccm_host_ctx*)found.table)->on_end(found.self, ctx, callback);
}

static void* complete_remembered(void* unused) {
  succeed_with_node(remembered);
  return unused;
}

/* No fault: completed from a thread of the plugin's own, which ends in destroy. */
LIST(list_completes_elsewhere) {
  UNUSED_LIST;
  complete_elsewhere(done, complete_remembered);
}

/* Completes again in destroy, and once more from a thread afterwards. */
LIST(completes_after_destroy) {
  UNUSED_LIST;
  remembered = done;
  succeed_with_node(done);
}

static sem_t first_done;

static void* complete_later(void* unused) {
  end_with(remembered, CCM_CODE_INTERNAL, "after destroy", NULL);
  sem_post(&first_done);
  return unused;
}

static void complete_again(void* self) {
  pthread_t later;
  (void)self;
  if (remembered.fn == NULL) return;
  end_with(remembered, CCM_CODE_INTERNAL, "within destroy", NULL);
  sem_init(&first_done, 0, 0);
  if (pthread_create(&later, NULL, complete_later, NULL) != 0) return;
  sem_wait(&first_done);
  pthread_join(later, NULL);
}

static struct _Unwind_Exception panic;

static void clean_up(_Unwind_Reason_Code reason, struct _Unwind_Exception* exception) {
  (void)reason;
  (void)exception;
}

/* Unwinds as the panic of another language would, with an exception that is none of C++. */
LIST(panics_in_list) {
  UNUSED_LIST;
  memcpy(&panic.exception_class, "MOZ\0RUST", 8);
  panic.exception_cleanup = clean_up;
  _Unwind_RaiseException(&panic);
  end_with(done, CCM_CODE_INTERNAL, "nobody caught the panic", NULL);
}

struct listing {
  struct fault fault;
  void (*list)(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
               ccm_completion done);
};

#define ROW(name) \
  { {#name, NULL}, name }
static struct listing faults[] = {
    ROW(garbage_count),
    ROW(garbage_name),
    ROW(garbage_texts),
    ROW(null_addresses),
    ROW(null_labels),
    ROW(null_string),
    ROW(instance_too_short),
    ROW(instance_of_the_future),
    ROW(unknown_state),
    ROW(garbage_machine_count),
    ROW(null_list),
    ROW(null_element),
    ROW(no_result),
    ROW(garbage_prefix_count),
    ROW(garbage_prefixes),
    ROW(null_prefixes),
    ROW(garbage_status),
    ROW(short_status),
    ROW(list_never_completes),
    ROW(list_completes_twice),
    ROW(list_completes_late),
    ROW(list_waits_for_cancel),
    {{"list_completes_elsewhere", join}, list_completes_elsewhere},
    {{"completes_after_destroy", complete_again}, completes_after_destroy},
    ROW(panics_in_list),
};

static void list_with_fault(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                            ccm_completion done) {
  ((const struct listing*)self)->list(self, ctx, request, done);
}
FAULTY_LIST("listings", list_with_fault)
