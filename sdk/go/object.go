package ccm

// #include "glue.h"
import "C"

import "sync"

// Object is a Node or Service as the host has it: the fields that plugin.json lists under "reads", and those that
// controllers read. It is empty once the operation that it came with has ended. A nil *Object is empty too.
type Object struct {
	lease  *lease
	object *C.ccm_object
}

// lease keeps the objects of one operation until it ends.
type lease struct {
	host    *Host
	mutex   sync.RWMutex
	ended   bool
	objects []*C.ccm_object
}

// object retains an object; nil for none. Before the operation's goroutine begins.
func (l *lease) object(object *C.ccm_object) *Object {
	if object == nil {
		return nil
	}
	C.ccm_go_retain(&l.host.services, object)
	l.objects = append(l.objects, object)
	return &Object{l, object}
}

// end gives all objects back.
func (l *lease) end() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.ended = true
	for _, object := range l.objects {
		C.ccm_go_release(&l.host.services, object)
	}
	l.objects = nil
}

// use runs f while the object is there.
func (o *Object) use(f func(host *Host)) {
	if o == nil {
		return
	}
	o.lease.mutex.RLock()
	defer o.lease.mutex.RUnlock()
	if !o.lease.ended {
		f(o.lease.host)
	}
}

// Text is a string's content at an RFC 6901 pointer ("/metadata/labels/topology.kubernetes.io~1zone"), or the JSON of a
// boolean or number.
func (o *Object) Text(pointer string) (text string, ok bool) {
	o.use(func(host *Host) {
		withArena(func(a *arena) {
			var found C.ccm_str
			if ok = C.ccm_go_text(&host.services, o.object, a.text(pointer), &found) != 0; ok {
				text = goString(found)
			}
		})
	})
	return text, ok
}

// JSON is the object with the fields that are kept, for encoding/json; nil when it is empty.
func (o *Object) JSON() (json []byte) {
	o.use(func(host *Host) { json = []byte(goString(C.ccm_go_json(&host.services, o.object))) })
	return json
}
