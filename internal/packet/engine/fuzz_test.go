package engine

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"rtrail/internal/packet/generate"
	"rtrail/internal/packet/pcap"
)

// FuzzCapture feeds whatever a capture may hold to everything at once. Nothing
// panics, no time is negative, and what comes out has come in: no more
// connections than packets, no more bytes than packets hold.
func FuzzCapture(f *testing.F) {
	for _, truth := range generate.Truths() {
		var b bytes.Buffer
		if err := truth.Write(&b); err != nil {
			f.Fatal(err)
		}
		if b.Len() < 16<<10 {
			f.Add(b.Bytes())
		}
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		if slices.Equal(file[:min(4, len(file))], []byte{0x28, 0xb5, 0x2f, 0xfd}) || len(file) > 1<<20 {
			return // unpacking has a target of its own
		}
		src, err := pcap.Open(context.Background(), []string{"-"}, bytes.NewReader(file))
		if err != nil {
			return
		}
		defer src.Close()
		var k kept
		// One worker, so that the same input always takes the same way.
		report, err := Run(context.Background(), src, Options{Workers: 1, Collector: k.collector})
		if err != nil {
			t.Fatal(err)
		}
		if report.Crashes.Any() {
			t.Fatalf("%+v\n%s", report.Crashes, report.Crashes.First.Stack)
		}
		if n := uint64(len(k.connections)); n != report.Connections || n > report.Packets {
			t.Errorf("%d connections, the report says %d, of %d packets", n, report.Connections, report.Packets)
		}
		var of uint64
		for _, n := range report.Results {
			of += n
		}
		if of != report.Packets {
			t.Errorf("%d packets have a result, of %d", of, report.Packets)
		}
		for i := range k.transactions {
			x := &k.transactions[i]
			if x.Upload < 0 || x.RT < 0 || x.Serve < 0 || x.Download < 0 || x.Serve > x.RT || x.Retransmit < 0 || x.Retransmit > x.Total() {
				t.Errorf("impossible times: %+v", *x)
			}
		}
	})
}
