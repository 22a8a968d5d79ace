package cases

import (
	"strconv"
	"strings"
)

// text returns so many bytes of prose that compresses as prose does.
func text(size int) string {
	words := strings.Fields("the queue was full and nobody waited for a reply because the server had closed its door long before noon")
	var b strings.Builder
	for n := uint32(1); b.Len() < size; {
		n = n*1664525 + 1013904223 // Numerical Recipes' linear congruence: the same text every time
		b.WriteString(words[int(n>>16)%len(words)])
		b.WriteString(strconv.Itoa(int(n >> 24)))
		b.WriteByte(' ')
	}
	return b.String()[:size]
}
