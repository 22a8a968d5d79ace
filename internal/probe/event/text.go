package event

import (
	"bytes"
	"strings"
)

// Text is the name of a process or thread as programs keep it.
func Text(b *[16]byte) string {
	s, _, _ := bytes.Cut(b[:], []byte{0})
	return strings.ToValidUTF8(string(s), "?")
}
