// Package procfile reads the small text files under /proc and /sys cheaply:
// files that are read every second stay open, and their bytes are cut into
// lines, fields and numbers without allocation.
package procfile

import (
	"bytes"
	"iter"
	"math"
	"time"
)

// Line cuts the first line off b. The line comes without its newline; rest is
// empty after the last one.
func Line(b []byte) (line, rest []byte) {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		return b[:i], b[i+1:]
	}
	return b, nil
}

// Lines yields the lines of b without their newlines.
func Lines(b []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for rest := b; len(rest) > 0; {
			var line []byte
			if line, rest = Line(rest); !yield(line) {
				return
			}
		}
	}
}

// Numbers yields the lines of b that begin with a name and a number which is not
// negative: both of them.
func Numbers(b []byte) iter.Seq2[[]byte, int64] {
	return func(yield func([]byte, int64) bool) {
		for line := range Lines(b) {
			name, rest := Field(line)
			field, _ := Field(rest)
			if n, ok := Int(field); ok && n >= 0 && !yield(name, n) {
				return
			}
		}
	}
}

// Number is the number of the line that begins with a name.
func Number(b []byte, name string) (n int64, ok bool) {
	for have, n := range Numbers(b) {
		if string(have) == name {
			return n, true
		}
	}
	return 0, false
}

// Field cuts the first field off a line. Fields are separated by blanks and
// tabs; field is empty when none is left.
func Field(b []byte) (field, rest []byte) {
	i := 0
	for i < len(b) && (b[i] == ' ' || b[i] == '\t') {
		i++
	}
	start := i
	for i < len(b) && b[i] != ' ' && b[i] != '\t' {
		i++
	}
	return b[start:i], b[i:]
}

// Uint reads a decimal number. It is false for anything else than digits;
// numbers above 64 bits stay at the largest one.
func Uint(b []byte) (uint64, bool) {
	if len(b) == 0 {
		return 0, false
	}
	var n uint64
	for _, c := range b {
		d := uint64(c - '0')
		if c < '0' || c > '9' {
			return 0, false
		}
		if n > (math.MaxUint64-d)/10 {
			n = math.MaxUint64
			continue
		}
		n = n*10 + d
	}
	return n, true
}

// Int reads a decimal number with an optional sign. Numbers that do not fit
// stay at the nearest one that does.
func Int(b []byte) (int64, bool) {
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	n, ok := Uint(b)
	n = min(n, math.MaxInt64)
	if negative {
		return -int64(n), ok
	}
	return int64(n), ok
}

// Hex reads a hexadecimal number without prefix.
func Hex(b []byte) (uint64, bool) {
	if len(b) == 0 || len(b) > 16 {
		return 0, false
	}
	var n uint64
	for _, c := range b {
		switch {
		case c >= '0' && c <= '9':
			n = n<<4 | uint64(c-'0')
		case c >= 'a' && c <= 'f':
			n = n<<4 | uint64(c-'a'+10)
		case c >= 'A' && c <= 'F':
			n = n<<4 | uint64(c-'A'+10)
		default:
			return 0, false
		}
	}
	return n, true
}

// NextUint cuts the first field off and reads it as Uint does.
func NextUint(b []byte) (n uint64, rest []byte, ok bool) {
	field, rest := Field(b)
	n, ok = Uint(field)
	return n, rest, ok
}

// Duration is n units, at most the longest time there is: a damaged number must
// not become negative.
func Duration(n uint64, unit time.Duration) time.Duration {
	return time.Duration(min(n, uint64(math.MaxInt64/unit))) * unit
}

// Names turns bytes that come again and again, such as device or counter
// names, into strings that are allocated once.
type Names struct{ known map[string]string }

// maxNames bounds the memory of a Names: names of things that come and go
// (interfaces of containers) would otherwise pile up forever.
const maxNames = 8192

// String returns b as a string.
func (n *Names) String(b []byte) string {
	if s, ok := n.known[string(b)]; ok {
		return s
	}
	if n.known == nil || len(n.known) >= maxNames {
		n.known = map[string]string{}
	}
	s := string(b)
	n.known[s] = s
	return s
}
