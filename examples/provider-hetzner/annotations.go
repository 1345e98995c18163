package main

import (
	"encoding/json"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"time"

	"ccm"
)

const annotationPrefix = "load-balancer.hetzner.cloud/"

// metadata reads labels and annotations of an object; none when it has no such, or is not there.
func metadata(object *ccm.Object) (found struct{ Labels, Annotations map[string]string }) {
	var whole struct {
		Metadata struct{ Labels, Annotations map[string]string }
	}
	if json.Unmarshal(object.JSON(), &whole) == nil {
		found = whole.Metadata
	}
	return found
}

// annotations reads those of a Service by their names without prefix, and remembers the first that cannot be read.
type annotations struct {
	values map[string]string
	err    error
}

func (a *annotations) has(name string) bool {
	_, ok := a.values[annotationPrefix+name]
	return ok
}

func (a *annotations) text(name, otherwise string) string {
	if value, ok := a.values[annotationPrefix+name]; ok {
		return value
	}
	return otherwise
}

func (a *annotations) boolean(name string, otherwise bool) bool {
	if !a.has(name) {
		return otherwise
	}
	value, err := strconv.ParseBool(a.text(name, ""))
	if err != nil {
		a.refuse(name, "true or false")
	}
	return value
}

func (a *annotations) number(name string, otherwise, least, most int) int {
	if !a.has(name) {
		return otherwise
	}
	value, err := strconv.Atoi(a.text(name, ""))
	if err != nil || value < least || value > most {
		a.refuse(name, "a number from "+strconv.Itoa(least)+" to "+strconv.Itoa(most))
	}
	return value
}

// The host names that the status of a Service may have; the API server refuses others.
var hostnameForm = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)

func (a *annotations) hostname(name string) string {
	text := a.text(name, "")
	_, err := netip.ParseAddr(text)
	if text != "" && (err == nil || len(text) > 253 || !hostnameForm.MatchString(text)) {
		a.refuse(name, "a DNS name in lower case")
	}
	return text
}

// seconds reads a duration as Go writes it, or a number of seconds.
func (a *annotations) seconds(name string, otherwise, least, most int) int {
	if !a.has(name) {
		return otherwise
	}
	text := a.text(name, "")
	value, err := strconv.Atoi(text)
	if err != nil {
		var duration time.Duration
		duration, err = time.ParseDuration(text)
		value = int(duration / time.Second)
	}
	if err != nil || value < least || value > most {
		a.refuse(name, "from "+strconv.Itoa(least)+"s to "+strconv.Itoa(most)+"s")
	}
	return value
}

func (a *annotations) oneOf(name, otherwise string, allowed ...string) string {
	value := strings.ToLower(a.text(name, otherwise))
	for _, each := range allowed {
		if value == each {
			return value
		}
	}
	a.refuse(name, strings.Join(allowed, " or "))
	return value
}

func (a *annotations) list(name string, otherwise ...string) []string {
	if !a.has(name) {
		return otherwise
	}
	values := []string{}
	for _, value := range strings.Split(a.text(name, ""), ",") {
		if value = strings.TrimSpace(value); value != "" {
			values = append(values, value)
		}
	}
	return values
}

func (a *annotations) address(name string) string {
	value := a.text(name, "")
	if address, err := netip.ParseAddr(value); value != "" && (err != nil || !address.Is4()) {
		a.refuse(name, "an IPv4 address")
	}
	return value
}

func (a *annotations) cidr(name, otherwise string) string {
	value := a.text(name, otherwise)
	if _, err := netip.ParsePrefix(value); value != "" && err != nil {
		a.refuse(name, "a CIDR")
	}
	return value
}

func (a *annotations) refuse(name, wanted string) {
	if a.err == nil {
		a.err = ccm.InvalidSpec("annotation %s is %q, not %s", annotationPrefix+name, a.text(name, ""), wanted)
	}
}
