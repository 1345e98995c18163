#ifndef LOAD_BALANCERS_H
#define LOAD_BALANCERS_H

#include "api.h"

/* Operations of ccm_cloud_loadbalancers; `self` is a struct provider. */
void ensure_load_balancer(void *self, ccm_ctx ctx, const ccm_load_balancer_request *request, ccm_completion done);
void remove_load_balancer(void *self, ccm_ctx ctx, const ccm_load_balancer_request *request, ccm_completion done);

#endif
