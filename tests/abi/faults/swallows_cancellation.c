/* Fault: takes a write that ended with its cancellation for done, and never tries again. */
#define SWALLOWED(status) (status)->code == CCM_CODE_CANCELLED
#include "swallowing.h"

FAULTY_CONTROLLER("swallows-cancellation", setup_and_forget, label_once)
