// Package prose breaks sentences into lines.
package prose

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks prose between words into lines of at most width columns; those
// after the first are indented by hang. A longer word, as a path or an address
// of a page, stays whole, so that it can be copied. With a width of 0, as for
// output that goes into a pipe, nothing is broken.
func Wrap(text string, width, hang int) string {
	if width <= 0 || utf8.RuneCountInString(text) <= width {
		return text
	}
	hang = min(hang, width/3)
	var b strings.Builder
	used, words := 0, 0 // columns and words in the line at hand
	for text != "" {
		rest := strings.TrimLeft(text, " ")
		gap := len(text) - len(rest)
		word, after, more := strings.Cut(rest, " ")
		n := utf8.RuneCountInString(word)
		if words > 0 && used+gap+n > width {
			b.WriteString("\n" + strings.Repeat(" ", hang))
			used, words, gap = hang, 0, 0
		}
		b.WriteString(strings.Repeat(" ", gap) + word)
		used += gap + n
		words++
		if text = ""; more && strings.TrimLeft(after, " ") != "" {
			text = " " + after
		}
	}
	return b.String()
}
