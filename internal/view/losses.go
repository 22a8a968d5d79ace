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

// Unread lists the stretches of which rows that count in the window could not be read. Those that hold until
// they are read again may be missing since any time before it.
func (v *View) Unread() (list []recording.Unread) {
	for _, u := range v.Manifest().Unread {
		after := u.From.After(v.End())
		before := !u.To.IsZero() && !u.To.After(v.Start())
		if after || before && (!recording.Lasts(u.Table) || v.Has(u.Table)) {
			continue
		}
		list = append(list, u)
	}
	return list
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
