package ccm

// #include "glue.h"
import "C"

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Host is what the host offers to a provider. Its methods may be called in any goroutine, until Close of the provider
// has returned; after that they fail, or do nothing.
type Host struct {
	services C.ccm_go_services // of the host; pointers into its memory only
	closed   atomic.Bool

	background context.Context // ends when the component does
	end        context.CancelFunc
	goroutines sync.WaitGroup

	configMutex sync.Mutex
	config      *string // --cloud-config as it is now
	onConfig    []func()
	clusterUID  *string // nil = not asked yet
}

func newHost(host *C.ccm_host) *Host {
	h := &Host{}
	C.ccm_go_find_services(host, &h.services)
	h.background, h.end = context.WithCancel(context.Background())
	h.readConfig()
	C.ccm_go_on_change(&h.services, h.callback(h.configChanged))
	return h
}

// Go runs f in a goroutine whose ctx ends when the component does; the host waits for f then. A panic in it is logged
// and ends that goroutine alone.
func (h *Host) Go(f func(ctx context.Context)) {
	h.goroutines.Add(1)
	go func() {
		defer h.goroutines.Done()
		defer h.recovered("a goroutine")
		f(h.background)
	}()
}

// close ends what Go started. The host wants an answer within 10 ms; a goroutine that ignores its context costs more.
func (h *Host) close() {
	h.end()
	ended := make(chan struct{})
	go func() {
		h.goroutines.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		h.Log(context.Background(), LevelError, "A goroutine goes on after the end of its context")
	}
	h.closed.Store(true)
}

// recovered is deferred: it turns a panic into a line of the log.
func (h *Host) recovered(where string) {
	if cause := recover(); cause != nil {
		h.logPanic(context.Background(), where, cause)
	}
}

func (h *Host) logPanic(ctx context.Context, where string, cause any) {
	h.Log(ctx, LevelError, "Panic in the plugin", "where", where, "err", fmt.Sprint(cause), "stack", string(debug.Stack()))
}
