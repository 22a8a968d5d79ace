package stack

import (
	"bytes"
	"regexp"

	"rtrail/internal/redact"
)

// threadName is the name of a thread without secrets: programs name threads after
// the request that they serve.
func threadName(t *thread) string { return redact.Text(string(t.name)) }

// texts are strings among the arguments of a frame, as gdb writes them, and the
// repetitions it shortens them by. The last one may be cut.
var texts = regexp.MustCompile(`"(?:[^"\\]|\\.)*(?:"|$)|'(?:[^'\\]|\\[^']+|\\')' <repeats`)

// withoutStrings leaves out the strings in a frame: statements, passwords and the
// like are arguments of functions too.
func withoutStrings(frame []byte) []byte {
	if bytes.IndexByte(frame, '"') < 0 && !bytes.Contains(frame, []byte("' <repeats")) {
		return frame
	}
	return texts.ReplaceAllFunc(frame, func(text []byte) []byte {
		if text[0] == '"' {
			return []byte(`"?"`)
		}
		return []byte("'?' <repeats")
	})
}
