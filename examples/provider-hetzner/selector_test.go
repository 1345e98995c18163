package main

import (
	"reflect"
	"testing"
)

func TestSelectors(t *testing.T) {
	labels := map[string]string{"a": "b", "c": "d", "x/y": "z"}
	for text, wanted := range map[string]bool{
		"": true, " ": true, "a=b": true, "a==b": true, "a=c": false, "a!=b": false, "none!=b": true, "a": true, "none": false, "!none": true, "!a": false,
		"a in (b,e)": true, "a in (e)": false, "none in (b)": false, "a notin (e, f)": true, "a notin (b)": false, "none notin (b)": true,
		"a=b,c in (d,e),x/y=z,!none": true, "a=b,c=x": false,
	} {
		match, err := parseSelector(text)
		if err != nil || match.matches(labels) != wanted {
			t.Errorf("%q: %v", text, err)
		}
	}
	if match, _ := parseSelector("a=b,c in (d,e),!none"); !reflect.DeepEqual(match.keys, []string{"a", "c", "none"}) {
		t.Errorf("keys %v", match.keys)
	}
	for _, text := range []string{"a b", "a in b", "a in (b", "=b", ",", "a=b,", "a=b=c", "in (b)"} {
		if _, err := parseSelector(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}
