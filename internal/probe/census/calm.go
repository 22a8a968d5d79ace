package census

import (
	"math"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/probe/procfile"
)

// In a second in which next to nothing runs on the host, a count is left out, but not two in
// a row: to count a thousand processes that sleep is most of what a recorder costs. Counters
// go on meanwhile, so nothing is missed but which second it was. A run of a minute or less
// has all of its counts.
const (
	calmAfter = time.Minute

	// calmShare is the share of one core that all of the host together may use.
	calmShare = 0.1

	// calmAge is how old the last count may be: two seconds, less what they may be early.
	calmAge = 1800 * time.Millisecond

	// calmSpan is the shortest time of which ticks tell a share.
	calmSpan = 500 * time.Millisecond
)

// calm follows what a host does.
type calm struct {
	first    time.Duration // uptime at the first look; 0: there was none
	up, idle time.Duration // at the last one
	cpus     int
	little   bool // next to nothing ran between the last two
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
	c.little = c.first > 0 && cpus == c.cpus && share < calmShare && share > -calmShare
	c.up, c.idle, c.cpus = up, idle, cpus
	if c.first == 0 {
		c.first = up
	}
}

// now says whether a count may be left out.
func (c *calm) now() bool { return c.little && c.up-c.first >= calmAfter }

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
	return c.calm.now() && time.Since(c.taken) < calmAge
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
