package view

import (
	"math"
	"testing"
	"time"

	"rtrail/internal/recording"
)

// viewOf makes a view of rows, all in one sample.
func viewOf[T recording.Row](t *testing.T, host recording.Host, rows ...T) *View {
	t.Helper()
	rec := recording.New(recording.Manifest{Host: host})
	w := recording.NewWriter(t0)
	recording.Append(w, rows...)
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	return New(rec, at(0), at(60))
}

func TestProcessRates(t *testing.T) {
	light := func(s float64, user time.Duration) recording.ProcessSample {
		return recording.ProcessSample{At: at(s), PID: 7, Comm: "nginx", Started: t0, User: user, RunDelay: recording.Unknown,
			Voluntary: recording.Unknown, ReadBytes: recording.Unknown, BlockDelay: recording.Unknown}
	}
	first := light(0, time.Second)
	first.Full, first.RunDelay, first.Voluntary, first.ReadBytes = true, 2*time.Second, 1000, 0
	last := light(10, 6*time.Second)
	last.Full, last.RunDelay, last.Voluntary, last.ReadBytes, last.Anon = true, 7*time.Second, 3000, 100, 4096
	v := viewOf(t, recording.Host{}, first, light(5, 3*time.Second), last, light(11, 6500*time.Millisecond))
	p, ok := v.Process(7)
	if !ok {
		t.Fatal("process not found")
	}
	if p.CPU != 0.5 || p.RunDelay != 0.5 || p.Voluntary != 200 || p.ReadBytes != 10 {
		t.Errorf("CPU %v cores, run delay %v, switches %v/s, read %v B/s; want 0.5, 0.5, 200, 10", p.CPU, p.RunDelay, p.Voluntary, p.ReadBytes)
	}
	if !math.IsNaN(p.BlockDelay) {
		t.Errorf("block delay was never readable, got %v", p.BlockDelay)
	}
	if p.Anon != 4096 {
		t.Errorf("the last reading with all fields has 4096 bytes anonymous, got %d", p.Anon)
	}
}

func TestPIDUsedAgainIsAnotherProcess(t *testing.T) {
	v := viewOf(t, recording.Host{PID: 9},
		recording.ProcessSample{At: at(0), PID: 7, Comm: "old", Started: t0, User: time.Hour},
		recording.ProcessSample{At: at(10), PID: 7, Comm: "new", Started: at(5), User: time.Second},
		recording.ProcessSample{At: at(10), PID: 9, Comm: "rtrail", Started: at(0)},
	)
	if n := len(v.Processes()); n != 3 {
		t.Fatalf("want three processes, got %d", n)
	}
	if p, _ := v.Process(7); p.Comm != "new" || p.CPU != 0.2 {
		t.Errorf("want the young one with its own second of CPU in 5 s, got %s with %v cores", p.Comm, p.CPU)
	}
	if p, _ := v.Process(9); !p.Own {
		t.Error("rtrail's own process is not marked")
	}
	for _, p := range v.Processes() {
		if p.Gone != (p.Comm == "old") {
			t.Errorf("%s: gone %v", p.Comm, p.Gone)
		}
	}
	v = viewOf(t, recording.Host{PID: 9, Comm: "rtrail"}, recording.ProcessSample{At: at(1), PID: 9, Comm: "mysqld", Started: at(-50)}, recording.ProcessSample{At: at(10), PID: 9, Comm: "rtrail", Started: at(5)})
	for _, p := range v.Processes() {
		if p.Own != (p.Comm == "rtrail") {
			t.Errorf("%s with the number of rtrail: own %v", p.Comm, p.Own)
		}
	}
}

func TestEndedThreadIsNoReset(t *testing.T) {
	row := func(s float64, delay time.Duration) recording.ProcessSample {
		return recording.ProcessSample{At: at(s), PID: 7, Started: t0, Full: true, RunDelay: delay}
	}
	// The sum over live threads falls from 100 s to 60 s when a thread ends.
	v := viewOf(t, recording.Host{}, row(0, 99*time.Second), row(1, 100*time.Second), row(2, 60*time.Second), row(4, 61*time.Second))
	if p, _ := v.Process(7); p.RunDelay != 0.5 {
		t.Errorf("run delay %v s/s, want 2 s in 4 s: what an ended thread takes along is not time", p.RunDelay)
	}
}

func TestSocketOwnersOldestFirst(t *testing.T) {
	rec := recording.New(recording.Manifest{})
	w := recording.NewWriter(t0)
	recording.Append(w,
		recording.ProcessSample{At: at(1), PID: 21, Comm: "worker", Started: at(-5)},
		recording.ProcessSample{At: at(1), PID: 20, Comm: "master", Started: at(-9)})
	recording.Append(w,
		recording.SocketOwner{At: at(1), Inode: 5, PID: 21}, recording.SocketOwner{At: at(1), Inode: 5, PID: 20},
		recording.SocketOwner{At: at(2), Inode: 5, PID: 21}, recording.SocketOwner{At: at(2), Inode: 0, PID: 20})
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	v := New(rec, at(0), at(9))
	owners := v.SocketOwners(5)
	if len(owners) != 2 || owners[0].Comm != "master" {
		t.Errorf("owners of 5: %v", owners)
	}
	if got := v.SocketOwners(0); got != nil {
		t.Errorf("inode 0 belongs to nobody, got %v", got)
	}
}

func TestProcessBornInTheWindowCountsFromZero(t *testing.T) {
	v := viewOf(t, recording.Host{},
		recording.ProcessSample{At: at(6), PID: 7, Started: at(4), User: time.Second, Full: true},
		recording.ProcessSample{At: at(8), PID: 8, Started: at(7.9), User: 50 * time.Millisecond, Full: true})
	if p, _ := v.Process(7); p.CPU != 0.5 || p.CPUSeconds != 1 {
		t.Errorf("1 s of CPU in its 2 s: got %v cores, %v s", p.CPU, p.CPUSeconds)
	}
	if p, _ := v.Process(8); p.CPU != 0.05 {
		t.Errorf("50 ms of CPU 100 ms after its start: got %v cores, want them spread over a second", p.CPU)
	}
}
