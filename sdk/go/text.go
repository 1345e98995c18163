package ccm

import (
	"strings"
	"unicode/utf8"
)

// LongestAnswerText is the most of a cloud's text that a message repeats, in bytes.
const LongestAnswerText = 500

// UTF8Front is the front of a text: at most limit bytes, and not cut within a character.
func UTF8Front(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// OneLine is somebody's text for a message: its front, at most limit bytes, with a blank for each control character. A proxy's
// page has many lines, an Event has one.
func OneLine(text string, limit int) string {
	return strings.Map(func(letter rune) rune {
		if letter < 0x20 || letter == 0x7F {
			return ' '
		}
		return letter
	}, UTF8Front(text, limit))
}
