//go:build go1.21

package ccm_test

import (
	"log/slog"
	"strings"
	"testing"

	"ccm/ccmtest"
)

func TestSlogWritesToTheHost(t *testing.T) {
	s := begin(t)
	log := slog.New(s.host.LogHandler()).With("zone", "a").WithGroup("rack").With("row", 2)
	log.Warn("A machine is slow", "name", "worker 1", slog.Group("fan", "rpm", 900))
	log.Debug("Nobody asked")
	logs := strings.Join(ccmtest.Logs(), "\n")
	if logs != `-2 A machine is slow zone="a" rack.row="2" rack.name="worker 1" rack.fan.rpm="900"` {
		t.Errorf("got %s", logs)
	}
}
