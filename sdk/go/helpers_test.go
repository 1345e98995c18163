package ccm_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"ccm"
)

func TestJSONWithinTheLimits(t *testing.T) {
	five := ccm.JSONLimits{Values: 5}
	ten := ccm.JSONLimits{TextBytes: 10}
	for _, c := range []struct {
		text   string
		limits ccm.JSONLimits
		want   string
	}{
		{`{}`, ccm.JSONLimits{}, ""},
		{`{"a": [1, "x,:[{\"", null]}`, ccm.JSONLimits{}, ""},
		{strings.Repeat("[", 64) + strings.Repeat("]", 64), ccm.JSONLimits{}, ""},
		{strings.Repeat("[", 65) + strings.Repeat("]", 65), ccm.JSONLimits{}, "nests deeper than 64 levels"},
		{`"\"` + strings.Repeat("[", 100) + `"`, ccm.JSONLimits{}, ""},
		{`[1,2,3,4]`, five, ""},
		{`[1,2,3,4,5]`, five, "has more than 5 values"},
		{`{"a":1,"b":2}`, five, ""},
		{`{"a":1,"b":2,"c":3}`, five, "has more than 5 values"},
		{"[" + strings.Repeat("[],", 1_000_000) + "0]", ccm.JSONLimits{}, "has more than 500000 values"},
		{`"` + strings.Repeat(",", 1_000_000) + `"`, ccm.JSONLimits{}, ""},
		{`"12345678"`, ccm.JSONLimits{Bytes: 10}, ""},
		{`"123456789"`, ccm.JSONLimits{Bytes: 10}, "is larger than 10 bytes"},
		{`["1234567890"]`, ten, ""},
		{`["12345678901"]`, ten, "has a text of more than 10 bytes"},
		{`[12345678901]`, ten, "has a text of more than 10 bytes"},
		{`"\"\"\"\"\"\"\"`, ten, "has a text of more than 10 bytes"},
	} {
		err := ccm.CheckJSON([]byte(c.text), c.limits)
		if got := ""; err != nil {
			got = err.Error()
			var failure *ccm.Error
			if got != c.want || !errors.As(err, &failure) || failure.Code != ccm.CodeResourceExhausted {
				t.Errorf("%.40s: got %q, want %q", c.text, got, c.want)
			}
		} else if c.want != "" {
			t.Errorf("%.40s: got no failure, want %q", c.text, c.want)
		}
	}
}

func TestTextsOfCloudsAreCutAndMadeOneLine(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{{"abc", 3, "abc"}, {"abcd", 3, "abc"}, {"a€b", 3, "a"}, {"a€b", 4, "a€"}, {"€", 0, ""}} {
		if got := ccm.UTF8Front(c.text, c.limit); got != c.want {
			t.Errorf("%q, %d: got %q", c.text, c.limit, got)
		}
	}
	if got := ccm.OneLine("<html>\r\n\t\x7f€€", 13); got != "<html>    €" {
		t.Errorf("got %q", got)
	}
}

func TestRetryAfterIsReadWithoutAFailure(t *testing.T) {
	response := &http.Response{StatusCode: 202, Header: http.Header{"Retry-After": {"7"}}}
	if got := ccm.RetryAfter(response); got != 7*time.Second {
		t.Errorf("got %v", got)
	}
}

// What sdk/README.md says of the usual reader: a limit of depth alone.
func TestEncodingJSONLimitsDepthAlone(t *testing.T) {
	var value any
	nested := func(depth int) []byte { return []byte(strings.Repeat("[", depth) + strings.Repeat("]", depth)) }
	if err := json.Unmarshal(nested(10_000), &value); err != nil {
		t.Error(err)
	}
	if json.Unmarshal(nested(10_001), &value) == nil {
		t.Error("nests deeper than 10,000 levels, and is read")
	}
	if err := json.Unmarshal([]byte("["+strings.Repeat("0,", 600_000)+"0]"), &value); err != nil {
		t.Error(err)
	}
}
