/* Fault: deletes a Node whose instance could not be asked for. */
#define GONE(status, state) \
  ((status)->code == CCM_CODE_UNAVAILABLE || (state) == CCM_INSTANCE_ABSENT)
#include "deleting.h"

FAULTY_CONTROLLER("deletes-when-listing-fails", setup_nodes, ask)
