package view

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/recording"
)

// CacheUse is what one process did to the page cache with files of one device. Numbers
// are of pages.
type CacheUse struct {
	PID     int32
	Started time.Time
	Process string
	Device  string // number of the filesystem, of a block device its own

	Asked   int64 // by reads and by accesses of mapped files
	Missed  int64 // that had to be read from the device, by readahead or not
	Waited  int64 // of those, that the read or access itself had to wait for
	Fresh   int64 // that were added by writing to them
	Dirtied int64
	Removed int64

	Span time.Duration // how long the page cache was watched, whatever process used it
}

// Hits are the pages asked for that were there. What is read ahead and not asked for yet
// counts against them.
func (c *CacheUse) Hits() int64 { return max(c.Asked-c.Missed, 0) }

// HitShare is the share of the pages asked for that were there; Unknown if none was.
func (c *CacheUse) HitShare() float64 {
	if c.Asked <= 0 {
		return Unknown
	}
	return float64(c.Hits()) / float64(c.Asked)
}

// PageCache sums up what processes did to the page cache in the window, most misses first, as
// far as it was traced.
func (v *View) PageCache() []CacheUse {
	return Memo(v, "page-cache", func() []CacheUse { return SumCache(Rows[recording.CacheSum](v), v.watched("cache")) })
}

// SumCache sums up what each process did to the page cache in rows of one or more readings, most
// misses first. The source counted for so long; 0: that is not known.
func SumCache(rows []recording.CacheSum, watched time.Duration) []CacheUse {
	all := traced(rows, watched, func(r *recording.CacheSum) (span, traced time.Duration) { return r.Span, r.Traced })
	type same struct {
		pid     int32
		started time.Time
		device  string
	}
	at := map[same]int{}
	var list []CacheUse
	for i := range rows {
		r := &rows[i]
		k := same{r.PID, r.Started, r.Device}
		n, ok := at[k]
		if !ok {
			n = len(list)
			at[k] = n
			list = append(list, CacheUse{PID: r.PID, Started: r.Started, Device: r.Device, Span: all.span})
		}
		c := &list[n]
		c.Process = r.Process
		factor := all.factor(r.Span, r.Traced)
		c.Asked += scaled(r.Read+r.Faulted, factor)
		c.Missed += scaled(max(r.Added-r.Fresh, 0), factor)
		c.Waited += scaled(r.Waited, factor)
		c.Fresh += scaled(r.Fresh, factor)
		c.Dirtied += scaled(r.Dirtied, factor)
		c.Removed += scaled(r.Removed, factor)
	}
	for i := range list {
		// What was added before a reading may be asked for after it.
		list[i].Waited = min(list[i].Waited, list[i].Missed)
	}
	slices.SortStableFunc(list, func(a, b CacheUse) int {
		return cmp.Or(cmp.Compare(b.Missed, a.Missed), cmp.Compare(b.Asked+b.Dirtied+b.Removed, a.Asked+a.Dirtied+a.Removed), cmp.Compare(a.PID, b.PID), cmp.Compare(a.Device, b.Device))
	})
	return list
}
