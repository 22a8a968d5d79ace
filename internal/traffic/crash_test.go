package traffic

import (
	"context"
	"testing"
	"time"

	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
)

// TestCrashOfPrinters has what prints requests panic, once or always: the run comes to
// its end, says so, and prints the others.
func TestCrashOfPrinters(t *testing.T) {
	path := truth(t, "mysql")
	run := func(workers int, stream *Stream) engine.Report {
		src, err := pcap.OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		stream.Start(workers)
		tap := Tap{Summary: summary.New(workers, summary.Options{}), Listeners: []func(int) Listener{stream.Listener}}
		ended := make(chan engine.Report, 1)
		go func() {
			report, _ := engine.Run(context.Background(), src, engine.Options{Workers: workers, Collector: tap.Collector})
			ended <- report
		}()
		select {
		case report := <-ended:
			return report
		case <-time.After(20 * time.Second):
			t.Fatalf("%d workers: the run does not end", workers)
			return engine.Report{}
		}
	}
	for workers := 1; workers <= 2; workers++ {
		rows := 0
		whole := run(workers, &Stream{Rows: func(list []rt.Transaction) error { rows += len(list); return nil }})
		if whole.Crashes.Any() || rows < 2 {
			t.Fatalf("%d requests, %+v", rows, whole.Crashes)
		}

		got := 0
		report := run(workers, &Stream{Encode: func(int) func([]byte, *rt.Transaction) []byte {
			n := 0
			return func(b []byte, _ *rt.Transaction) []byte {
				if n++; n == 2 {
					panic("a request")
				}
				return append(b, 'x')
			}
		}, Text: func(*Place, []byte) error { got++; return nil }})
		if got == 0 || got >= rows || report.Crashes.Connections+report.Crashes.Packets == 0 {
			t.Errorf("%d workers: %d requests of %d, %+v", workers, got, rows, report.Crashes)
		}

		report = run(workers, &Stream{Rows: func([]rt.Transaction) error { panic("all rows") }})
		if report.Crashes.First.What != "all rows" {
			t.Errorf("%d workers: %+v", workers, report.Crashes)
		}
	}
}
