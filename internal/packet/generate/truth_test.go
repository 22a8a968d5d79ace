package generate

import (
	"bytes"
	"context"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/tcp"
)

// Every truth is a capture that can be read without complaint, and whose
// transactions lie at packets that are in it.
func TestTruths(t *testing.T) {
	names := map[string]bool{}
	for _, truth := range Truths() {
		t.Run(truth.Name, func(t *testing.T) {
			if names[truth.Name] || truth.Help == "" {
				t.Error("a name twice, or no help")
			}
			names[truth.Name] = true
			var file bytes.Buffer
			if err := truth.Write(&file); err != nil {
				t.Fatal(err)
			}
			src, err := pcap.Open(context.Background(), []string{"-"}, &file)
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			times := map[uint64]int64{}
			for {
				b, err := src.Next(context.Background())
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range b.Packets {
					times[p.Frame] = p.Time
				}
				b.Release()
			}
			if n := src.Notes(); len(n) > 0 {
				t.Error(n)
			}
			for i, x := range truth.Transactions {
				f := x.Frames
				if times[f[0]] != x.Start || times[f[1]]-times[f[0]] != int64(x.Upload) ||
					times[f[2]]-times[f[1]] != int64(x.RT) || times[f[3]]-times[f[2]] != int64(x.Download) {
					t.Errorf("transaction %d does not lie at its packets: %+v", i, x)
				}
			}
		})
	}
}

// The mini-capture has the numbers that its description promises.
func TestMini(t *testing.T) {
	truth := miniature().truth()
	var got [][3]time.Duration
	for _, x := range truth.Transactions {
		got = append(got, [3]time.Duration{x.RT, x.Serve, x.Retransmit})
	}
	want := [][3]time.Duration{{205 * ms, 5 * ms, 200 * ms}, {10 * ms, 10 * ms, 0}, {49 * ms, 49 * ms, 0}, {20 * ms, 20 * ms, 0}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if n := truth.Connections[0].Sides[0].Retransmissions + truth.Connections[0].Sides[1].Retransmissions; n != 2 {
		t.Errorf("%d retransmissions", n)
	}
}

// Check must see what differs.
func TestCheck(t *testing.T) {
	truth := miniature().truth()
	right := append([]rt.Transaction(nil), truth.Transactions...)
	if n := len(truth.Check(right, nil)); n != 1 { // the connection is missing
		t.Error(truth.Check(right, nil))
	}
	right[2].RT++
	right[3].Frames[1]++
	if n := len(truth.Check(right, nil)); n != 3 {
		t.Error(truth.Check(right, nil))
	}
	other := []rt.Connection{{Conn: &tcp.Conn{}}}
	if n := len(truth.Check(right[:2], other)); n < 5 {
		t.Error(truth.Check(right[:2], other))
	}
}
