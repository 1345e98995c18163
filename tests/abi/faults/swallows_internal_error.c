/* Fault: takes a write that ended with a failure without class for done, and never tries again. */
#define SWALLOWED(status) (status)->code == CCM_CODE_INTERNAL
#include "swallowing.h"

FAULTY_CONTROLLER("swallows-internal-error", setup_and_forget, label_once)
