package census

import (
	"math"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/probe/procfile"
)

// On a host on which next to nothing has run for a minute, every second count is left out:
// to count a thousand processes that sleep is most of what a recorder costs. Counters go on
// meanwhile, so nothing is missed but which second it was. The count is taken as soon
// as anything runs, or waits for a disk.
const (
	calmAfter = time.Minute

	// calmShare is the share of one core that all of the host together may use.
	calmShare = 0.1

	// calmAge is how old the last count may be: two seconds, less what they may be early.
	calmAge = 1800 * time.Millisecond

	// calmSpan is the shortest time of which ticks tell a share.
	calmSpan = 500 * time.Millisecond
)

// calm is since when a host has done next to nothing.
type calm struct {
	since    time.Duration // uptime; 0: it did more, or nothing is known
	up, idle time.Duration
	cpus     int
}

// see takes how long the host is up, how long all of its CPUs together were idle without a
// task that waits for a disk, and how many of them are online.
func (c *calm) see(up, idle time.Duration, cpus int) {
	span := up - c.up
	if span >= 0 && span < calmSpan {
		return
	}
	used := time.Duration(cpus)*span - (idle - c.idle)
	share := float64(used) / float64(span)
	// A CPU that comes or goes, or a clock that jumps, makes it absurd.
	little := cpus == c.cpus && span > 0 && share < calmShare && share > -calmShare
	c.up, c.idle, c.cpus = up, idle, cpus
	switch {
	case !little:
		c.since = 0
	case c.since == 0:
		c.since = up - span
	}
}

// long says whether it has been calm for long enough.
func (c *calm) long() bool { return c.since > 0 && c.up-c.since >= calmAfter }

// rests says whether a count may be left out.
func (c *Census) rests() bool {
	b, err := c.dir.Head("uptime")
	if err != nil {
		return false
	}
	up, idle, ok := parseUptime(b)
	cpus, err := procfile.OnlineCPUs()
	if !ok || err != nil {
		return false
	}
	c.calm.see(up, idle, len(cpus))
	return c.calm.long() && time.Since(c.taken) < calmAge
}

// parseUptime reads /proc/uptime, "363.98 721.31": seconds with two digits behind the point.
func parseUptime(b []byte) (up, idle time.Duration, ok bool) {
	fields := strings.Fields(string(b))
	if len(fields) != 2 {
		return 0, 0, false
	}
	seconds := func(s string) time.Duration {
		f, err := strconv.ParseFloat(s, 64)
		ok = ok && err == nil && f >= 0 && f < math.MaxInt64/1e9
		return time.Duration(f * 1e9)
	}
	ok = true
	up, idle = seconds(fields[0]), seconds(fields[1])
	return up, idle, ok
}
