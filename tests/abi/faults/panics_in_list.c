/* Fault: unwinds as the panic of another language would, with an exception that is none of C++. */
#include "faulty.h"

#include <unwind.h>

static struct _Unwind_Exception panic;

static void clean_up(_Unwind_Reason_Code reason, struct _Unwind_Exception* exception) {
  (void)reason;
  (void)exception;
}

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  (void)request;
  (void)self;
  (void)ctx;
  memcpy(&panic.exception_class, "MOZ\0RUST", 8);
  panic.exception_cleanup = clean_up;
  _Unwind_RaiseException(&panic);
  end_with(done, CCM_CODE_INTERNAL, "nobody caught the panic", NULL);
}
FAULTY_LIST("panics-in-list", list)
