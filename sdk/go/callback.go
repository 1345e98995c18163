package ccm

// #include "glue.h"
import "C"

import (
	"context"
	"runtime/cgo"
	"sync/atomic"
	"unsafe"
)

// callback is a function that the host calls, once or often, until it drops it.
type callback struct {
	host *Host
	call func()
}

// callback gives a handle for ccm_callback.owner. The host drops it exactly once, whatever happens.
func (h *Host) callback(call func()) C.uintptr_t {
	return C.uintptr_t(cgo.NewHandle(&callback{h, call}))
}

//export ccmGoRun
func ccmGoRun(handle C.uintptr_t) {
	made := cgo.Handle(handle).Value().(*callback)
	defer made.host.recovered("a callback")
	made.call()
}

//export ccmGoDrop
func ccmGoDrop(handle C.uintptr_t) {
	cgo.Handle(handle).Delete()
}

// answer waits for the completion of one operation of the host's. A result is copied by `read` while it lives; `unwanted`
// gives back what it brought when nobody waits any more, and may be nil.
type answer struct {
	read     func(result unsafe.Pointer)
	unwanted func()
	done     chan error
	settled  atomic.Bool // by the completion, or by a waiter that gave up: the first one counts
}

// newAnswer gives a handle for ccm_completion.owner. The host completes it exactly once.
func newAnswer(read func(result unsafe.Pointer)) (C.uintptr_t, *answer) {
	made := &answer{read: read, done: make(chan error, 1)}
	return C.uintptr_t(cgo.NewHandle(made)), made
}

//export ccmGoDone
func ccmGoDone(handle C.uintptr_t, status *C.ccm_status, result unsafe.Pointer) {
	made := cgo.Handle(handle).Value().(*answer)
	cgo.Handle(handle).Delete()
	made.complete(errorFrom(status), result)
}

func (w *answer) complete(err error, result unsafe.Pointer) {
	waitedFor := w.settled.CompareAndSwap(false, true)
	if err == nil && result != nil && (waitedFor || w.unwanted != nil) {
		w.read(result)
		if !waitedFor {
			w.unwanted()
		}
	}
	w.done <- err
}

// refuse takes the place of the host, which does not have the service.
func (w *answer) refuse(handle C.uintptr_t, message string) {
	cgo.Handle(handle).Delete()
	w.done <- &Error{Code: CodeUnimplemented, Class: ClassUnsupported, Message: message}
}

// wait waits for the completion, or for the end of ctx: what comes after that is dropped, as `unwanted` does it.
func (w *answer) wait(ctx context.Context) error {
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
		if w.settled.CompareAndSwap(false, true) {
			return ctx.Err()
		}
		return <-w.done // it is just being completed
	}
}
