/* Fault: takes a write that ended with its deadline for done, and never tries again. */
#define SWALLOWED(status) (status)->code == CCM_CODE_DEADLINE_EXCEEDED
#include "swallowing.h"

FAULTY_CONTROLLER("swallows-deadline", setup_and_forget, label_once)
