package escape

import (
	"io"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// Writer passes on what a program prints, with hidden characters escaped. It is
// the last one in front of a terminal or a file, of every face: what a printer
// forgot to escape does no harm. New lines, tabs and the sequence that clears the
// rest of a line pass; so does a carriage return that begins a write, as progress
// does. Colours pass where there may be some.
//
// What it writes for a character stands for the same one in a string of JSON.
type Writer struct {
	mu      sync.Mutex
	to      io.Writer
	colours bool
	buf     []byte
	held    []byte // of a character or sequence that goes on with the next write
}

// NewWriter makes one that passes no colours.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Coloured makes one that passes colours.
func Coloured(to io.Writer) *Writer { return &Writer{to: to, colours: true} }

// Unwrap is what is written to.
func (w *Writer) Unwrap() io.Writer { return w.to }

// Write escapes b and writes it. Its count is that of b.
func (w *Writer) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.held) == 0 && harmless(b) {
		return w.to.Write(b)
	}
	s := string(w.held) + stringOf(b)
	carriage := len(w.held) == 0 && s != "" && s[0] == '\r'
	w.buf, w.held = w.buf[:0], w.held[:0]
	if carriage {
		w.buf = append(w.buf, '\r')
		s = s[1:]
	}
	var rest string
	w.buf, rest = appendShown(w.buf, s, w.colours)
	w.held = append(w.held, rest...)
	if len(w.buf) == 0 {
		return len(b), nil
	}
	if _, err := w.to.Write(w.buf); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Flush writes what waits for the rest of a character: there will be none.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.held) == 0 {
		return nil
	}
	b := appendBytes(nil, string(w.held))
	w.held = w.held[:0]
	_, err := w.to.Write(b)
	return err
}

// appendBytes appends what never became a character or a sequence.
func appendBytes(b []byte, s string) []byte {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= utf8.RuneSelf:
			b = visible(b, s[i:i+1], utf8.RuneError)
		case c < ' ':
			b = unit(b, rune(c))
		default:
			b = append(b, c)
		}
	}
	return b
}

// harmless says whether bytes can pass as they are: ASCII and µ, as nearly all output.
func harmless(b []byte) bool {
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c >= ' ' && c < 0x7f, c == '\n', c == '\t':
		case c == 0xc2 && i+1 < len(b) && b[i+1] == 0xb5: // µs stands in every second line
			i++
		default:
			return false
		}
	}
	return true
}

// Screen is what Writer writes of a whole page in colours.
func Screen(s string) string {
	b, rest := appendShown(nil, s, true)
	return string(appendBytes(b, rest))
}

// appendShown appends s with hidden characters escaped, but for an end that may
// be the beginning of something that passes.
func appendShown(b []byte, s string, colours bool) (shown []byte, rest string) {
	for s != "" {
		at := next(s)
		b, s = append(b, s[:at]...), s[at:]
		if s == "" {
			break
		}
		if n, more := own(s, colours); n > 0 {
			b, s = append(b, s[:n]...), s[n:]
			continue
		} else if more {
			return b, s
		}
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1 && !utf8.FullRuneInString(s):
			return b, s
		case r == utf8.RuneError && n == 1:
			b = visible(b, s[:1], r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			b = unit(unit(b, high), low)
		default:
			b = unit(b, r)
		}
		s = s[n:]
	}
	return b, ""
}

// maxSequence is the length of the longest sequence that passes.
const maxSequence = 20

// own says how long what this program itself writes at the beginning of s is: a
// new line, a tab, ESC [ K, and with colours ESC [ numbers m. more: its end is not there yet.
func own(s string, colours bool) (n int, more bool) {
	switch {
	case s[0] == '\n' || s[0] == '\t':
		return 1, false
	case s[0] != '\x1b':
		return 0, false
	case len(s) == 1:
		return 0, true
	case s[1] != '[':
		return 0, false
	}
	for i := 2; i < min(len(s), maxSequence); i++ {
		switch c := s[i]; {
		case c == 'K' && i == 2, c == 'm' && colours:
			return i + 1, false
		case !colours, c != ';' && (c < '0' || c > '9'):
			return 0, false
		}
	}
	return 0, len(s) < maxSequence
}
