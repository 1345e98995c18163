package ccm

// #include "glue.h"
import "C"

import (
	"context"
	"math"
	"sync/atomic"
	"time"
)

type scopeKey struct{}

// scope ties a context.Context to the ctx of the host's from which it derives.
type scope struct {
	ctx   C.ccm_ctx
	ended atomic.Bool // its operation was completed
}

// newContext derives a context from a ctx: with its deadline, cancelled when it ends or when `end` is called.
func (h *Host) newContext(ctx C.ccm_ctx) (derived context.Context, end func()) {
	s := &scope{ctx: ctx}
	parent := context.WithValue(context.Background(), scopeKey{}, s)
	var cancel context.CancelFunc
	if left := int64(C.ccm_go_remaining_ms(&h.services, ctx)); left < math.MaxInt64 {
		derived, cancel = context.WithTimeout(parent, milliseconds(left))
	} else {
		derived, cancel = context.WithCancel(parent)
	}
	C.ccm_go_on_end(&h.services, ctx, h.callback(cancel))
	return derived, func() {
		s.ended.Store(true)
		cancel()
	}
}

// hostCtx is the ctx for a service of the host's; none for a context that derives from no operation.
func (h *Host) hostCtx(ctx context.Context) (found C.ccm_ctx, err error) {
	s, _ := ctx.Value(scopeKey{}).(*scope)
	if h.closed.Load() {
		return found, &Error{Code: CodeFailedPrecondition, Reason: ReasonContextEnded, Message: "the component has ended"}
	}
	if s != nil && s.ended.Load() {
		return found, &Error{Code: CodeFailedPrecondition, Reason: ReasonContextEnded, Message: "the operation of this context has ended"}
	}
	if err := ctx.Err(); err != nil || s == nil {
		return found, err
	}
	return s.ctx, nil
}

// childCtx is a ctx of the host's that has the deadline of ctx, and ends with it or by `end`.
func (h *Host) childCtx(ctx context.Context) (child C.ccm_ctx, end func(), err error) {
	parent, err := h.hostCtx(ctx)
	if err != nil {
		return child, nil, err
	}
	left := int64(math.MaxInt64)
	if deadline, ok := ctx.Deadline(); ok {
		left = time.Until(deadline).Milliseconds() + 1
	}
	child = C.ccm_go_with_timeout(&h.services, parent, C.int64_t(left))
	return child, func() { C.ccm_go_cancel(&h.services, child) }, nil
}

// milliseconds is a duration, without overflow.
func milliseconds(count int64) time.Duration {
	if count > math.MaxInt64/int64(time.Millisecond) {
		return math.MaxInt64
	}
	return time.Duration(count) * time.Millisecond
}
