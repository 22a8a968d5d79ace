package socket

import (
	"encoding/binary"
	"flag"
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"rtrail/internal/recording"
)

var recordQueues = flag.Bool("record-queues", false, "write the queues of this namespace to testdata")

// Recorded on a kernel 6.18 in a namespace in which veth0 had an htb with a tbf
// and a small pfifo below, which had thrown away packets, and d0 a bfifo and a clsact.
func TestQueues(t *testing.T) {
	if *recordQueues {
		recordQdiscs(t)
	}
	var got []recording.QdiscSample
	var last tree
	r := newReader()
	for _, b := range messages(t, "qdiscs") {
		var row recording.QdiscSample
		index, ok := r.qdisc(b, &row)
		if !ok {
			t.Fatalf("not read: %x", b)
		}
		if row.Kind != "noqueue" && last.keeps(index, &row) {
			got = append(got, row)
		}
		for cut := range b { // torn anywhere, it is read as far as it goes
			var torn recording.QdiscSample
			_, _ = r.qdisc(b[:cut], &torn)
		}
	}
	var kinds []string
	for _, g := range got {
		kinds = append(kinds, g.Kind)
	}
	want := []string{"htb", "tbf", "pfifo", "bfifo", "clsact"}
	if !slices.Equal(kinds, want) {
		t.Fatalf("kinds %v, want %v", kinds, want)
	}
	htb, tbf := got[0], got[1]
	if htb.Parent != recording.QdiscRoot || htb.Handle != 0x10000 || tbf.Parent != 0x10010 || got[4].Parent != recording.QdiscIngress {
		t.Errorf("handles and parents: %+v", got)
	}
	if htb.Drops == 0 || htb.Drops != tbf.Drops || htb.Packets == 0 || htb.Bytes == 0 || tbf.Overlimits == 0 {
		t.Errorf("the root includes what is below: %+v, %+v", htb, tbf)
	}
}

// An interface with a queue for each of those of the hardware is one row.
func TestPartsOfMQ(t *testing.T) {
	var last tree
	rows := 0
	keep := func(index int32, kind string, handle, parent uint32) {
		if last.keeps(index, &recording.QdiscSample{Kind: kind, Handle: handle, Parent: parent}) {
			rows++
		}
	}
	keep(2, "mq", 0, recording.QdiscRoot)
	for i := range uint32(64) {
		keep(2, "fq_codel", 0, i+1)
	}
	if rows != 1 {
		t.Errorf("%d rows of mq, want its root only", rows)
	}
	keep(3, "htb", 0x10000, recording.QdiscRoot)
	for i := range uint32(1000) {
		keep(3, "fq_codel", (i+2)<<16, 0x10001+i)
	}
	if rows != 2+queuesBelow {
		t.Errorf("%d rows, want mq, htb and %d below it", rows, queuesBelow)
	}
}

func recordQdiscs(t *testing.T) {
	c, err := openNetlink(unix.NETLINK_ROUTE, make([]byte, dumpBuffer))
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	var out []byte
	err = c.ask(unix.RTM_GETQDISC, make([]byte, tcSize), func(b []byte) error {
		out = append(binary.LittleEndian.AppendUint32(out, uint32(len(b))), b...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("testdata/qdiscs.diag", out, 0o644); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkQueues(b *testing.B) {
	c, err := openNetlink(unix.NETLINK_ROUTE, make([]byte, dumpBuffer))
	if err != nil {
		b.Skip(err)
	}
	defer c.close()
	request := make([]byte, tcSize)
	for b.Loop() {
		if err := c.ask(unix.RTM_GETQDISC, request, func([]byte) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
