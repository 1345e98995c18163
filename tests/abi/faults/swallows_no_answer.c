/* Fault: takes a write that ended with no answer for done, and never tries again. */
#define SWALLOWED(status) (status)->error_class == CCM_CLASS_UNAVAILABLE
#include "swallowing.h"

FAULTY_CONTROLLER("swallows-no-answer", setup_and_forget, label_once)
