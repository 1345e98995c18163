/* Fault: takes a write that ended with a conflict for done, and never tries again. */
#define SWALLOWED(status) (status)->error_class == CCM_CLASS_CONFLICT
#include "swallowing.h"

FAULTY_CONTROLLER("swallows-conflict", setup_and_forget, label_once)
