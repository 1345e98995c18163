package ccm

import (
	"context"
	"errors"
	"testing"
	"unsafe"
)

func TestAResultThatNobodyWaitsForIsGivenBack(t *testing.T) {
	var steps string
	made := func() *answer {
		steps = ""
		return &answer{read: func(unsafe.Pointer) { steps += "read " }, unwanted: func() { steps += "given back" }, done: make(chan error, 1)}
	}
	result := unsafe.Pointer(new(int))
	ended, end := context.WithCancel(context.Background())
	end()

	late := made()
	if err := late.wait(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if late.complete(nil, result); steps != "read given back" {
		t.Errorf("late: %q", steps)
	}

	failed := made()
	_ = failed.wait(ended)
	if failed.complete(Unavailable("x"), nil); steps != "" {
		t.Errorf("failed: %q", steps)
	}

	inTime := made()
	inTime.complete(nil, result)
	if err := inTime.wait(ended); err != nil || steps != "read " { // the caller has it, though its ctx has ended
		t.Errorf("in time: %v, %q", err, steps)
	}
}
