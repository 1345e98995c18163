package ccm

// #include <stdlib.h>
// #include "glue.h"
import "C"

import "unsafe"

// Flag is the value in force of a flag, named without dashes: one of the host's, or of those that plugin.json declares.
func (h *Host) Flag(name string) (value string, ok bool) {
	withArena(func(a *arena) {
		var text C.ccm_str
		if ok = !h.closed.Load() && C.ccm_go_flag(&h.services, a.text(name), &text) != 0; ok {
			value = goString(text)
		}
	})
	return value, ok
}

// FlagGiven says whether the user gave the flag, rather than leaving its default.
func (h *Host) FlagGiven(name string) (given bool) {
	withArena(func(a *arena) {
		given = !h.closed.Load() && C.ccm_go_flag_given(&h.services, a.text(name)) != 0
	})
	return given
}

// Secret reads the file that the environment variable NAME_FILE points to, or the variable NAME; each time, so that
// rotation needs no restart. Never log it.
func (h *Host) Secret(name string) (value string, ok bool) {
	withArena(func(a *arena) {
		value, ok = secretIn(a, func(buffer []byte) int {
			if h.closed.Load() {
				return -1
			}
			return int(C.ccm_go_secret(&h.services, a.text(name), (*C.char)(unsafe.Pointer(&buffer[0])), C.size_t(len(buffer))))
		})
	})
	return value, ok
}

// secretIn reads a secret into a buffer that fits: `fetch` fills one, and gives the length that is needed, -1 for none. No
// buffer keeps what it held when the arena is freed.
func secretIn(a *arena, fetch func(buffer []byte) int) (value string, ok bool) {
	for capacity := 512; ; {
		buffer := unsafe.Slice((*byte)(a.take(uintptr(capacity))), capacity)
		length := fetch(buffer)
		if 0 <= length && length <= capacity {
			value, ok = string(buffer[:length]), true
		}
		for i := range buffer {
			buffer[i] = 0
		}
		if length <= capacity {
			return value, ok
		}
		capacity = length
	}
}

// CloudConfig is the content of --cloud-config as it is now; not ok when the flag is empty.
func (h *Host) CloudConfig() (text string, ok bool) {
	h.configMutex.Lock()
	defer h.configMutex.Unlock()
	if h.config == nil {
		return "", false
	}
	return *h.config, true
}

// OnConfigChange has f called each time that --cloud-config has changed, for which the host looks every 10 s. It is called in the host's own thread and must
// return within 10 ms.
func (h *Host) OnConfigChange(f func()) {
	h.configMutex.Lock()
	defer h.configMutex.Unlock()
	h.onConfig = append(h.onConfig, f)
}

// ConfigRejected tells the operator that the configuration as it is now cannot be used, and that the one from before
// stays in force. The reason says where the fault is and what to do.
func (h *Host) ConfigRejected(reason string) {
	withArena(func(a *arena) {
		if !h.closed.Load() {
			C.ccm_go_rejected(&h.services, C.ccm_str{}, a.text(reason))
		}
	})
}

// ConfigAccepted takes back what ConfigRejected said, from the metric and the status pages: the configuration as it is now
// is in force. The log has no line of it.
func (h *Host) ConfigAccepted() {
	if !h.closed.Load() {
		C.ccm_go_accepted(&h.services, C.ccm_str{})
	}
}

// readConfig copies --cloud-config. Its bytes may go away with the next change, which comes in [serial]; so this is
// called there alone, and goroutines get the copy.
func (h *Host) readConfig() {
	var text C.ccm_str
	var config *string
	if C.ccm_go_cloud_config(&h.services, &text) != 0 {
		copied := goString(text)
		config = &copied
	}
	h.configMutex.Lock()
	defer h.configMutex.Unlock()
	h.config = config
}

func (h *Host) configChanged() {
	h.readConfig()
	h.configMutex.Lock()
	listeners := append([]func(){}, h.onConfig...)
	h.configMutex.Unlock()
	for _, listener := range listeners {
		listener()
	}
}
