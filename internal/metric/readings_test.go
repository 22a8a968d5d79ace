package metric

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/sums"
	"rtrail/internal/recording"
)

func after(d time.Duration) time.Time { return start.Add(d) }

const ms = time.Millisecond

// A walk through /proc takes some time; a process that is in none of its rows was not there.
func TestTotalOfAReading(t *testing.T) {
	row := func(at time.Duration, pid int32, state string) recording.ProcessSample {
		return recording.ProcessSample{At: after(at), PID: pid, PPID: 1, State: state}
	}
	v := viewOf(t,
		row(0, 5, "Z"), row(90*ms, 6, "Z"), row(180*ms, 7, "S"),
		row(1000*ms, 5, "Z"), row(1090*ms, 7, "S"),
		row(1150*ms, 5, "S"), row(1200*ms, 7, "S"), // at once again: another reading
		row(9900*ms, 5, "Z")) // the window ends within it
	want := []Series{{Labels: []string{"1"}, Points: []Point{{after(0), 2}, {after(time.Second), 1}, {after(1150 * ms), 0}}}}
	if diff := cmp.Diff(want, ProcessZombies.Series.Read(v)); diff != "" {
		t.Error(diff)
	}
	if got := ProcessZombies.Series.Read(viewOf(t, row(0, 5, "S"))); len(got) > 0 {
		t.Errorf("zombies where there was none: %v", got)
	}
}

func TestTotalOfStretches(t *testing.T) {
	sync := func(at int, path string, calls int64, traced time.Duration) recording.SyncSum {
		return recording.SyncSum{At: start.Add(time.Duration(at) * time.Second), PID: 7, Process: "mysqld", Call: "fsync", Path: path, Calls: calls, Span: 2 * time.Second, Traced: traced}
	}
	v := viewOf(t, sync(2, "/a", 10, 0), sync(2, "/b", 6, 0), sync(4, "/a", 10, 500*ms))
	want := []Series{
		{Labels: []string{"7", "mysqld", "/a"}, Points: []Point{{at(2), 5}, {at(4), 20}}},
		{Labels: []string{"7", "mysqld", "/b"}, Points: []Point{{at(2), 3}, {at(4), 0}}}}
	if diff := cmp.Diff(want, Syncs.Series.Read(v)); diff != "" {
		t.Error(diff)
	}
}

func TestEventsOfASecond(t *testing.T) {
	exit := func(at time.Duration) recording.ProcessEvent {
		return recording.ProcessEvent{At: after(at), Kind: recording.ProcessExited, Comm: "job"}
	}
	list := ProcessRuns.Series.Read(viewOf(t, exit(100*ms), exit(900*ms), exit(3000*ms), recording.ProcessEvent{At: at(4), Kind: recording.ProcessForked}))
	if len(list) != 1 || len(list[0].Points) != 10 {
		t.Fatalf("%v, want a point for each of ten seconds", list)
	}
	for i, p := range list[0].Points {
		if want := map[int]float64{0: 2, 3: 1}[i]; p.Value != want || !p.At.Equal(at(i+1)) {
			t.Errorf("second %d: %v, want %v", i, p, want)
		}
	}
}

// Counters that are missing from a reading say nothing of the sum.
func TestCombinedCounters(t *testing.T) {
	row := func(second int, name string, value float64) recording.MySQLStatus {
		return recording.MySQLStatus{At: at(second), Server: "db", Name: name, Value: value}
	}
	const reads, requests = "Innodb_buffer_pool_reads", "Innodb_buffer_pool_read_requests"
	v := viewOf(t,
		row(0, reads, 10), row(0, requests, 100), row(0, "Uptime", 5),
		row(1, reads, 20), row(1, requests, 200),
		row(2, reads, 20), row(2, requests, 200), // nothing was asked for
		row(3, requests, 900),
		row(4, reads, 40), row(4, requests, 1000),
		row(5, reads, 80), row(5, requests, 1100))
	want := []Series{{Labels: []string{"db"}, Points: []Point{{at(1), 0.1}, {at(5), 0.4}}}}
	if diff := cmp.Diff(want, MySQLPoolMissShare.Series.Read(v)); diff != "" {
		t.Error(diff)
	}
}

// A second of a capture that goes on after the window has more to come.
func TestSecondsOfACapture(t *testing.T) {
	second := func(n int, count int64, took time.Duration) recording.PacketService {
		return recording.PacketService{At: at(n), Server: "10.0.0.2", ServerPort: 80, Proto: "http", Requests: sums.Requests{Count: count, RTSum: took, Serve: took}}
	}
	v := viewOf(t, second(0, 10, time.Second), second(1, 0, 0), second(9, 2, time.Second), second(10, 1, time.Second))
	want := []Series{{Labels: []string{"http 10.0.0.2:80"}, Points: []Point{{after(500 * ms), 0.1}, {after(9500 * ms), 0.5}}}}
	if diff := cmp.Diff(want, RTServe.Series.Read(v)); diff != "" {
		t.Error(diff)
	}
}
