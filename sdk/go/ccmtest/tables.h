/* The C half of ccmtest: the tables of its host, and calls of the plugin's. */
#ifndef CCM_GO_TABLES_H
#define CCM_GO_TABLES_H

#include <ccm/abi/config.h>
#include <ccm/abi/ctx.h>
#include <ccm/abi/event.h>
#include <ccm/abi/file.h>
#include <ccm/abi/hint.h>
#include <ccm/abi/http.h>
#include <ccm/abi/instances.h>
#include <ccm/abi/kube.h>
#include <ccm/abi/leader.h>
#include <ccm/abi/loadbalancers.h>
#include <ccm/abi/log.h>
#include <ccm/abi/metrics.h>
#include <ccm/abi/object.h>
#include <ccm/abi/owned.h>
#include <ccm/abi/plugin.h>
#include <ccm/abi/provider.h>
#include <ccm/abi/timer.h>

/* Calls of the plugin; `number` comes back with each completion, in testCompleted. */
void test_create(const char* name, uint64_t number);
ccm_bool test_offers(const ccm_component* component, const char* id);
void test_destroy(const ccm_component* component);
/* An operation by name; `extra` are bytes of a request that a plugin of today does not know. 0 =
 * not implemented. */
ccm_bool test_operation(const ccm_component* component, const char* name, uint64_t ctx,
                        uint32_t extra, uint64_t number);

void test_run(const ccm_callback* callback);
void test_drop(ccm_callback* callback); /* frees it too */
void test_complete(ccm_completion* done, const ccm_status* status, const void* result);

#endif
