// Package escape makes text from outside safe to show. Names of processes,
// files and tables, errors and command lines may hold anything: sequences that
// move the cursor or change the window's title, characters that reverse the
// direction of writing or cannot be seen. All that reaches a person goes through
// here: Text for what stands in a line, Writer below everything that is printed.
package escape

import (
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"
)

// Hidden says whether a rune changes more than the cell it is printed in, or
// cannot be seen: controls, formats as the bidirectional overrides and the zero
// width space, private and unassigned ones, separators of lines, fillers that look
// like a blank or like nothing, and selectors of a variant of the character before.
// Other combining marks are visible.
func Hidden(r rune) bool {
	if r < 0x7f {
		return r < ' '
	}
	return unicode.Is(unicode.C, r) || r == '\u2028' || r == '\u2029' || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Text shows what is hidden in a text, and bytes that are no UTF-8, as \n, \t,
// \x1b, \u202e or \U000e0001. It is one line then.
func Text(s string) string {
	at := next(s)
	if at == len(s) {
		return s
	}
	b := append(make([]byte, 0, len(s)+16), s[:at]...)
	for at < len(s) {
		r, n := utf8.DecodeRuneInString(s[at:])
		b = visible(b, s[at:at+n], r)
		from := at + n
		at = from + next(s[from:])
		b = append(b, s[from:at]...)
	}
	return string(b)
}

// Line is Text with all that parts words as one blank.
func Line(s string) string {
	return Text(strings.Join(strings.Fields(s), " "))
}

// next is where the first rune that must be escaped begins; len(s) without one.
func next(s string) int {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c < ' ' || c == 0x7f {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r != 'µ' && (r == utf8.RuneError && n == 1 || Hidden(r)) {
			return i
		}
		i += n
	}
	return len(s)
}

// visible appends a hidden rune, or a byte that is none, as Go and JSON write
// it. bytes is what it is made of.
func visible(b []byte, bytes string, r rune) []byte {
	switch {
	case r == '\n':
		return append(b, `\n`...)
	case r == '\t':
		return append(b, `\t`...)
	case r < ' ' || r == utf8.RuneError && len(bytes) == 1:
		return append(b, '\\', 'x', digits[bytes[0]>>4], digits[bytes[0]&15])
	case r > 0xffff:
		b = append(b, `\U`...)
		for shift := 28; shift >= 0; shift -= 4 {
			b = append(b, digits[r>>shift&15])
		}
		return b
	}
	return unit(b, r)
}

// unit appends \u202e.
func unit(b []byte, r rune) []byte {
	return append(b, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}

const digits = "0123456789abcdef"

func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
