/* Fault: deletes a Node whose instance is neither running nor switched off. */
#define GONE(status, state)                                            \
  ((status)->code == CCM_CODE_OK && (state) != CCM_INSTANCE_RUNNING && \
   (state) != CCM_INSTANCE_SHUTDOWN && (state) != CCM_INSTANCE_STARTING)
#include "deleting.h"

FAULTY_CONTROLLER("deletes-unknown-machines", setup_nodes, ask)
