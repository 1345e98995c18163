/* Fault: takes a write that ended with the loss of the Lease for done, and never tries again. */
#define SWALLOWED(status) (status)->code == CCM_CODE_FAILED_PRECONDITION
#include "swallowing.h"

FAULTY_CONTROLLER("swallows-lost-lease", setup_and_forget, label_once)
