package report

import "rtrail/internal/rule"

// Threshold is one that the user set for this run.
type Threshold struct {
	ID    string  `json:"id"`
	Value float64 `json:"value"`
	Own   float64 `json:"own"`
	Unit  string  `json:"unit"`
}

// NewThreshold is the JSON form of one.
func NewThreshold(o rule.Override) Threshold {
	own, _ := o.Threshold.Overridden()
	return Threshold{ID: o.ID, Value: o.Threshold.Value, Own: own, Unit: o.Threshold.Unit}
}
