package event

import (
	"fmt"
	"strings"
)

// Histogram tells how many took less than 1 us, at least that and less than 2 us, and so
// on by powers of two: "64us:3 128us:17". Steps without any are left out.
func Histogram(steps []uint32) string {
	var b strings.Builder
	for i, n := range steps {
		if n == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%dus:%d", 1<<i, n)
	}
	return b.String()
}
