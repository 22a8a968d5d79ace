package event

import (
	"fmt"

	"rtrail/internal/recording"
)

// Crowd is what programs found no room for in their maps, as they count it in the
// variables "crowded" and, where it has a length, "crowded_ns".
type Crowd struct{ n, ns uint64 } // that were told

// Tell says how much there was since the last time: of what, and why.
func (c *Crowd) Tell(set *Set, w *recording.Writer, probe, what, why string) error {
	before := *c
	if err := set.Get("crowded", &c.n); err != nil {
		return err
	}
	if set.all.Variables["crowded_ns"] != nil {
		if err := set.Get("crowded_ns", &c.ns); err != nil {
			return err
		}
	}
	n := int(c.n - before.n)
	if n == 0 {
		return nil
	}
	if took := c.ns - before.ns; took > 0 {
		why += fmt.Sprintf("; these took %.3g s", float64(took)/1e9)
	}
	w.Lost(n)
	w.Unseen(probe, what, n, why, "")
	return nil
}
