package ccm

// #include "glue.h"
import "C"

// Metric is one that the host exposes. A nil one, of a host without metrics or of a name that it refused, does nothing.
type Metric struct {
	host   *Host
	number C.uint64_t
}

// Counter defines a counter, in the function of ccm.Register alone, as Gauge and Histogram do. Nil when the name is invalid or
// taken, which the host logs.
func (h *Host) Counter(name, help string, labels ...string) *Metric {
	return h.metric(C.CCM_METRIC_COUNTER, name, help, labels, nil)
}

// Gauge defines a gauge.
func (h *Host) Gauge(name, help string, labels ...string) *Metric {
	return h.metric(C.CCM_METRIC_GAUGE, name, help, labels, nil)
}

// Histogram defines a histogram; buckets are upper bounds, ascending, without +Inf.
func (h *Host) Histogram(name, help string, buckets []float64, labels ...string) *Metric {
	return h.metric(C.CCM_METRIC_HISTOGRAM, name, help, labels, buckets)
}

// Record adds to a counter, sets a gauge, observes a histogram; one value for each label, in their order.
func (m *Metric) Record(value float64, labels ...string) {
	if m == nil || m.host.closed.Load() {
		return
	}
	withArena(func(a *arena) {
		values, count := a.texts(labels)
		C.ccm_go_record(&m.host.services, m.number, values, count, C.double(value))
	})
}

func (h *Host) metric(kind C.int32_t, name, help string, labels []string, buckets []float64) (made *Metric) {
	withArena(func(a *arena) {
		metric := sized[C.ccm_metric](a)
		metric.kind, metric.name, metric.help = kind, a.text(name), a.text(help)
		metric.label_names, metric.label_count = a.texts(labels)
		bounds := array[C.double](a, len(buckets))
		for i, bound := range buckets {
			bounds[i] = C.double(bound)
		}
		metric.buckets, metric.bucket_count = first(bounds), C.size_t(len(bounds))
		if number := C.ccm_go_define(&h.services, metric); number != 0 {
			made = &Metric{h, number}
		}
	})
	return made
}
