package ccm

// #include "glue.h"
import "C"

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync"
)

// Object is a Node or Service as the host has it: the fields that plugin.json lists under "reads", and those that
// controllers read. It is empty once the operation that it came with has ended. A nil *Object is empty too.
type Object struct {
	lease  *lease
	object *C.ccm_object
	own    []byte // of NewObject
}

// NewObject makes an object of its JSON, for tests: no host has it, and it does not end.
func NewObject(json string) *Object { return &Object{own: []byte(json)} }

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
	return &Object{lease: l, object: object}
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
	if o == nil || o.lease == nil {
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
	if o != nil && o.own != nil {
		return textIn(o.own, pointer)
	}
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
	if o != nil && o.own != nil {
		return append([]byte{}, o.own...)
	}
	o.use(func(host *Host) { json = []byte(goString(C.ccm_go_json(&host.services, o.object))) })
	return json
}

// textIn does what Text says, for NewObject.
func textIn(text []byte, pointer string) (string, bool) {
	var value any
	if json.Unmarshal(text, &value) != nil {
		return "", false
	}
	for _, step := range strings.Split(pointer, "/")[1:] {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		switch in := value.(type) {
		case map[string]any:
			value = in[step]
		case []any:
			place, err := strconv.Atoi(step)
			if err != nil || place < 0 || place >= len(in) {
				return "", false
			}
			value = in[place]
		default:
			return "", false
		}
	}
	switch found := value.(type) {
	case string:
		return found, true
	case bool, float64:
		written, _ := json.Marshal(found)
		return string(written), true
	}
	return "", false
}
