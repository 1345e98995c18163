/* Fault: `create` succeeds with nothing. */
#include <ccm/abi/plugin.h>

#include <stddef.h>

static void nothing(const ccm_host* host, ccm_str component, ccm_completion done) {
  (void)host;
  (void)component;
  done.fn(done.owner, done.operation, NULL, NULL);
}
#define FAULTY_CREATE nothing
#include "faulty.h"

FAULTY_LIST("no-component", NULL)
