/* Fault: takes a write that ended with a refused credential for done, and never tries again. */
#define SWALLOWED(status) (status)->error_class == CCM_CLASS_AUTH
#include "swallowing.h"

FAULTY_CONTROLLER("swallows-refused-credential", setup_and_forget, label_once)
