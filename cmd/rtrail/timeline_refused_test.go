package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
)

// twentyMinutes is a recording of a host that is busiest in the first twenty seconds of each minute, and loses
// packets at times.
func twentyMinutes(t *testing.T, loses func(minute, second int) bool) string {
	t.Helper()
	start := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	now := start
	dir := filepath.Join(t.TempDir(), "rec")
	d, err := recording.Create(dir, recording.Manifest{Tool: "rtrail test", Started: start,
		Probes: []recording.ProbeInfo{{Name: "made-up", Fills: recording.AllTables(), Interval: time.Second}},
		Host:   recording.Host{Name: "db", Kernel: "6.1.0", Arch: "amd64", CPUs: 2, MemoryBytes: 8 << 30, PageSize: 4096, Boot: start.Add(-time.Hour), NetNS: 7}},
		recording.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	cpu := recording.CPUSample{CPU: -1}
	var sent, again, switches int64
	for now.Before(start.Add(20 * time.Minute)) {
		w := recording.NewWriter(now)
		for range 10 {
			now = now.Add(time.Second)
			busy := 100 * time.Millisecond
			if now.Second() < 20 {
				busy = 800 * time.Millisecond
			}
			cpu.At, cpu.User, cpu.Idle = now, cpu.User+busy, cpu.Idle+2*time.Second-busy
			sent, switches = sent+1300, switches+500
			if loses(now.Minute(), now.Second()) {
				again += 40
			}
			recording.Append(w, cpu)
			recording.Append(w, recording.SystemSample{At: now, ContextSwitches: uint64(switches), Running: 1, Tasks: 100})
			for name, v := range map[[2]string]int64{{"Tcp", "OutSegs"}: sent, {"Tcp", "RetransSegs"}: again, {"TcpExt", "TCPSynRetrans"}: 0, {"TcpExt", "TCPTimeouts"}: again / 4} {
				recording.Append(w, recording.ProtocolSample{At: now, NetNS: 7, Protocol: name[0], Name: name[1], Value: v})
			}
		}
		if err := d.Commit(w); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Packets that are lost while the host idles are found, though other seconds of the minute are busier; where
// nothing is lost, nothing is.
func TestTimelineOfLostPackets(t *testing.T) {
	for name, c := range map[string]struct {
		loses func(minute, second int) bool
		says  []string
		not   string
	}{
		"for a quarter of a minute": {func(minute, second int) bool { return minute == 7 && second >= 33 && second < 48 },
			[]string{"net/packet-loss", "the busiest 10 s of each 60 s, in 1 also those of most refusals"}, "none was found"},
		"never": {func(int, int) bool { return false }, []string{"none was found, the busiest 10 s of each 60 s"}, "net/packet-loss"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := twentyMinutes(t, c.loses)
			var out, errs bytes.Buffer
			if code := run([]string{"timeline", dir, "--step", "1m"}, &out, &errs); code != exitOK {
				t.Fatalf("it exits with %d: %s", code, errs.String())
			}
			text := strings.Join(strings.Fields(out.String()), " ")
			for _, want := range c.says {
				if !strings.Contains(text, want) {
					t.Errorf("%q is missing in\n%s", want, out.String())
				}
			}
			if strings.Contains(text, c.not) {
				t.Errorf("%q is in\n%s", c.not, out.String())
			}
		})
	}
}
