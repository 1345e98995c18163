package ccm

import "fmt"

// JSONLimits are limits for JSON that somebody else wrote; 0 is the usual one. encoding/json refuses what nests deeper than
// 10,000 levels, and has no other limit.
type JSONLimits struct {
	Bytes     int // of the whole text; 0 = 16 MiB
	TextBytes int // of one text or number, or of the space between two; 0 = 1 MiB
	Values    int // names of members count, too; 0 = 500,000
	Depth     int // of arrays and objects in each other; 0 = 64
}

func orUsual(limit, usual int) int {
	if limit == 0 {
		return usual
	}
	return limit
}

// CheckJSON says whether a text stays within the limits: for an answer of a cloud, before encoding/json makes much more of it
// than its bytes deserve. It looks at each byte once and takes no memory; it does not find out whether the text is JSON. Of
// values it counts one for each bracket, comma and colon, and one: at least as many as there are. The failure has
// CodeResourceExhausted: "has more than 500000 values".
func CheckJSON(text []byte, limits JSONLimits) error {
	most := JSONLimits{orUsual(limits.Bytes, 16<<20), orUsual(limits.TextBytes, 1<<20), orUsual(limits.Values, 500_000), orUsual(limits.Depth, 64)}
	beyond := func(format string, limit int) error {
		return &Error{Code: CodeResourceExhausted, Message: fmt.Sprintf(format, limit)}
	}
	if len(text) > most.Bytes {
		return beyond("is larger than %d bytes", most.Bytes)
	}
	values, depth, begin, inText := 0, 0, 0, false
	for at := 0; at <= len(text); at++ {
		c := byte(',') // ends the last value, and counts it
		if at < len(text) {
			c = text[at]
		}
		if inText && c == '\\' {
			at++
			continue
		}
		if inText && c != '"' && at < len(text) {
			continue
		}
		switch c {
		case '"':
			inText = !inText
		case '{', '[':
			if depth++; depth > most.Depth {
				return beyond("nests deeper than %d levels", most.Depth)
			}
			values++
		case '}', ']':
			if depth > 0 {
				depth--
			}
		case ',', ':':
			values++
		default:
			continue
		}
		if at-begin > most.TextBytes {
			return beyond("has a text of more than %d bytes", most.TextBytes)
		}
		begin = at + 1
	}
	if values > most.Values {
		return beyond("has more than %d values", most.Values)
	}
	return nil
}
