/* Fault: takes a write that ended with too many requests for done, and never tries again. */
#define SWALLOWED(status) (status)->error_class == CCM_CLASS_THROTTLED
#include "swallowing.h"

FAULTY_CONTROLLER("swallows-throttling", setup_and_forget, label_once)
