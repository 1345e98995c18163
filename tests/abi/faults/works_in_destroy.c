/* Fault: adds a key to its queue in `destroy`. */
static void add_a_key(void* self);
#define FAULTY_DESTROY add_a_key
#include "labelling.h"

static void add_a_key(void* self) {
  (void)self;
  add_key(text("late"), CCM_PRIORITY_CHANGED, 0);
}
FAULTY_CONTROLLER("works-in-destroy", setup_labels, label_node)
