package ccm

// #include "glue.h"
import "C"

import (
	"context"
	"fmt"
	"sync/atomic"
	"unsafe"
)

// work is one operation as the provider does it. The result is in the arena, nil where the ABI wants none; it counts
// beside an error where the ABI says so.
type work func(ctx context.Context, a *arena) (result unsafe.Pointer, err error)

// operation is one that the host has begun.
type operation struct {
	host      *Host
	ctx       context.Context
	endCtx    func()
	lease     lease
	done      C.ccm_completion
	completed atomic.Bool
}

// begin reads the request in the host's own thread, since it lives until this call returns, and does the work in a
// goroutine.
func (h *Host) begin(ctx C.ccm_ctx, done C.ccm_completion, read func(op *operation) (work, error)) {
	op := &operation{host: h, done: done}
	op.lease.host = h
	op.ctx, op.endCtx = h.newContext(ctx)
	todo, err := op.read(read)
	if err != nil {
		op.finish(&arena{}, nil, err)
		return
	}
	go op.run(todo)
}

func (op *operation) read(read func(op *operation) (work, error)) (todo work, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = op.panicked(cause)
		}
	}()
	return read(op)
}

func (op *operation) run(todo work) {
	a := &arena{}
	var result unsafe.Pointer
	err := error(&Error{Code: CodeInternal, Message: "the provider's operation called runtime.Goexit"})
	defer func() {
		if cause := recover(); cause != nil {
			result, err = nil, op.panicked(cause)
		}
		op.finish(a, result, err)
	}()
	result, err = todo(op.ctx, a)
}

func (op *operation) panicked(cause any) error {
	op.host.logPanic(op.ctx, "an operation", cause)
	return &Error{Code: CodeInternal, Message: fmt.Sprintf("the provider panicked: %v", cause)}
}

// finish completes the operation, once. Borrowed objects are given back first: as soon as the completion is called the host
// may destroy the component.
func (op *operation) finish(a *arena, result unsafe.Pointer, err error) {
	if op.completed.Swap(true) {
		return
	}
	op.endCtx()
	op.lease.end()
	defer a.release()
	status := sized[C.ccm_status](a)
	a.fill(status, err)
	C.ccm_go_complete(op.done, status, result)
}

// readRequest copies a request, or one of its parts, to Go. One with parts that are not known here is refused.
func readRequest[T any](from *T, knownFlags uint32) (to T, err error) {
	if from == nil {
		return to, &Error{Code: CodeInvalidArgument, Message: "the request lacks a part"}
	}
	if C.ccm_go_read(unsafe.Pointer(from), unsafe.Pointer(&to), C.size_t(unsafe.Sizeof(to)), C.uint32_t(knownFlags)) == 0 {
		return to, &Error{Code: CodeUnimplemented, Class: ClassUnsupported, Reason: ReasonUnknownRequest,
			Message: "the request has parts that this plugin does not know"}
	}
	return to, nil
}

// readParts does the same for an array of pointers to parts of a request.
func readParts[T, To any](list **T, count C.size_t, read func(*T) (To, error)) ([]To, error) {
	if count == 0 || list == nil {
		return nil, nil
	}
	result := make([]To, 0, int(count))
	for _, part := range unsafe.Slice(list, int(count)) {
		copied, err := read(part)
		if err != nil {
			return nil, err
		}
		result = append(result, copied)
	}
	return result, nil
}
