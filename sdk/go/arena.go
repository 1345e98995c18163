package ccm

// #include <stdlib.h>
// #include "glue.h"
import "C"

import (
	"sync"
	"unsafe"
)

const chunkSize = 32 << 10

// arena is C memory for what goes to the host, which may not see pointers into Go's: the arguments of one call, or the
// result of one operation. It is freed as a whole when the call or the completion has returned.
type arena struct {
	chunks []unsafe.Pointer
	free   []byte // what is left of the last chunk
}

// take gives zeroed memory, aligned for any struct of the ABI.
func (a *arena) take(size uintptr) unsafe.Pointer {
	size = (size + 7) &^ 7
	if size > uintptr(len(a.free)) {
		room := size
		if room < chunkSize {
			room = chunkSize
		}
		chunk := C.calloc(1, C.size_t(room)) // never nil: cgo ends the process when memory runs out
		a.chunks = append(a.chunks, chunk)
		a.free = unsafe.Slice((*byte)(chunk), room)
	}
	taken := unsafe.Pointer(&a.free[0])
	a.free = a.free[size:]
	return taken
}

// release frees everything that was taken.
func (a *arena) release() {
	for _, chunk := range a.chunks {
		C.free(chunk)
	}
	a.chunks, a.free = nil, nil
}

// text copies a string.
func (a *arena) text(s string) (to C.ccm_str) {
	if s == "" {
		return to
	}
	memory := a.take(uintptr(len(s)))
	copy(unsafe.Slice((*byte)(memory), len(s)), s)
	to.ptr, to.len = (*C.char)(memory), C.size_t(len(s))
	return to
}

// array gives room for n values; nil for none.
func array[T any](a *arena, n int) []T {
	if n == 0 {
		return nil
	}
	var element T
	return unsafe.Slice((*T)(a.take(unsafe.Sizeof(element)*uintptr(n))), n)
}

// first is the address of an array as the ABI wants it.
func first[T any](values []T) *T {
	if len(values) == 0 {
		return nil
	}
	return &values[0]
}

// sized gives room for a struct that begins with its size, and fills that in.
func sized[T any](a *arena) *T {
	var value T
	made := a.take(unsafe.Sizeof(value))
	*(*C.uint32_t)(made) = C.uint32_t(unsafe.Sizeof(value))
	return (*T)(made)
}

// texts copies a list of strings.
func (a *arena) texts(list []string) (*C.ccm_str, C.size_t) {
	copies := array[C.ccm_str](a, len(list))
	for i, s := range list {
		copies[i] = a.text(s)
	}
	return first(copies), C.size_t(len(copies))
}

// pairs copies a map, in no particular order.
func (a *arena) pairs(m map[string]string) (*C.ccm_key_value, C.size_t) {
	copies := array[C.ccm_key_value](a, len(m))
	i := 0
	for key, value := range m {
		copies[i].key, copies[i].value = a.text(key), a.text(value)
		i++
	}
	return first(copies), C.size_t(len(copies))
}

// withArena runs one call whose arguments are in an arena.
func withArena(call func(a *arena)) {
	a := arenas.Get().(*arena)
	defer arenas.Put(a)
	defer a.release()
	call(a)
}

var arenas = sync.Pool{New: func() any { return new(arena) }}

// goString copies a text of the host's.
func goString(s C.ccm_str) string {
	if s.ptr == nil || s.len == 0 {
		return ""
	}
	return string(unsafe.Slice((*byte)(unsafe.Pointer(s.ptr)), uintptr(s.len)))
}

// goStrings copies a list of texts.
func goStrings(list *C.ccm_str, count C.size_t) []string {
	return convert(list, count, goString)
}

// convert copies an array of the host's, element by element.
func convert[From, To any](list *From, count C.size_t, copied func(From) To) []To {
	if count == 0 || list == nil {
		return nil
	}
	result := make([]To, 0, int(count))
	for _, element := range unsafe.Slice(list, int(count)) {
		result = append(result, copied(element))
	}
	return result
}
