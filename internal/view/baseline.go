package view

import (
	"time"

	"rtrail/internal/baseline"
	"rtrail/internal/recording"
)

// Baseline is what a thing could do when it was measured, in the unit that what names.
func (v *View) Baseline(kind baseline.Kind, thing string, what baseline.What) (value float64, measured time.Time, ok bool) {
	for _, b := range Rows[recording.BaselineValue](v) {
		if b.Kind == string(kind) && b.Thing == thing && b.What == string(what) && b.Value > 0 && !b.Measured.Before(measured) {
			value, measured, ok = b.Value, b.Measured, true
		}
	}
	return value, measured, ok
}
