package ccm

import (
	"strings"
	"testing"
)

func TestNoBufferKeepsASecret(t *testing.T) {
	a := &arena{}
	defer a.release()
	for _, secret := range []string{"", "short", strings.Repeat("s", 512), strings.Repeat("long", 1000)} {
		var buffers [][]byte
		value, ok := secretIn(a, func(buffer []byte) int {
			buffers = append(buffers, buffer)
			copy(buffer, secret)
			return len(secret)
		})
		if !ok || value != secret {
			t.Errorf("got %q", value)
		}
		for _, buffer := range buffers {
			if strings.Trim(string(buffer), "\x00") != "" {
				t.Errorf("%d bytes of memory keep the secret", len(buffer))
			}
		}
	}
	if _, ok := secretIn(a, func([]byte) int { return -1 }); ok {
		t.Error("there is one")
	}
}
