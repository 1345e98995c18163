#ifndef MACHINES_H
#define MACHINES_H

#include "api.h"

/* Ends the operation with every machine, or with success alone. */
void list_machines(const struct provider *provider, ccm_ctx ctx, ccm_bool with_result, ccm_completion done);

#endif
