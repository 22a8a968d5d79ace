package view

import (
	"time"

	"rtrail/internal/recording"
)

// CountRows is how many rows of a table count in the window.
func (v *View) CountRows(t recording.Table) int64 {
	return Memo(v, "rows/"+string(t), func() (n int64) {
		v.rec.Has(t, func(at time.Time, stretch time.Duration) bool {
			if v.counts(at, stretch) {
				n++
			}
			return false // on to the next one
		})
		return n
	})
}

// MostLost is how many rows of a table the sample lacks that lacks most; 0: none lacks any, as
// far as is known of single tables.
func (v *View) MostLost(t recording.Table) (most int64) {
	for _, l := range Rows[recording.TableLoss](v) {
		if l.TableOf == string(t) {
			most = max(most, l.Lost)
		}
	}
	return most
}
