/* Fault: addresses and labels that are no UTF-8. */
#include "faulty.h"

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  (void)request;
  ccm_node_address addresses[2];
  ccm_key_value label;
  ccm_instance faulty = machine("node-1", "faulty://1");
  (void)self;
  (void)ctx;
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
FAULTY_LIST("garbage-texts", list)
