package ccm

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// HTTPFailure is the failure that an HTTP answer stands for, or nil for one below 300: class, code and reason by its status,
// RetryAfter by its Retry-After, an hour at most. `operation` names what was asked ("ListMachines"). The body is left unread.
//
// A 404 gets CodeUnknown, since a wrong path gives one too: the host retries. DeleteLoadBalancer that returned CodeNotFound
// for it would have the host forget a load balancer that is still there. Return NotFound yourself where a 404 proves that
// the instance or load balancer does not exist. A 400 and a 422 are ClassInvalidSpec, and not InvalidConfig: from Initialize they do not end the
// host.
func HTTPFailure(operation string, response *http.Response) error {
	status := response.StatusCode
	if status < 300 {
		return nil
	}
	e := &Error{Message: fmt.Sprintf("%s: HTTP %d", operation, status)}
	if text := http.StatusText(status); text != "" {
		e.Message += " " + text
	}
	switch {
	case status == http.StatusUnauthorized:
		e.Code, e.Class, e.Reason = CodeUnauthenticated, ClassAuth, "CloudCredentialRefused"
	case status == http.StatusPaymentRequired:
		e.Code, e.Class, e.Reason = CodeResourceExhausted, ClassQuota, "CloudQuotaReached"
	case status == http.StatusForbidden:
		e.Code, e.Class, e.Reason = CodePermissionDenied, ClassAuth, "CloudPermissionDenied"
	case status == http.StatusConflict || status == http.StatusPreconditionFailed:
		e.Code, e.Class, e.Reason = CodeAborted, ClassConflict, "CloudConflict"
	case status == http.StatusBadRequest || status == http.StatusUnprocessableEntity:
		e.Code, e.Class, e.Reason = CodeFailedPrecondition, ClassInvalidSpec, "CloudRefused"
	case status == http.StatusTooManyRequests:
		e.Code, e.Class, e.Reason = CodeResourceExhausted, ClassThrottled, "CloudThrottled"
	case status == http.StatusNotImplemented:
		e.Code, e.Class, e.Reason = CodeUnimplemented, ClassUnsupported, "CloudUnsupported"
	case status >= 500 || status == http.StatusRequestTimeout:
		e.Code, e.Class, e.Reason = CodeUnavailable, ClassUnavailable, "CloudUnavailable"
	default: // 404 too
		e.Code, e.Reason = CodeUnknown, "UnexpectedCloudAnswer"
	}
	e.RetryAfter = RetryAfter(response)
	return e
}

// HTTPError is HTTPFailure under its first name.
//
// Deprecated: use HTTPFailure, which the other SDKs have under the same name.
func HTTPError(operation string, response *http.Response) error {
	return HTTPFailure(operation, response)
}

// longestRetryAfter is the longest pause that an answer may ask for.
const longestRetryAfter = time.Hour

// RetryAfter is the pause that an answer asks for by its Retry-After, in seconds or as a date: an hour at most, also where the
// number fits no integer. 0 for all else: a negative number, a date that has passed, garbage, nothing.
func RetryAfter(response *http.Response) time.Duration {
	return retryAfter(response.Header.Get("Retry-After"))
}

func retryAfter(text string) time.Duration {
	seconds, err := strconv.ParseUint(strings.TrimSpace(text), 10, 32)
	if err == nil && seconds < uint64(longestRetryAfter/time.Second) {
		return time.Duration(seconds) * time.Second
	}
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return longestRetryAfter
	}
	date, err := http.ParseTime(text)
	if err != nil || !date.After(time.Now()) {
		return 0
	}
	if pause := time.Until(date); pause < longestRetryAfter {
		return pause
	}
	return longestRetryAfter
}
