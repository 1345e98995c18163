package ccm

// #include "glue.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Code is one of gRPC's status codes, or CodeImplementedElsewhere. It is for people, metrics and tests; what the host
// does about an error follows from its Class.
type Code int32

// The codes of ccm/abi/status.h.
const (
	CodeOK                   Code = C.CCM_CODE_OK
	CodeCancelled            Code = C.CCM_CODE_CANCELLED
	CodeUnknown              Code = C.CCM_CODE_UNKNOWN
	CodeInvalidArgument      Code = C.CCM_CODE_INVALID_ARGUMENT
	CodeDeadlineExceeded     Code = C.CCM_CODE_DEADLINE_EXCEEDED
	CodeNotFound             Code = C.CCM_CODE_NOT_FOUND
	CodeAlreadyExists        Code = C.CCM_CODE_ALREADY_EXISTS
	CodePermissionDenied     Code = C.CCM_CODE_PERMISSION_DENIED
	CodeResourceExhausted    Code = C.CCM_CODE_RESOURCE_EXHAUSTED
	CodeFailedPrecondition   Code = C.CCM_CODE_FAILED_PRECONDITION
	CodeAborted              Code = C.CCM_CODE_ABORTED
	CodeOutOfRange           Code = C.CCM_CODE_OUT_OF_RANGE
	CodeUnimplemented        Code = C.CCM_CODE_UNIMPLEMENTED
	CodeInternal             Code = C.CCM_CODE_INTERNAL
	CodeUnavailable          Code = C.CCM_CODE_UNAVAILABLE
	CodeDataLoss             Code = C.CCM_CODE_DATA_LOSS
	CodeUnauthenticated      Code = C.CCM_CODE_UNAUTHENTICATED
	CodeImplementedElsewhere Code = C.CCM_CODE_IMPLEMENTED_ELSEWHERE // another program does this: leave it alone
)

// Class says what the host does about an error.
type Class int32

// The classes of ccm/abi/status.h.
const (
	ClassNone        Class = C.CCM_CLASS_NONE         // nothing is known about it: retried with back-off
	ClassInvalidSpec Class = C.CCM_CLASS_INVALID_SPEC // the object asks for something impossible: not before it changes
	ClassAuth        Class = C.CCM_CLASS_AUTH         // the credential was refused
	ClassQuota       Class = C.CCM_CLASS_QUOTA        // a limit of the account: slowly, and when the object changes
	ClassConflict    Class = C.CCM_CLASS_CONFLICT     // somebody else wrote: at once
	ClassThrottled   Class = C.CCM_CLASS_THROTTLED    // too many calls: after RetryAfter
	ClassUnavailable Class = C.CCM_CLASS_UNAVAILABLE  // the cloud is down or slow: with back-off
	ClassWaiting     Class = C.CCM_CLASS_WAITING      // no fault, the cloud still works on it: after RetryAfter
	ClassNotFound    Class = C.CCM_CLASS_NOT_FOUND    // it certainly does not exist
	ClassUnsupported Class = C.CCM_CLASS_UNSUPPORTED  // this cloud or plugin cannot do it: not before the object changes
)

// Reasons that the host gives, or that it knows.
const (
	ReasonContextEnded          = C.CCM_REASON_CONTEXT_ENDED           // the operation of this context has ended
	ReasonUnknownRequest        = C.CCM_REASON_UNKNOWN_REQUEST         // it asks for something that this plugin does not know
	ReasonNotLeading            = C.CCM_REASON_NOT_LEADING             // a write by a host that does not hold the Lease
	ReasonNotOwned              = C.CCM_REASON_NOT_OWNED               // it bears no mark of ours: nothing was changed
	ReasonCallBudgetSpent       = C.CCM_REASON_CALL_BUDGET_SPENT       // the call had to stand back: return the error as it is
	ReasonDeletionBrakeEngaged  = C.CCM_REASON_DELETION_BRAKE_ENGAGED  // too many deletions: held
	ReasonOperationNotCompleted = C.CCM_REASON_OPERATION_NOT_COMPLETED // an earlier one has not completed
)

// Error is how an operation of the provider fails, and how a service of the host did. Return the host's as they are, or
// wrapped with %w: the classification goes along.
type Error struct {
	Code       Code
	Class      Class
	RetryAfter time.Duration // 0 = not said
	Reason     string        // CamelCase, fit for the reason of an Event; may be empty
	Message    string        // for people, without secrets
}

// Error is the message.
func (e *Error) Error() string {
	switch {
	case e.Message != "":
		return e.Message
	case e.Reason != "":
		return e.Reason
	}
	return fmt.Sprintf("code %d", e.Code)
}

// InvalidConfig says that the configuration cannot be used; from Initialize it ends the host with the message.
func InvalidConfig(format string, arguments ...any) error {
	return &Error{Code: CodeInvalidArgument, Message: fmt.Sprintf(format, arguments...)}
}

// InvalidSpec says that the object asks for something impossible.
func InvalidSpec(format string, arguments ...any) error {
	return &Error{Code: CodeInvalidArgument, Class: ClassInvalidSpec, Message: fmt.Sprintf(format, arguments...)}
}

// NotFound says that the instance or load balancer certainly does not exist. Never say so of a cloud that did not answer.
func NotFound(format string, arguments ...any) error {
	return &Error{Code: CodeNotFound, Class: ClassNotFound, Message: fmt.Sprintf(format, arguments...)}
}

// NotOwned says that DeleteLoadBalancer left alone what the recorded id leads to, since it bears no mark of ours. From
// EnsureLoadBalancer and ObserveLoadBalancer return the state LoadBalancerForeign instead.
func NotOwned(format string, arguments ...any) error {
	return &Error{Code: CodeFailedPrecondition, Reason: ReasonNotOwned, Message: fmt.Sprintf(format, arguments...)}
}

// Unavailable says that the cloud, or what it said, cannot be used now.
func Unavailable(format string, arguments ...any) error {
	return &Error{Code: CodeUnavailable, Class: ClassUnavailable, Message: fmt.Sprintf(format, arguments...)}
}

// Waiting says that the cloud still works on it: the host comes back.
func Waiting(after time.Duration, format string, arguments ...any) error {
	return &Error{Code: CodeUnavailable, Class: ClassWaiting, RetryAfter: after, Message: fmt.Sprintf(format, arguments...)}
}

// Unsupported says that this provider cannot do it.
func Unsupported(format string, arguments ...any) error {
	return &Error{Code: CodeUnimplemented, Class: ClassUnsupported, Message: fmt.Sprintf(format, arguments...)}
}

// ImplementedElsewhere says that another program does it, which is no failure.
func ImplementedElsewhere(format string, arguments ...any) error {
	return &Error{Code: CodeImplementedElsewhere, Message: fmt.Sprintf(format, arguments...)}
}

// errorOf finds the classification of any error: the one in its chain, or that of an ended context. The message is the
// whole chain's. The provider's own methods of err are called here, and may panic.
func errorOf(err error) (found Error) {
	defer func() {
		if cause := recover(); cause != nil {
			found = Error{Code: CodeInternal, Message: fmt.Sprintf("the error of type %T panicked: %v", err, cause)}
		}
	}()
	var known *Error
	switch {
	case errors.As(err, &known) && known == nil:
		return Error{Code: CodeInternal, Message: "a nil *ccm.Error was returned as an error: return nil itself for a success"}
	case known != nil:
		found = *known
		found.Message = messageOf(err)
		if found.Code == CodeOK {
			found.Code = CodeUnknown
		}
		return found
	case errors.Is(err, context.DeadlineExceeded):
		return Error{Code: CodeDeadlineExceeded, Message: err.Error()}
	case errors.Is(err, context.Canceled):
		return Error{Code: CodeCancelled, Message: err.Error()}
	}
	return Error{Code: CodeUnknown, Message: err.Error()}
}

// messageOf leaves out what net/http puts before an error of the host's, which names method and URL itself.
func messageOf(err error) string {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		if inner, ok := wrapped.Err.(*Error); ok {
			return strings.Replace(err.Error(), wrapped.Error(), inner.Error(), 1)
		}
	}
	return err.Error()
}

// fill writes err into a status of the ABI; nil is a success.
func (a *arena) fill(status *C.ccm_status, err error) {
	if err == nil {
		return
	}
	e := errorOf(err)
	status.code = C.int32_t(e.Code)
	status.error_class = C.int32_t(e.Class)
	status.retry_after_ms = C.int64_t(e.RetryAfter.Milliseconds())
	status.reason = a.text(e.Reason)
	status.message = a.text(e.Message)
}

// errorFrom reads a status of the host's; nil for a success.
func errorFrom(status *C.ccm_status) error {
	if status.code == C.CCM_CODE_OK {
		return nil
	}
	return &Error{
		Code:       Code(status.code),
		Class:      Class(status.error_class),
		RetryAfter: time.Duration(status.retry_after_ms) * time.Millisecond,
		Reason:     goString(status.reason),
		Message:    goString(status.message),
	}
}

// Is says that a cancelled operation of the host's is context.Canceled, and one out of time context.DeadlineExceeded.
func (e *Error) Is(target error) bool {
	return e.Code == CodeCancelled && target == context.Canceled ||
		e.Code == CodeDeadlineExceeded && target == context.DeadlineExceeded
}
