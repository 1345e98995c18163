package ccm

// #include "glue.h"
import "C"

import (
	"context"
	"unsafe"
)

// ReadFile reads a whole regular file at an absolute path, of at most 1 MiB, outside of the host's own thread. Failures name
// the path: CodeNotFound, CodePermissionDenied, CodeResourceExhausted, CodeUnavailable.
func (h *Host) ReadFile(ctx context.Context, path string) (content []byte, err error) {
	child, end, err := h.childCtx(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	handle, answer := newAnswer(func(result unsafe.Pointer) {
		var file C.ccm_file
		C.ccm_go_copy(result, unsafe.Pointer(&file), C.size_t(unsafe.Sizeof(file)))
		content = []byte(goString(file.bytes))
	})
	withArena(func(a *arena) {
		request := sized[C.ccm_read_file_request](a)
		request.path = a.text(path)
		if C.ccm_go_read_file(&h.services, child, request, handle) == 0 {
			answer.refuse(handle, "the host reads no files")
		}
	})
	if err := answer.wait(ctx); err != nil {
		return nil, err
	}
	return content, nil
}

// WatchFile has f called each time that the file at that absolute path has other content, appeared or vanished, within 10 s,
// until stop is called. It is called in the host's own thread, where it must return within 10 ms. Not ok when the host refuses.
func (h *Host) WatchFile(path string, f func()) (stop func(), ok bool) {
	var registration C.uint64_t
	if !h.closed.Load() {
		withArena(func(a *arena) {
			registration = C.ccm_go_watch_file(&h.services, a.text(path), h.callback(f))
		})
	}
	return func() {
		if registration != 0 && !h.closed.Load() {
			C.ccm_go_unwatch_file(&h.services, registration)
		}
	}, registration != 0
}
