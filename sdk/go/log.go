package ccm

// #include "glue.h"
import "C"

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
)

// Level of a log line: LevelError, LevelWarning, or klog's verbosity, which is written when -v is at least that.
type Level int32

// The levels of ccm/abi/log.h.
const (
	LevelError   Level = C.CCM_LOG_ERROR
	LevelWarning Level = C.CCM_LOG_WARNING
	LevelInfo    Level = C.CCM_LOG_INFO
	LevelDebug   Level = C.CCM_LOG_DEBUG
)

// Log writes a line: a constant message, then keys and values in turn. The host adds what it knows of the operation to
// which ctx belongs. Never log a secret. With Go 1.21 or later, LogHandler makes this a slog.Logger.
func (h *Host) Log(ctx context.Context, level Level, message string, pairs ...any) {
	if !h.logEnabled(level) {
		return
	}
	texts := make([]string, 0, len(pairs))
	for _, part := range pairs {
		texts = append(texts, fmt.Sprint(part))
	}
	if len(texts)%2 != 0 {
		texts = append(texts, "(missing)")
	}
	_, file, line, _ := runtime.Caller(1)
	h.write(ctx, level, message, texts, file, line)
}

func (h *Host) logEnabled(level Level) bool {
	return !h.closed.Load() && C.ccm_go_log_enabled(&h.services, C.int32_t(level)) != 0
}

// write hands a line over: keys and values in turn.
func (h *Host) write(ctx context.Context, level Level, message string, pairs []string, file string, line int) {
	if h.closed.Load() {
		return
	}
	withArena(func(a *arena) {
		record := sized[C.ccm_log_record](a)
		record.level = C.int32_t(level)
		record.message = a.text(message)
		copies := array[C.ccm_key_value](a, len(pairs)/2)
		for i := range copies {
			copies[i].key, copies[i].value = a.text(pairs[2*i]), a.text(pairs[2*i+1])
		}
		record.pairs, record.pair_count = first(copies), C.size_t(len(copies))
		if file != "" {
			record.file = a.text(filepath.Base(file))
		}
		record.line = C.uint32_t(line)
		var of C.ccm_ctx // an ended one adds no fields
		if s, ok := ctx.Value(scopeKey{}).(*scope); ok {
			of = s.ctx
		}
		C.ccm_go_log_write(&h.services, of, record)
	})
}
