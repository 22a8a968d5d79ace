package engine

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"rtrail/internal/packet/generate"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/rt"
)

// kept keeps everything, in the order in which the truth lists it.
type kept struct {
	mu           sync.Mutex
	transactions []rt.Transaction
	connections  []rt.Connection
	last         int64
	back         bool // Progress went back
}

// keeper is the collector of one worker.
type keeper struct {
	Nop
	*kept
	progress int64
}

func (k *kept) collector(int) Collector { return &keeper{kept: k} }

func (k *keeper) Transaction(t *rt.Transaction) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.transactions = append(k.transactions, *t)
}

func (k *keeper) Connection(c *rt.Connection) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.connections = append(k.connections, c.Clone())
}

func (k *keeper) Progress(at int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.back = k.back || at < k.progress
	k.progress = at
	k.last = max(k.last, at)
}

// usable are the transactions that the truth speaks of.
func (k *kept) usable() []rt.Transaction {
	var list []rt.Transaction
	for _, t := range k.transactions {
		if t.Usable() {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b rt.Transaction) int {
		return cmp.Or(cmp.Compare(a.Frames[0], b.Frames[0]), cmp.Compare(a.Frames[2], b.Frames[2]))
	})
	return list
}

func (k *kept) sorted() []rt.Connection {
	slices.SortFunc(k.connections, func(a, b rt.Connection) int { return cmp.Compare(a.ID, b.ID) })
	return k.connections
}

// run reads a capture with some workers and keeps what is found.
func run(t testing.TB, path string, workers int) (*kept, Report) {
	t.Helper()
	src, err := pcap.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var k kept
	report, err := Run(context.Background(), src, Options{Workers: workers, Collector: k.collector})
	if err != nil {
		t.Fatal(err)
	}
	if report.Crashes.Any() {
		t.Fatalf("%+v\n%s", report.Crashes, report.Crashes.First.Stack)
	}
	return &k, report
}

// TestTruth reads every capture of which all is known, and finds just that,
// whatever the number of workers.
func TestTruth(t *testing.T) {
	for _, truth := range generate.Truths() {
		var file bytes.Buffer
		if err := truth.Write(&file); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), truth.Name)
		if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		for workers := 1; workers <= 3; workers++ {
			k, report := run(t, path, workers)
			for _, difference := range truth.Check(k.usable(), k.sorted()) {
				t.Errorf("%s, %d workers: %s", truth.Name, workers, difference)
			}
			if report.Connections != uint64(len(truth.Connections)) {
				t.Errorf("%s, %d workers: the report counts %d connections, want %d", truth.Name, workers, report.Connections, len(truth.Connections))
			}
			if k.back || k.last != report.Last {
				t.Errorf("%s, %d workers: progress reached %d (back: %v), want %d", truth.Name, workers, k.last, k.back, report.Last)
			}
		}
	}
}
