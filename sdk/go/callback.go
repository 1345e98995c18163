package ccm

// #include "glue.h"
import "C"

import (
	"context"
	"runtime/cgo"
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

// answer waits for the completion of one operation of the host's. A result is copied by `read` while it lives.
type answer struct {
	read func(result unsafe.Pointer)
	done chan error
}

// newAnswer gives a handle for ccm_completion.owner. The host completes it exactly once.
func newAnswer(read func(result unsafe.Pointer)) (C.uintptr_t, *answer) {
	made := &answer{read, make(chan error, 1)}
	return C.uintptr_t(cgo.NewHandle(made)), made
}

//export ccmGoDone
func ccmGoDone(handle C.uintptr_t, status *C.ccm_status, result unsafe.Pointer) {
	made := cgo.Handle(handle).Value().(*answer)
	cgo.Handle(handle).Delete()
	err := errorFrom(status)
	if err == nil && result != nil {
		made.read(result)
	}
	made.done <- err
}

// refuse takes the place of the host, which does not have the service.
func (w *answer) refuse(handle C.uintptr_t, message string) {
	cgo.Handle(handle).Delete()
	w.done <- &Error{Code: CodeUnimplemented, Class: ClassUnsupported, Message: message}
}

// wait waits for the completion, or for the end of ctx: what comes after that is dropped.
func (w *answer) wait(ctx context.Context) error {
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
