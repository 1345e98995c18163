package ccm

// #include "glue.h"
import "C"

// Hint says of what something may have changed, for a cloud that pushes news: as much as is known, at least one of the texts.
type Hint struct {
	LoadBalancer bool   // not an instance
	Name         string // of the Node or Service
	Namespace    string // of the Service
	UID          string // of the Service
	ProviderID   string // of the instance
	ID           string // of the load balancer, as it is recorded on the Service
}

// Hint tells the host where to look. It reads before it acts: a wrong, doubled or lost hint does no harm.
func (h *Host) Hint(hint Hint) {
	if h.closed.Load() {
		return
	}
	withArena(func(a *arena) {
		to := sized[C.ccm_hint](a)
		to.kind = C.CCM_HINT_INSTANCE
		if hint.LoadBalancer {
			to.kind = C.CCM_HINT_LOAD_BALANCER
		}
		to.name, to.namespace_, to.uid = a.text(hint.Name), a.text(hint.Namespace), a.text(hint.UID)
		to.provider_id, to.id = a.text(hint.ProviderID), a.text(hint.ID)
		C.ccm_go_hint(&h.services, to)
	})
}

// Event records a Kubernetes Event about the Node or Service of an operation that has not ended, of type Warning or Normal. It
// never blocks and never fails.
func (h *Host) Event(about *Object, warning bool, reason, message string) {
	if h.closed.Load() {
		return
	}
	about.use(func(*Host) {
		withArena(func(a *arena) {
			to := sized[C.ccm_event](a)
			if warning {
				to.flags = C.CCM_EVENT_IS_WARNING
			}
			to.object, to.reason, to.message = about.object, a.text(reason), a.text(message)
			C.ccm_go_event(&h.services, to)
		})
	})
}

// Leading says whether this host holds the Lease at this moment.
func (h *Host) Leading() bool {
	return !h.closed.Load() && C.ccm_go_leading(&h.services) != 0
}

// LeaseTransitions grows with each change of leader, so that it fences old writers off; 0 without leader election.
func (h *Host) LeaseTransitions() uint64 {
	if h.closed.Load() {
		return 0
	}
	return uint64(C.ccm_go_transitions(&h.services))
}

// OnLeadingChange has f called each time that Leading has changed, in the host's own thread, where it must return within 10
// ms. In the function of ccm.Register alone; false when the host refuses.
func (h *Host) OnLeadingChange(f func()) bool {
	return C.ccm_go_on_leading(&h.services, h.callback(f)) != 0
}
