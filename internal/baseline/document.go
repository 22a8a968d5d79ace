package baseline

import (
	"fmt"
	"math"

	"rtrail/internal/document"
	"rtrail/internal/unit"
)

// words say what a number is.
var words = map[What]string{
	SequentialRead: "sequential reads of 1 MiB", SequentialWrite: "sequential writes of 1 MiB",
	RandomReads: "random reads of 4 KiB, 32 at a time", RandomWrites: "random writes of 4 KiB, 32 at a time",
	SyncMedian: "fsync of 4 KiB, median", SyncP99: "fsync of 4 KiB, p99",
	HashOne: "SHA-256, one thread", HashAll: "SHA-256, all CPUs",
	CopyOne: "copies of memory, one thread", CopyAll: "copies of memory, all CPUs",
	Sent: "TCP, sent to the peer", Received: "TCP, received from the peer", Packets: "packets of 64 bytes that reach the peer", RoundTrip: "request and answer of 100 bytes, median",
	Requests: "HTTP requests over loopback",
}

// Document is the baseline for people, beside an earlier one if there is one.
func (b *Baseline) Document(earlier *Baseline) document.Document {
	d := document.Document{Title: "What this host can do"}
	facts := document.Facts{Lead: "BASELINE", Style: document.Strong, Items: []string{b.Host, "kernel " + b.Kernel, unit.Moment(b.Measured).String()}}
	if earlier != nil {
		facts.Items = append(facts.Items, "beside that of "+unit.Moment(earlier.Measured).String())
	}
	t := document.Table{Columns: []document.Column{{Name: "of"}, {Name: "what"}, {Name: "can do", Right: true}}}
	if earlier != nil {
		t.Columns = append(t.Columns, document.Column{Name: "before", Right: true}, document.Column{Name: "change", Right: true})
	}
	for _, v := range b.Values {
		of := string(v.Kind)
		if v.Thing != "" {
			of += " " + v.Thing
		}
		row := []string{of, words[v.What], v.String()}
		if earlier != nil {
			before, change := "-", "-"
			if old, ok := earlier.get(v); ok {
				before, change = old.String(), fmt.Sprintf("%+.0f %%", 100*(float64(v.Value)/float64(old.Value)-1))
			}
			row = append(row, before, change)
		}
		t.Add(row)
	}
	d.Blocks = []document.Block{facts, t}
	if b.Busy > MostBusy {
		d.Blocks = append(d.Blocks, document.List{Style: document.Warn, Items: []document.Item{{Words: fmt.Sprintf("%s of the CPUs were busy with other work just before: the host can do more than this", unit.Share(b.Busy))}}})
	}
	return d
}

// MostBusy is how busy a host may be that is measured: what others take is missing.
const MostBusy = 0.1

// get is the value of the same thing.
func (b *Baseline) get(of Value) (Value, bool) {
	for _, v := range b.Values {
		if v.Kind == of.Kind && v.Thing == of.Thing && v.What == of.What && v.Value > 0 {
			return v, true
		}
	}
	return Value{}, false
}

// String is the number with its unit.
func (v Value) String() string {
	x := float64(v.Value)
	switch v.What.Unit() {
	case "seconds":
		return unit.Seconds(x).String()
	case "per second":
		return unit.PerSecond(x).String()
	}
	return unit.Bytes(int64(math.Round(x))).String() + "/s"
}
