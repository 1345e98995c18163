package main

import (
	"fmt"
	"regexp"
	"strings"
)

// selector says whether labels match, and which of them it looks at.
type selector struct {
	keys    []string
	matches func(labels map[string]string) bool
}

var (
	setBased      = regexp.MustCompile(`^(\S+)\s+(in|notin)\s*\(([^()]*)\)$`)
	equalityBased = regexp.MustCompile(`^([^\s!=]+)\s*(==|=|!=)\s*([^\s!=]*)$`)
	existence     = regexp.MustCompile(`^(!?)\s*([^\s!=]+)$`)
)

// parseSelector reads a label selector as kubectl takes it: `a=b,c!=d,e in (f,g),h notin (i),j,!k`. An empty one matches all.
func parseSelector(text string) (selector, error) {
	var all []selector
	whole := selector{matches: func(labels map[string]string) bool {
		for _, term := range all {
			if !term.matches(labels) {
				return false
			}
		}
		return true
	}}
	for _, term := range terms(text) {
		parsed, err := parseTerm(term)
		if err != nil {
			return selector{}, err
		}
		all = append(all, parsed)
		whole.keys = append(whole.keys, parsed.keys...)
	}
	return whole, nil
}

// terms cuts at commas outside of parentheses.
func terms(text string) (found []string) {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	depth, start := 0, 0
	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			found, start = append(found, strings.TrimSpace(text[start:i])), i+1
		}
	}
	return append(found, strings.TrimSpace(text[start:]))
}

func parseTerm(term string) (selector, error) {
	if m := setBased.FindStringSubmatch(term); m != nil {
		values := map[string]bool{}
		for _, value := range strings.Split(m[3], ",") {
			values[strings.TrimSpace(value)] = true
		}
		return selector{m[1:2], func(labels map[string]string) bool {
			value, ok := labels[m[1]]
			return (ok && values[value]) == (m[2] == "in")
		}}, nil
	}
	if m := equalityBased.FindStringSubmatch(term); m != nil {
		return selector{m[1:2], func(labels map[string]string) bool {
			value, ok := labels[m[1]]
			return (ok && value == m[3]) == (m[2] != "!=")
		}}, nil
	}
	if m := existence.FindStringSubmatch(term); m != nil {
		return selector{m[2:3], func(labels map[string]string) bool {
			_, ok := labels[m[2]]
			return ok == (m[1] == "")
		}}, nil
	}
	return selector{}, fmt.Errorf("%q is no term of a label selector", term)
}
