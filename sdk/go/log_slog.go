//go:build go1.21

package ccm

import (
	"context"
	"log/slog"
	"runtime"
)

// LogHandler is a handler for slog.New that writes to the host's log. Debug is -v=4, Info -v=0.
func (h *Host) LogHandler() slog.Handler { return &handler{host: h} }

type handler struct {
	host  *Host
	pairs []string // of WithAttrs
	group string   // "a.b." before keys
}

func levelOf(level slog.Level) Level {
	switch {
	case level >= slog.LevelError:
		return LevelError
	case level >= slog.LevelWarn:
		return LevelWarning
	case level >= slog.LevelInfo:
		return LevelInfo
	}
	return LevelDebug
}

// Enabled implements slog.Handler.
func (l *handler) Enabled(_ context.Context, level slog.Level) bool {
	return l.host.logEnabled(levelOf(level))
}

// Handle implements slog.Handler.
func (l *handler) Handle(ctx context.Context, record slog.Record) error {
	pairs := append([]string{}, l.pairs...)
	record.Attrs(func(attr slog.Attr) bool {
		pairs = flatten(pairs, l.group, attr)
		return true
	})
	var file string
	var line int
	if record.PC != 0 {
		frame, _ := runtime.CallersFrames([]uintptr{record.PC}).Next()
		file, line = frame.File, frame.Line
	}
	l.host.write(ctx, levelOf(record.Level), record.Message, pairs, file, line)
	return nil
}

// WithAttrs implements slog.Handler.
func (l *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	pairs := append([]string{}, l.pairs...)
	for _, attr := range attrs {
		pairs = flatten(pairs, l.group, attr)
	}
	return &handler{l.host, pairs, l.group}
}

// WithGroup implements slog.Handler.
func (l *handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return l
	}
	return &handler{l.host, l.pairs, l.group + name + "."}
}

// flatten appends an attribute; members of a group become keys with dots.
func flatten(pairs []string, prefix string, attr slog.Attr) []string {
	value := attr.Value.Resolve()
	if value.Kind() != slog.KindGroup {
		if attr.Equal(slog.Attr{}) {
			return pairs
		}
		return append(pairs, prefix+attr.Key, value.String())
	}
	if attr.Key != "" {
		prefix += attr.Key + "."
	}
	for _, member := range value.Group() {
		pairs = flatten(pairs, prefix, member)
	}
	return pairs
}
