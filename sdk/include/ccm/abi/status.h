/*
 * How an operation ended, and the completion by which it says so.
 *
 * R-30 A component completes each operation exactly once, inside the call or later, from any thread. The host copies
 *      what it needs before the completion returns, and only posts, so there is no re-entrancy.
 * R-31 A second, late or invented completion is counted and dropped: its number carries a generation. After `destroy`
 *      too.
 * R-32 The host completes each operation that a component starts exactly once, in [serial] and never inside the call
 *      that started it, with two exceptions: ccm_host_http.send_wait, and R-33.
 * R-33 Every operation that a component started has been completed before its `destroy` is called. One that is started
 *      in `destroy`, or by a stray thread after it, is refused inside the call with CCM_CODE_FAILED_PRECONDITION.
 * R-34 In a component with blocking operations a completion by the host comes in [serial] as well, in parallel with the
 *      thread that waits for it, and should do no more than to wake that one.
 * R-35 Every operation may end with CANCELLED or DEADLINE_EXCEEDED (its ctx ended), UNIMPLEMENTED,
 *      INVALID_ARGUMENT (a request that contradicts its header), FAILED_PRECONDITION and INTERNAL (a
 *      fault of the other side). The comments of operations name further ones under ERRORS.
 * R-36 `result` points to the type that the operation's comment names under RESULT, and is NULL where that is NULL.
 *      With another code than OK it is NULL too, unless the comment says "also with a failure".
 * R-37 Only the classes say what the caller does about a failure; the code and the reason are for people, metrics and
 *      tests.
 */
#ifndef CCM_ABI_STATUS_H
#define CCM_ABI_STATUS_H

#include "ccm/abi/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Values of ccm_status.code: gRPC's numbers; our own start at 100. Any other counts as UNKNOWN. [since 1.0] */
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

/*
 * Values of ccm_status.error_class: what the caller should do. "Permanent" = not retried until the object changes. Any
 * other counts as NONE. Where an operation is for no single object: a failed `initialize` is repeated with back-off, or
 * after retry_after_ms, whatever its class. A listing of instances that failed with UNAVAILABLE is asked for again after
 * 5 s, with AUTH after 10 s, with THROTTLED after retry_after_ms, 5 s to 60 s; with any other class, NONE included, only
 * when a controller needs it. So UNAVAILABLE is the class for a cloud that is down: Nodes wait for no back-off of their
 * own then, since all that failed is retried as soon as a listing succeeds. [since 1.0]
 */
enum {
  CCM_CLASS_NONE = 0,         /* success, or a fault of which nothing is known: retried with back-off */
  CCM_CLASS_INVALID_SPEC = 1, /* permanent: the object asks for something impossible */
  CCM_CLASS_AUTH = 2,         /* the credential was refused: retried, not before 10 s have passed */
  /* A limit of the account is reached, which somebody may raise at any time: retried when the object changes, and after
   * retry_after_ms, or 10 minutes where that is 0. */
  CCM_CLASS_QUOTA = 3,
  CCM_CLASS_CONFLICT = 4,    /* somebody else wrote: read again, then retry at once */
  CCM_CLASS_THROTTLED = 5,   /* too many calls: wait retry_after_ms */
  CCM_CLASS_UNAVAILABLE = 6, /* it does not answer, or slowly: retried with back-off */
  CCM_CLASS_WAITING = 7,     /* no fault: the cloud still works on it; come back after retry_after_ms */
  CCM_CLASS_NOT_FOUND = 8,   /* the thing itself does not exist, and the answer is certain */
  CCM_CLASS_UNSUPPORTED = 9  /* permanent: this cloud or plugin cannot do it */
};

/* Reasons that the host gives. */
#define CCM_REASON_WRONG_THREAD "WrongThread" /* */
#define CCM_REASON_CONTEXT_ENDED "ContextEnded" /* */
#define CCM_REASON_UNKNOWN_REQUEST "UnknownRequest" /* */
#define CCM_REASON_NOT_LEADING "NotLeading" /* a write by a host that does not hold the Lease */
#define CCM_REASON_NOT_OWNED "NotOwned" /* it bears no mark of ours: nothing was changed */
#define CCM_REASON_CALL_BUDGET_SPENT "CallBudgetSpent" /* ccm/abi/http.h */
#define CCM_REASON_DELETION_BRAKE_ENGAGED "DeletionBrakeEngaged" /* too many deletions: held, class WAITING */
/* A dry run recorded the write and did not send it. Further writes that do not need its answer may follow, so that it
 * records them as well; then the operation ends with this status. */
#define CCM_REASON_DRY_RUN "DryRun"
#define CCM_REASON_OPERATION_NOT_COMPLETED "OperationNotCompleted" /* an earlier one has the turn: class WAITING */

/* OWNERSHIP: the strings belong to the maker of the status and live as long as the call in which it is passed.
 * [result] [since 1.0] */
typedef struct ccm_status {
  uint32_t size;
  int32_t code;        /* a status that ends before it is INTERNAL */
  int32_t error_class;
  uint32_t flags;         /* 0 */
  int64_t retry_after_ms; /* 0 = not said; the host takes a year at most, ten minutes of THROTTLED and UNAVAILABLE */
  ccm_str reason;         /* CamelCase, fit for the reason of a Kubernetes Event; may be empty */
  ccm_str message;        /* for people; may hold the cloud's request id, never a secret */
} ccm_status;

/* Ends one operation. A component calls the host's on any thread, the host calls a component's in [serial].
 * [any-thread] [null: result, owner] [since 1.0] */
typedef void (*ccm_completion_fn)(void *owner, uint64_t operation, const ccm_status *status, const void *result);

/* Passed by value. [frozen] [since 1.0] */
typedef struct ccm_completion {
  ccm_completion_fn fn;
  void *owner;        /* [null] */
  uint64_t operation; /* of whoever made the completion; passed back as it is */
} ccm_completion;

#ifdef __cplusplus
}
#endif

#endif
