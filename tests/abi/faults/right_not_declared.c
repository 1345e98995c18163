/* Fault: its manifest lacks the right to patch Nodes. */
#define FAULTY_RIGHTS                                                \
  ", \"rbac\": [{\"apiGroups\": [\"\"], \"resources\": [\"nodes\"]," \
  " \"verbs\": [\"list\", \"watch\"], \"optional\": true}]"
#include "labelling.h"

FAULTY_CONTROLLER("right-not-declared", setup_labels, label_node)
