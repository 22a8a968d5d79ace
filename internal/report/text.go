package report

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
)

// clean makes text from the host safe for a terminal: process names and
// command lines may hold anything, also sequences that move the cursor,
// change the window's title or reverse the direction of writing. What does
// not print is shown as Go would quote it.
func clean(s string) string {
	if !strings.ContainsFunc(s, unsafeRune) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteString(`\x` + hex(s[i]))
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x80 && unsafeRune(r):
			b.WriteString(`\x` + hex(byte(r)))
		case unsafeRune(r):
			b.WriteString(`\u{` + strings.TrimLeft(hex(byte(r>>16))+hex(byte(r>>8))+hex(byte(r)), "0") + "}")
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// unsafeRune says whether a rune changes more than the cell it is printed in:
// control characters, format characters as the bidirectional overrides, line
// and paragraph separators. Combining marks are safe.
func unsafeRune(r rune) bool {
	return unicode.Is(unicode.C, r) || r == '\u2028' || r == '\u2029'
}

func hex(b byte) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[b>>4], digits[b&15]})
}

// cells is how many columns a terminal needs for s: two for wide East Asian
// characters and most emoji, none for combining marks.
func cells(s string) int {
	n := 0
	for _, r := range s {
		n += runeCells(r)
	}
	return n
}

func runeCells(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// wrap breaks s between words into lines of at most width cells. Words that
// are longer than a line are broken where the line ends, never inside a
// character with its combining marks. It gives at least one line.
func wrap(s string, width int) []string {
	width = max(width, 8)
	var lines []string
	line, used := "", 0
	for _, word := range strings.Fields(s) {
		n := cells(word)
		switch {
		case line != "" && used+1+n <= width:
			line += " " + word
			used += 1 + n
			continue
		case line != "":
			lines = append(lines, line)
		}
		for n > width {
			var head string
			head, word = splitAt(word, width)
			lines = append(lines, head)
			n = cells(word)
		}
		line, used = word, n
	}
	if line != "" || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}

// splitAt cuts a word so that the head fits into width cells.
func splitAt(word string, width int) (head, rest string) {
	used, cut := 0, 0
	for cut < len(word) {
		n := norm.NFC.NextBoundaryInString(word[cut:], true)
		c := cells(word[cut : cut+n])
		if used+c > width && cut > 0 {
			break
		}
		used, cut = used+c, cut+n
	}
	return word[:cut], word[cut:]
}

// fit cuts s to width cells, with an ellipsis where something is missing.
func fit(s string, width int) string {
	if cells(s) <= width {
		return s
	}
	if width < 2 {
		return "…"
	}
	head, _ := splitAt(s, width-1)
	return head + "…"
}

// pad fills s with blanks to width cells.
func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-cells(s)))
}

// padLeft moves s to the right end of width cells.
func padLeft(s string, width int) string {
	return strings.Repeat(" ", max(0, width-cells(s))) + s
}
