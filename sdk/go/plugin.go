package ccm

// #include "glue.h"
import "C"

import (
	"context"
	"fmt"
	"io"
	"runtime/cgo"
	"sync"
	"unsafe"
)

// component is one provider that the host has.
type component struct {
	host      *Host
	provider  any
	functions C.uint32_t // a bit for each that the provider implements
	table     *C.ccm_go_component
}

var (
	registryMutex sync.Mutex
	registry      = map[string]func(*Host) (any, error){}
)

// Register names the function that makes the provider `name` of plugin.json; call it in init. The function must not
// block: a log-in belongs into Initialize. Its error ends the host with the message.
//
// The provider implements some of the interfaces of this package: at least one of InstanceLister, InstanceDescriber and
// InstanceGetter, and those that plugin.json names. A method of theirs with another signature ends the host, too; have
// the compiler tell of it before: `var _ ccm.LoadBalancers = (*cloud)(nil)`. If it is an io.Closer, Close is the last call it gets; it must not
// block, and logging is all of the host that it may still use.
func Register[P any](name string, make func(*Host) (P, error)) {
	registryMutex.Lock()
	defer registryMutex.Unlock()
	registry[name] = func(host *Host) (any, error) { return make(host) }
}

//export ccmGoCreate
func ccmGoCreate(_ C.ccm_ctx, request *C.ccm_create_request, done C.ccm_completion) {
	made, err := create(request)
	if err == nil {
		C.ccm_go_created(made.table, done)
		return
	}
	withArena(func(a *arena) {
		status := sized[C.ccm_status](a)
		a.fill(status, err)
		C.ccm_go_complete(done, status, nil)
	})
}

func create(from *C.ccm_create_request) (made *component, err error) {
	request, err := readRequest(from, 0)
	if err != nil {
		return nil, err
	}
	name := goString(request.component)
	registryMutex.Lock()
	make := registry[name]
	registryMutex.Unlock()
	if make == nil {
		return nil, &Error{Code: CodeNotFound, Message: fmt.Sprintf("no ccm.Register(%q, ...) was called", name)}
	}
	host := newHost(request.host)
	defer func() {
		if cause := recover(); cause != nil {
			host.logPanic(context.Background(), "create", cause)
			err = &Error{Code: CodeInternal, Message: fmt.Sprintf("the provider panicked: %v", cause)}
		}
		if err != nil {
			host.close()
		}
	}()
	provider, err := make(host)
	if err != nil {
		return nil, err
	}
	if err := checkMethods(provider); err != nil {
		return nil, err
	}
	made = &component{host: host, provider: provider, functions: functionsOf(provider)}
	handle := cgo.NewHandle(made)
	if made.table = C.ccm_go_component_new(C.uintptr_t(handle), made.functions); made.table == nil {
		handle.Delete()
		return nil, &Error{Code: CodeInternal, Message: "out of memory"}
	}
	return made, nil
}

func componentOf(handle C.uintptr_t) *component { return cgo.Handle(handle).Value().(*component) }

//export ccmGoOperation
func ccmGoOperation(handle C.uintptr_t, number C.uint32_t, ctx C.ccm_ctx, request unsafe.Pointer, done C.ccm_completion) {
	c := componentOf(handle)
	c.host.begin(ctx, done, func(op *operation) (work, error) {
		return operations[number].read(c.provider, op, request)
	})
}

//export ccmGoHasClusterID
func ccmGoHasClusterID(handle C.uintptr_t) C.ccm_bool {
	c := componentOf(handle)
	defer c.host.recovered("HasClusterID")
	return boolean(c.provider.(ClusterIDHolder).HasClusterID())
}

//export ccmGoOffers
func ccmGoOffers(handle C.uintptr_t, id *C.char) C.ccm_bool {
	c := componentOf(handle)
	defer c.host.recovered("Offers")
	return boolean(c.offers(C.GoString(id)))
}

//export ccmGoDestroy
func ccmGoDestroy(handle C.uintptr_t) {
	c := componentOf(handle)
	func() {
		defer c.host.recovered("Close")
		if closer, ok := c.provider.(io.Closer); ok {
			if err := closer.Close(); err != nil {
				c.host.Log(context.Background(), LevelError, "Failed to close the provider", "err", err)
			}
		}
	}()
	c.host.close()
	cgo.Handle(handle).Delete()
}

func boolean(value bool) C.ccm_bool {
	if value {
		return 1
	}
	return 0
}
