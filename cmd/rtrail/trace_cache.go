package main

import (
	"io"
	"strconv"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/probe/event/blockio"
	"rtrail/internal/probe/event/cache"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

func newCacheTrace(j *traceJob, out io.Writer) tracer {
	return &sumTrace[recording.CacheSum, view.CacheUse]{
		traceJob: j, out: out, reads: cache.New(), columns: cacheColumns, sum: view.SumCache, cells: cacheCells,
		wanted: func(r *recording.CacheSum) bool { return j.wants(r.PID, r.Process) },
		took:   func(*view.CacheUse) time.Duration { return 0 },
		line:   func(at time.Time, c *view.CacheUse) any { return cacheLine(at, c) },
	}
}

var cacheColumns = []document.Column{
	{Name: "process", Cut: true}, {Name: "PID", Right: true}, {Name: "device"}, {Name: "hits", Right: true}, {Name: "misses", Right: true}, {Name: "hit %", Right: true},
	{Name: "waited", Right: true, Drop: 2}, {Name: "new", Right: true, Drop: 1}, {Name: "dirtied", Right: true}, {Name: "removed", Right: true},
}

func cacheCells(c *view.CacheUse) []string {
	n := func(pages int64) string { return unit.Count(pages).String() }
	share := ""
	if s := c.HitShare(); s >= 0 {
		share = strconv.FormatFloat(100*s, 'f', 1, 64)
	}
	return []string{c.Process, strconv.Itoa(int(c.PID)), blockio.DeviceName(c.Device), n(c.Hits()), n(c.Missed), share, n(c.Waited), n(c.Fresh), n(c.Dirtied), n(c.Removed)}
}

// tracedCache is the JSON form of a sum. Numbers are of pages.
type tracedCache struct {
	At      time.Time `json:"at"`
	Process string    `json:"process"`
	PID     int32     `json:"pid"`
	Device  string    `json:"device"`
	Asked   int64     `json:"asked_pages"`
	Hits    int64     `json:"hit_pages"`
	Misses  int64     `json:"missed_pages"`
	Waited  int64     `json:"waited_pages"`
	New     int64     `json:"new_pages"`
	Dirtied int64     `json:"dirtied_pages"`
	Removed int64     `json:"removed_pages"`
}

func cacheLine(at time.Time, c *view.CacheUse) tracedCache {
	return tracedCache{At: at, Process: c.Process, PID: c.PID, Device: c.Device, Asked: c.Asked, Hits: c.Hits(), Misses: c.Missed, Waited: c.Waited, New: c.Fresh, Dirtied: c.Dirtied, Removed: c.Removed}
}
