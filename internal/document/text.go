package document

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
)

// cells is how many columns a terminal needs for s: two for wide East Asian
// characters and most emoji, none for combining marks.
func cells(s string) int {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			n := i
			for _, r := range s[i:] {
				n += runeCells(r)
			}
			return n
		}
	}
	return len(s)
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

// Clip cuts s to width cells, with an ellipsis where something is missing.
func Clip(s string, width int) string {
	switch {
	case width <= 0:
		return ""
	case cells(s) <= width:
		return s
	case width < 2:
		return "…"
	}
	head, _ := splitAt(s, width-1)
	return head + "…"
}

// clipWords cuts s to width cells behind a word, with an ellipsis; a word that is
// longer than half of that is cut itself.
func clipWords(s string, width int) string {
	clipped := Clip(s, width)
	if clipped == s {
		return s
	}
	head, _ := splitAt(s, width-1)
	if s[len(head):][0] != ' ' {
		if at := strings.LastIndexByte(head, ' '); at > len(head)/2 {
			head = head[:at]
		}
	}
	return strings.TrimRight(head, " ,;:") + "…"
}

// pad fills s with blanks to width cells.
func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-cells(s)))
}
