/* Fault: takes a write that ended with a refusal for done, and never tries again. */
#define SWALLOWED(status) (status)->error_class == CCM_CLASS_INVALID_SPEC
#include "swallowing.h"

FAULTY_CONTROLLER("swallows-refusal", setup_and_forget, label_once)
