package cpu

import (
	"fmt"
	"time"

	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// wholeWindow is the part of the window from which a process was there for all of it:
// first and last readings are a moment apart from its ends.
const wholeWindow = 0.9

// life is the part of the window in which a process was seen, and words that say so if it
// was not all of it. Rates of a process are those of its life; what it cost the host is
// that part of them.
func life(v *view.View, p *view.Process) (part float64, words string) {
	longest := view.Memo(v, "longest-life", func() float64 {
		longest := 0.0
		all := v.Processes()
		for i := range all {
			longest = max(longest, all[i].Seconds)
		}
		return longest
	})
	part = present(p, longest)
	if part >= wholeWindow {
		return 1, ""
	}
	lasted := func(seconds float64) string {
		return unit.Duration(time.Duration(seconds * float64(time.Second)).Round(100 * time.Millisecond)).String()
	}
	return part, fmt.Sprintf(" while it lived (%s of %s)", lasted(p.Seconds), lasted(longest))
}
