package imported

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"time"

	"rtrail/internal/unit"
)

// maxRun is longer than any host runs; eight times as much is still a duration.
const maxRun = 30 * 365 * 24 * time.Hour

// setTimes sets when copies were made. Files of /proc carry the time at which the kernel made them, often that of its
// start, and tools that keep the times of files (sos, cp -p) put it on their copies. So what copies tell themselves
// comes first. Of several all go by the same clock. kept says that times of files were of no use, and no copy of
// /proc/uptime is there in their place.
func setTimes(trees []*tree) (kept bool) {
	if len(trees) == 0 || trees[0].scrape != nil {
		return false // answers of node_exporter tell their time
	}
	all := func(ran func(*tree) time.Duration) bool {
		return !slices.ContainsFunc(trees, func(tr *tree) bool { return tr.boot().IsZero() || ran(tr) == 0 })
	}
	since := (*tree).up
	switch {
	case all(since):
	case all((*tree).ran) && slices.ContainsFunc(trees, (*tree).early):
		since, kept = (*tree).ran, true
	default:
		for _, tr := range trees {
			tr.at = tr.written
		}
		return false
	}
	first := trees[0].boot()
	for _, tr := range trees {
		boot := tr.boot()
		if boot.Sub(first).Abs() <= sameBoot {
			boot = first // the clock was set in between: what is counted goes on
		}
		tr.at = boot.Add(since(tr))
	}
	if one := trees[0]; kept && len(trees) == 1 {
		if late := one.youngest.Sub(one.at); late > 0 && late <= inexact(one.ran())+time.Hour { // which a collection may take
			one.at = one.youngest
		}
	}
	return kept
}

// up is for how long the host had run, by a copy of /proc/uptime; zero: it is not told.
func (tr *tree) up() time.Duration {
	first, _, _ := bytes.Cut(bytes.TrimSpace(tr.files["uptime"]), []byte{' '})
	if n, ok := number(string(first)); ok && n > 0 && n < maxRun.Seconds() {
		return time.Duration(n * float64(time.Second))
	}
	return 0
}

// ran is about for how long the host had run, by what its CPUs counted: as much as passed, as long as one is on line
// and the host is not suspended. zero: it is not told.
func (tr *tree) ran() (longest time.Duration) {
	for line := range bytes.Lines(tr.files["stat"]) {
		words := bytes.Fields(line)
		if len(words) < 5 || len(words[0]) < 4 || string(words[0][:3]) != "cpu" {
			continue
		}
		sum := time.Duration(0)
		for _, w := range words[1:min(len(words), 9)] { // guests are in what stands before
			n, err := strconv.ParseInt(string(w), 10, 64)
			if err != nil || n < 0 || n > int64(maxRun/(time.Second/userHZ)) {
				return 0
			}
			sum += time.Duration(n) * (time.Second / userHZ)
		}
		longest = max(longest, sum)
	}
	return min(longest, maxRun)
}

// inexact is by how much what CPUs counted may be off.
func inexact(ran time.Duration) time.Duration { return ran/50 + time.Minute }

// early says that the time of the file cannot be that of the copy: the host had run for longer.
func (tr *tree) early() bool {
	boot, ran := tr.boot(), tr.ran()
	return !boot.IsZero() && tr.written.Before(boot.Add(ran-inexact(ran)))
}

// sameTime refuses n copies or answers that are all of one time.
func (t *told) sameTime(n int) error {
	what, how := "copies of /proc", ", with a copy of proc/uptime or without cp -p: files of /proc carry the time at which the kernel made them"
	if t.trees[0].scrape != nil {
		what, how = "answers of node_exporter", ""
	}
	return fmt.Errorf("reading %s: all %d %s in it are of %v; take them some seconds apart%s", t.file, n, what, unit.Moment(t.trees[0].at), how)
}
