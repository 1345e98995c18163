package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"ccm"
)

// While an action runs on a load balancer or network, the next one is refused. Most take a second or two.
const lockedFor = time.Second

// The API says how many seconds a spent limit needs to be whole again, which is up to an hour; it fills by a call or more each
// second. The host spreads calls over that time by itself.
const throttledFor = 10 * time.Second

// apiError is a refusal, with the code by which the API names its cause.
type apiError struct {
	code  string
	fault *ccm.Error
}

func (e *apiError) Error() string { return e.fault.Message }
func (e *apiError) Unwrap() error { return e.fault }

// isCode says whether the API refused with one of these codes.
func isCode(err error, codes ...string) bool {
	var found *apiError
	if !errors.As(err, &found) {
		return false
	}
	for _, code := range codes {
		if found.code == code {
			return true
		}
	}
	return false
}

// isDryRun says whether a dry run recorded the request instead of sending it.
func isDryRun(err error) bool {
	var fault *ccm.Error
	return errors.As(err, &fault) && fault.Reason == "DryRun"
}

// refusal classes an answer of 300 or above by the API's code, and by its status where it has none.
func refusal(operation string, response *http.Response, body []byte) error {
	var said struct {
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	var fault *ccm.Error
	errors.As(ccm.HTTPFailure(operation, response), &fault)
	if ccm.CheckJSON(body, ccm.JSONLimits{}) == nil && json.Unmarshal(body, &said) == nil && said.Error.Code != "" {
		classify(said.Error.Code, fault)
		fault.Message = fmt.Sprintf("%s: %s (%s)", operation, ccm.OneLine(said.Error.Message, ccm.LongestAnswerText), said.Error.Code)
	}
	if fault.Class == ccm.ClassThrottled && fault.RetryAfter == 0 {
		fault.RetryAfter = throttledFor
	}
	return &apiError{said.Error.Code, fault}
}

// classify says what the host is to do about a code of the API, or of an action that failed.
func classify(code string, fault *ccm.Error) {
	switch code {
	case "locked":
		fault.Code, fault.Class, fault.RetryAfter = ccm.CodeUnavailable, ccm.ClassWaiting, lockedFor
	case "conflict":
		fault.Code, fault.Class = ccm.CodeAborted, ccm.ClassConflict
	case "rate_limit_exceeded":
		fault.Code, fault.Class = ccm.CodeResourceExhausted, ccm.ClassThrottled
	case "unauthorized", "token_readonly":
		fault.Code, fault.Class = ccm.CodeUnauthenticated, ccm.ClassAuth
	case "forbidden":
		fault.Code, fault.Class = ccm.CodePermissionDenied, ccm.ClassAuth
	case "resource_limit_exceeded", "no_subnet_available":
		fault.Code, fault.Class, fault.Reason = ccm.CodeResourceExhausted, ccm.ClassQuota, "LimitExceeded"
	case "resource_unavailable", "maintenance", "service_error", "server_error", "unavailable", "bad_gateway", "timeout":
		fault.Code, fault.Class = ccm.CodeUnavailable, ccm.ClassUnavailable
	case "invalid_input", "json_error", "uniqueness_error", "unsupported_error", "invalid_load_balancer_type", "ip_not_available",
		"source_port_already_used":
		fault.Code, fault.Class = ccm.CodeFailedPrecondition, ccm.ClassInvalidSpec
	case "protected", "resource_locked":
		fault.Code, fault.Class = ccm.CodeFailedPrecondition, ccm.ClassNone
	case "target_already_defined", "load_balancer_already_attached":
		fault.Code, fault.Class = ccm.CodeAborted, ccm.ClassConflict // what was read is out of date
	case "server_not_attached_to_network", "resolve_cloud_private_targets_error", "load_balancer_not_attached_to_network",
		"targets_without_use_private_ip", "missing_ipv4", "resolve_cloud_public_targets_error":
		fault.Code, fault.Class = ccm.CodeFailedPrecondition, ccm.ClassNone // the servers' networks change meanwhile
	}
}
