package ccm

// #include "glue.h"
import "C"

import "time"

// Now is the host's wall clock.
func (h *Host) Now() time.Time {
	if h.closed.Load() {
		return time.Time{}
	}
	return time.UnixMilli(int64(C.ccm_go_wall_clock_ms(&h.services)))
}

// After calls f once after a delay, in the host's own thread, where it must return within 10 ms. stop gives it up; f
// may just be running then.
func (h *Host) After(delay time.Duration, f func()) (stop func()) {
	if h.closed.Load() {
		return func() {}
	}
	timer := C.ccm_go_after(&h.services, C.int64_t(delay.Milliseconds()), h.callback(f))
	return func() {
		if !h.closed.Load() {
			C.ccm_go_cancel_timer(&h.services, timer)
		}
	}
}
