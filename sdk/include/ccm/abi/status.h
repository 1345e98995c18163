/*
 * How an operation ended, and the completion by which it says so.
 */
#ifndef CCM_ABI_STATUS_H
#define CCM_ABI_STATUS_H

#include "ccm/abi/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Values of ccm_status.code: gRPC's numbers; our own start at 100. */
enum {
  CCM_CODE_OK = 0,
  CCM_CODE_CANCELLED = 1,
  CCM_CODE_UNKNOWN = 2,
  CCM_CODE_INVALID_ARGUMENT = 3,
  CCM_CODE_DEADLINE_EXCEEDED = 4,
  CCM_CODE_NOT_FOUND = 5,
  CCM_CODE_ALREADY_EXISTS = 6,
  CCM_CODE_PERMISSION_DENIED = 7,
  CCM_CODE_RESOURCE_EXHAUSTED = 8,
  CCM_CODE_FAILED_PRECONDITION = 9,
  CCM_CODE_ABORTED = 10,
  CCM_CODE_OUT_OF_RANGE = 11,
  CCM_CODE_UNIMPLEMENTED = 12,
  CCM_CODE_INTERNAL = 13,
  CCM_CODE_UNAVAILABLE = 14,
  CCM_CODE_DATA_LOSS = 15,
  CCM_CODE_UNAUTHENTICATED = 16,
  /* Another program does this (upstream's ImplementedElsewhere): leave it alone, it is no error. */
  CCM_CODE_IMPLEMENTED_ELSEWHERE = 100
};

/* Values of ccm_status.error_class: what the caller should do. "Permanent" = not retried until the object changes. */
enum {
  CCM_CLASS_NONE = 0,         /* success, or a fault of which nothing is known: retried with back-off */
  CCM_CLASS_INVALID_SPEC = 1, /* permanent: the object asks for something impossible */
  CCM_CLASS_AUTH = 2,         /* the credential was refused: retried, not before 10 s have passed */
  CCM_CLASS_QUOTA = 3,        /* permanent: a limit of the account is reached */
  CCM_CLASS_CONFLICT = 4,     /* somebody else wrote: read again, then retry at once */
  CCM_CLASS_THROTTLED = 5,    /* too many calls: wait retry_after_ms */
  CCM_CLASS_UNAVAILABLE = 6,  /* the other side is down or slow: retried with back-off */
  CCM_CLASS_WAITING = 7,      /* no fault: the cloud still works on it; come back after retry_after_ms */
  CCM_CLASS_NOT_FOUND = 8,    /* the thing itself does not exist, and the answer is certain */
  CCM_CLASS_UNSUPPORTED = 9   /* permanent: this cloud or plugin cannot do it */
};

/* OWNERSHIP: the strings belong to who made the status and live as long as the call in which it is passed. */
typedef struct ccm_status {
  uint32_t size;
  int32_t code;
  int32_t error_class;
  uint32_t reserved;       /* 0 */
  int64_t retry_after_ms;  /* 0 = not said; more than a year counts as one */
  ccm_str reason;          /* CamelCase, fit for the reason of a Kubernetes Event; may be empty */
  ccm_str message;         /* for people; may hold the cloud's request id, never a secret */
} ccm_status;

/*
 * Ends one operation. `result` points to the type that the operation's comment names under RESULT, or is NULL when
 * `status->code` is not CCM_CODE_OK (unless that comment says otherwise).
 *
 * A component calls the host's function exactly once, inside the operation or later, from any thread [any-thread];
 * the host copies what it needs before the function returns, and only posts, so there is no re-entrancy.
 * A second or late call is counted and dropped: `operation` carries a generation.
 * In the other direction the host calls a component's function exactly once [serial], never inside the call that
 * started the operation. Exception: a component with blocking operations gets it on the host's loop as well, and must
 * do no more there than to wake the thread that waits.
 */
typedef void (*ccm_completion_fn)(void *owner, uint64_t operation, const ccm_status *status, const void *result);

/* Frozen. Passed by value. */
typedef struct ccm_completion {
  ccm_completion_fn fn;
  void *owner;
  uint64_t operation;
} ccm_completion;

#ifdef __cplusplus
}
#endif

#endif
