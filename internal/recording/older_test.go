package recording

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/budget"
	"rtrail/internal/flatparquet"
)

// agedSample is a connection as earlier versions wrote it: with ages in place of times, a
// column that was dropped since, and one that no version has.
type agedSample struct {
	At           time.Time     `parquet:"at,timestamp(nanosecond)"`
	Inode        uint64        `parquet:"inode"`
	SinceSend    time.Duration `parquet:"since_send_ns"`
	SinceReceive time.Duration `parquet:"since_receive_ns"`
	UID          uint32        `parquet:"uid"`
	Strange      int64         `parquet:"strange"`
}

func (agedSample) Table() Table { return TCPSockets }

// Ages of earlier versions are read as times, from journals, from segments, and from
// segments that this version makes of such a journal.
func TestAgesBecomeTimes(t *testing.T) {
	old, now := kindOf[agedSample]("inode"), kindByName(TCPSockets)
	start := time.Unix(1.7e9, 0).UTC()
	at := func(s float64) time.Time { return start.Add(time.Duration(s * 1e9)) }
	// Two connections: one rests, the other one sends again at 1.5 s; a third one begins later.
	samples := [][]agedSample{
		{{Inode: 1, SinceSend: time.Second, SinceReceive: 2 * time.Second, UID: 7, Strange: 1}, {Inode: 2, SinceSend: 3 * time.Second}},
		{{Inode: 1, SinceSend: 2 * time.Second, SinceReceive: 3 * time.Second, UID: 7, Strange: 2}, {Inode: 2, SinceSend: 4 * time.Second, SinceReceive: time.Second}},
		{{Inode: 2, SinceSend: 500 * time.Millisecond, SinceReceive: 2 * time.Second}, {Inode: 1, SinceSend: 3 * time.Second, SinceReceive: 4 * time.Second, UID: 7}, {Inode: 3}},
	}
	type times struct {
		Inode              uint64
		At, Sent, Received time.Time
	}
	want := []times{
		{1, at(0), at(-1), at(-2)}, {2, at(0), at(-3), at(0)},
		{1, at(1), at(-1), at(-2)}, {2, at(1), at(-3), at(0)},
		{2, at(2), at(1.5), at(0)}, {1, at(2), at(-1), at(-2)}, {3, at(2), at(2), at(2)},
	}
	told := func(list []TCPSample) (all []times) {
		for _, r := range list {
			all = append(all, times{r.Inode, r.At, r.LastSend, r.LastReceive})
		}
		return all
	}
	byThing := func(all []times) (sorted []times) {
		for inode := range uint64(4) {
			for _, r := range all {
				if r.Inode == inode {
					sorted = append(sorted, r)
				}
			}
		}
		return sorted
	}
	var written, read, readAsOld deltaTable
	texts, fromJournal := newTextList(), &table[TCPSample]{}
	resealed, sealed := newShelf(now, nil), newShelf(old, nil)
	for s, list := range samples {
		for i := range list {
			list[i].At = at(float64(s))
		}
		block := written.encode(old, old.load(&table[agedSample]{list: list}, 0, len(list), texts, nil))
		got, err := read.decode(now, block, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := now.store(fromJournal, got.words, texts.list, now.choose(got.words, len(list), nil)); err != nil {
			t.Fatal(err)
		}
		if err := resealed.add(got, texts.list); err != nil {
			t.Fatal(err)
		}
		if got, err = readAsOld.decode(old, block, nil); err != nil {
			t.Fatal(err)
		}
		if err := sealed.add(got, texts.list); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, told(fromJournal.list)); diff != "" {
		t.Errorf("from the journal (-want +got)\n%s", diff)
	}
	compressor, err := flatparquet.NewCompressor()
	if err != nil {
		t.Fatal(err)
	}
	defer compressor.Close()
	for name, s := range map[string]*shelf{"a segment of this version": resealed, "a segment of an earlier version": sealed} {
		var out bytes.Buffer
		if err := s.writeParquet(&out, "host", compressor); err != nil {
			t.Fatal(err)
		}
		all := &table[TCPSample]{}
		ignored, err := now.readParquet(t.Context(), bytes.NewReader(out.Bytes()), int64(out.Len()), readOptions{memory: budget.New(1 << 30)}, all)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(byThing(want), byThing(told(all.list))); diff != "" {
			t.Errorf("from %s (-want +got)\n%s", name, diff)
		}
		if s == sealed && (len(ignored) != 1 || !strings.Contains(ignored[0], "strange")) {
			t.Errorf("notes %q, want one about the column that no version has", ignored)
		}
	}
}

// A column that came back is not retired any more: it would be left out where it is read again.
func TestRetiredColumnsAreGone(t *testing.T) {
	for table, names := range retiredColumns {
		k := kindByName(table)
		if k == nil {
			t.Errorf("%s is no table", table)
			continue
		}
		for name := range strings.FieldsSeq(names) {
			if k.column(name) >= 0 {
				t.Errorf("%s of %s is retired, and is a column", name, table)
			}
		}
	}
}
