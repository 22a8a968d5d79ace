package imported

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// keptAt is a copy of a host that had run for some seconds, files of which have another time. up is its uptime; "": there
// is no copy of it.
func keptAt(after int, written time.Time, up string) []entry {
	where := fmt.Sprintf("%d-%s/", after, up)
	list := copyOf(where, after)
	if up != "" {
		list = append(list, entry{where + "proc/uptime", up + " 1.50\n", written})
	}
	for i := range list {
		list[i].at = written
	}
	return list
}

// Files of /proc carry the time at which the kernel made them, which sos and cp -p keep.
func TestTimesOfCopies(t *testing.T) {
	boot := time.Unix(1767300000, 0)
	made := boot.Add(2 * time.Second)
	since := func(seconds float64) time.Time { return boot.Add(time.Duration(seconds * float64(time.Second))) }
	for name, tc := range map[string]struct {
		entries []entry
		at      time.Time // of the first
		seconds float64
		noted   bool
	}{
		"times of copies":                       {slices.Concat(keptAt(10_000, since(10_020), ""), keptAt(10_010, since(10_032), "")), since(10_020), 12, false},
		"times long after, as of a copy of one": {slices.Concat(keptAt(10_000, since(90_000), ""), keptAt(10_010, since(90_010), "")), since(90_000), 10, false},
		"times of the kernel":                   {slices.Concat(keptAt(10_000, made, ""), keptAt(10_010, made, "")), since(10_001), 10, true},
		"of one of them":                        {slices.Concat(keptAt(10_000, made, ""), keptAt(10_010, since(10_013), "")), since(10_001), 10, true},
		"no times":                              {slices.Concat(keptAt(10_000, time.Unix(0, 0), ""), keptAt(10_010, time.Unix(0, 0), "")), since(10_001), 10, true},
		"uptime":                                {slices.Concat(keptAt(10_000, made, "10003.25"), keptAt(10_010, made, "10012.75")), since(10_003.25), 9.5, false},
		"uptime, and other times":               {slices.Concat(keptAt(10_000, since(90_000), "10003.25"), keptAt(10_010, since(95_000), "10012.75")), since(10_003.25), 9.5, false},
		"uptime of one of them":                 {slices.Concat(keptAt(10_000, made, "10003.25"), keptAt(10_010, made, "")), since(10_001), 10, true},
		"uptime that is none":                   {slices.Concat(keptAt(10_000, since(10_020), "-1"), keptAt(10_010, since(10_032), "1e99")), since(10_020), 12, false},
		"a clock that was set":                  {slices.Concat(keptAt(10_000, made, "10003.25"), later30(keptAt(10_010, made, "10012.75"))), since(10_003.25), 9.5, false},
		"one look":                              {keptAt(10_000, since(10_020), ""), since(10_020), 0, false},
		"one look, as sos keeps it":             {append(keptAt(10_000, made, ""), entry{"sos_commands/date/date", "x", since(10_300)}, entry{"etc/fstab", "x", since(-9e6)}), since(10_300), 0, true},
		"one look, with a file of later":        {append(keptAt(10_000, made, ""), entry{"notes", "x", since(3e6)}), since(10_001), 0, true},
		"one look, with uptime":                 {append(keptAt(10_000, made, "10003.25"), entry{"sos_commands/date/date", "x", since(10_300)}), since(10_003.25), 0, false},
	} {
		v := text(t, string(archive(t, tc.entries...)))
		if !v.Start().Equal(tc.at) || v.Seconds() != tc.seconds {
			t.Errorf("%s: %v, %v s, want %v, %v s", name, v.Start(), v.Seconds(), tc.at, tc.seconds)
		}
		if notes := strings.Join(v.Manifest().Notes, "\n"); strings.Contains(notes, "what its CPUs counted") != tc.noted {
			t.Errorf("%s: %q", name, notes)
		}
		if total, ok := v.CPUTotal(); tc.seconds > 0 && (!ok || total.Busy() < 0.99) {
			t.Errorf("%s: %+v", name, total)
		}
	}
	// Two archives with one copy each.
	first, second := write(t, string(archive(t, keptAt(10_000, made, "")...))), write(t, string(archive(t, keptAt(10_010, made, "")...)))
	if _, from, to := readAll(t, []string{second, first}); !from.Equal(since(10_001)) || to.Sub(from) != 10*time.Second {
		t.Errorf("two archives: %v to %v", from, to)
	}
}

// later30 is a copy of a host the clock of which was set to 30 seconds later.
func later30(list []entry) []entry {
	for i := range list {
		list[i].content = strings.Replace(list[i].content, "btime 1767300000", "btime 1767300030", 1)
	}
	return list
}

// What is given twice is of one time, and the error says what to do.
func TestSameTime(t *testing.T) {
	one, _, _ := strings.Cut(exporterTells(nil), "# HELP node_time_seconds System time in seconds since epoch (1970).\n# TYPE node_time_seconds gauge\nnode_time_seconds 1767322815\n")
	copied := string(archive(t, keptAt(10_000, time.Unix(1767300002, 0), "")...))
	for text, want := range map[string]string{
		one:    "all 2 answers of node_exporter in it are of 2026-01-02",
		copied: "all 2 copies of /proc in it are of 2026-01-01 23:26:41 UTC; take them some seconds apart, with a copy of proc/uptime or without cp -p",
	} {
		_, _, err := Read(t.Context(), []string{write(t, text), write(t, text)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
