package imported

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/rule/catalogue"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

// Releases of sysstat name some things otherwise. Each tells two reports of the same numbers.
func TestSadfReleases(t *testing.T) {
	const numbers = `"process-and-context-switch": {"proc": 5.00, "cswch": 1000.00}, "swap-pages": {"pswpin": 20.00, "pswpout": 30.00}`
	release := func(head, stamp, cpu, disk string) string {
		one := func(at string) string {
			return `{"timestamp": {"date": "2026-01-02", "time": "` + at + `", ` + stamp + `}, ` + cpu + `, ` + numbers + `, ` + disk + `}`
		}
		return `{"sysstat": {` + head + `"hosts": [{"nodename": "db", "sysname": "Linux", "release": "6.1.0", "machine": "x86_64", "number-of-cpus": 2, "file-date": "2026-01-02", "statistics": [` +
			one("10:00:00") + "," + one("10:10:00") + "," + one("10:20:00") + `]}]}}`
	}
	const (
		short = `"cpu-load": [{"cpu": "all", "user": 40.00, "nice": 0.00, "system": 10.00, "iowait": 0.00, "steal": 0.00, "idle": 50.00}]`
		long  = `"cpu-load": [{"cpu": "all", "usr": 40.00, "nice": 0.00, "sys": 10.00, "iowait": 0.00, "steal": 0.00, "irq": 0.00, "soft": 0.00, "guest": 0.00, "gnice": 0.00, "idle": 50.00}]`
		// before 11.6
		sectors = `"disk": [{"disk-device": "sda", "tps": 100.00, "rd_sec": 800.00, "wr_sec": 0.00, "avgrq-sz": 8.00, "avgqu-sz": 4.00, "await": 40.00, "svctm": 9.00, "util-percent": 90.00}]`
		kib     = `"disk": [{"disk-device": "sda", "tps": 100.00, "rkB": 400.00, "wkB": 0.00, "dkB": 0.00, "areq-sz": 4.00, "aqu-sz": 4.00, "await": 40.00, "util-percent": 90.00}]`
	)
	for name, c := range map[string]struct {
		text  string
		clock Clock
	}{
		"11.0":                {release(`"sysdata-version": 2.13, `, `"utc": 1, "interval": 600`, strings.Replace(long, "cpu-load", "cpu-load-all", 1), sectors), Exact},
		"11.2":                {release(`"sysdata-version": 2.15, `, `"utc": 1, "interval": 600`, short, sectors), Exact},
		"11.6":                {release(``, `"utc": 1, "interval": 600`, long, kib), Exact},
		"12.5":                {release(``, `"utc": 1, "interval": 600`, long, kib), Exact},
		"12.5, local":         {release(``, `"utc": 0, "interval": 600`, long, kib), Local},
		"12.7":                {release(``, `"tz": "UTC", "interval": 600`, long, kib), Exact},
		"12.7, local":         {release(``, `"tz": "CET", "interval": 600`, long, kib), Local},
		"an interval of -1":   {release(``, `"utc": 1, "interval": 184467440737095516`, long, kib), Exact},
		"without a time zone": {release(``, `"interval": 600`, long, kib), Local},
	} {
		rec, held, err := Read(t.Context(), []string{write(t, c.text)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		v := view.New(rec, held.From, held.To)
		total, _ := v.CPUTotal()
		about(t, name+": idle", total.Idle, 0.5, 0.001)
		d, _ := v.BlockDevice("sda")
		about(t, name+": reads", d.Reads, 100, 0.1)
		about(t, name+": bytes", d.ReadBytes, 400<<10, 1000)
		about(t, name+": utilisation", d.Utilisation, 0.9, 0.001)
		about(t, name+": queue", d.Queue, 4, 0.01)
		p, _ := v.Paging()
		about(t, name+": pages from swap", p.SwapInPages, 20, 0.1)
		if held.Clock != c.clock {
			t.Errorf("%s: clock %d, want %d", name, held.Clock, c.clock)
		}
		if notes := strings.Join(v.Manifest().Notes, "\n"); strings.Contains(notes, `"CET"`) != (name == "12.7, local") {
			t.Errorf("%s: %s", name, notes)
		}
		if notJudged(verdict.Judge(v, catalogue.For(v.Manifest())), "disk/saturated") {
			t.Errorf("%s: disks were not judged", name)
		}
	}
	// What no key tells is not judged, whatever else is there.
	unknown := release(``, `"tz": "UTC", "interval": 600`, long, strings.NewReplacer("util-percent", "busy-percent", "aqu-sz", "queue").Replace(kib))
	v := text(t, unknown)
	if out := verdict.Judge(v, catalogue.For(v.Manifest())); !notJudged(out, "disk/saturated") || notJudged(out, "cpu/steal") {
		t.Errorf("%+v", out.NotJudged)
	}
}

// Times that tell their zone are those of it, wherever they are read.
func TestSadfZones(t *testing.T) {
	local := time.Local
	defer func() { time.Local = local }()
	time.Local = time.FixedZone("east", 8*3600)
	const report = `{"sysstat": {"hosts": [{"nodename": "db", "statistics": [{"timestamp": {"date": "2026-01-02", "time": "10:00:00", %}, "queue": {"runq-sz": 1}}, {"timestamp": {"date": "2026-01-02", "time": "10:10:00", %}, "queue": {"runq-sz": 1}}]}]}}`
	csv := sadfCSV + ";runq-sz;plist-sz;ldavg-1;ldavg-5;ldavg-15;blocked\ndb;600;2026-01-02 10:00:00%;1;2;0.1;0.1;0.1;0\ndb;600;2026-01-02 10:10:00%;1;2;0.1;0.1;0.1;0\n"
	for _, c := range []struct {
		text, stamp string
		want        int // hours in UTC
	}{
		{report, `"utc": 1`, 10}, {report, `"utc": 0`, 2}, {report, `"tz": "UTC"`, 10}, {report, `"tz": "EST"`, 2}, {csv, " UTC", 10}, {csv, "", 2}, {csv, " CET", 2},
	} {
		_, held, err := Read(t.Context(), []string{write(t, strings.ReplaceAll(c.text, "%", c.stamp))})
		if err != nil || held.To.UTC().Hour() != c.want || held.To.Minute() != 10 {
			t.Errorf("%q: until %v, %v; want %d:10 UTC", c.stamp, held.To.UTC(), err, c.want)
		}
	}
	if _, _, err := Read(t.Context(), []string{write(t, strings.ReplaceAll(csv, "%", " of Mars"))}); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Error(err)
	}
}
