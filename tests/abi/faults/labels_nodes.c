/* No fault: the controller of which the others are made. */
#include "labelling.h"

FAULTY_CONTROLLER("labels-nodes", setup_labels, label_node)
