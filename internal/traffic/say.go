package traffic

import (
	"fmt"
	"io"

	"rtrail/internal/prose"
)

// say prints a line of prose.
func say(w io.Writer, width, hang int, format string, args ...any) {
	fmt.Fprintln(w, prose.Wrap(fmt.Sprintf(format, args...), width, hang))
}
