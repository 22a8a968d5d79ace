package rt

import (
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/proto"
)

// A run ends with something else, and has begun after something else.
func TestRuns(t *testing.T) {
	const ms = time.Millisecond
	var at int64
	query := func(fingerprint string) *Transaction {
		at += int64(2 * ms)
		return &Transaction{Command: "Query", Fingerprint: fingerprint, Start: at - int64(ms), RT: ms, Depth: 1}
	}
	many := func(n int, fingerprint string) (list []*Transaction) {
		for range n {
			list = append(list, query(fingerprint))
		}
		return list
	}
	join := func(lists ...[]*Transaction) (all []*Transaction) {
		for _, l := range lists {
			all = append(all, l...)
		}
		return all
	}
	with := func(list []*Transaction, change func(int, *Transaction)) []*Transaction {
		for i, x := range list {
			change(i, x)
		}
		return list
	}
	run := func(n uint32, waited time.Duration) Run {
		return Run{Command: "Query", Fingerprint: "item", Count: n, Time: time.Duration(n)*2*ms - ms, Waited: waited}
	}
	tests := []struct {
		name string
		list []*Transaction
		want []Run // of at least two
	}{
		{"an order and its items", join(many(1, "order"), many(30, "item"), many(1, "order")), []Run{run(30, 30*ms)}},
		{"never anything else", many(100, "item"), nil},
		{"the beginning was not seen", join(many(30, "item"), many(1, "order")), nil},
		{"the end was not seen", join(many(1, "order"), many(30, "item")), nil},
		{"twice", join(many(1, "order"), many(3, "item"), many(1, "order"), many(4, "item"), many(1, "order")), []Run{run(3, 3*ms), run(4, 4*ms)}},
		{"all under way at once", join(many(1, "order"), with(many(30, "item"), func(_ int, x *Transaction) { x.Depth = 2 }), many(1, "order")), nil},
		{"one was lost", join(many(1, "order"), with(many(30, "item"), func(i int, x *Transaction) {
			if i == 10 {
				x.Doubt = proto.Lossy
			}
		}), many(1, "order")), nil},
		{"closing statements does not count", join(many(1, "order"), many(2, "item"), with(many(1, ""), func(_ int, x *Transaction) {
			x.Status, x.Command = proto.NoAnswer, "CloseStmt"
			at -= int64(2 * ms)
		}), many(2, "item"), many(1, "order")), []Run{run(4, 4*ms)}},
		{"prepared each time", join(many(1, "order"), with(many(10, "item"), func(i int, x *Transaction) {
			if x.Command = "Execute"; i%2 == 0 {
				x.Command = "Prepare"
			}
		}), many(1, "order")), []Run{{Command: "Execute", Fingerprint: "item", Count: 10, Time: 19 * ms, Waited: 10 * ms}}},
	}
	for _, test := range tests {
		var r stretch
		var got []Run
		for _, x := range test.list {
			if ended := r.next(x); ended.Count > 1 {
				got = append(got, ended)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

// Words of an exchange are valid during the call only.
func TestErrorsAreKept(t *testing.T) {
	var w Tracker
	code, text := []byte("1146"), []byte("no such table")
	for range 2 {
		x := w.blank()
		w.fill(x, &proto.Exchange{Failed: true, Code: unsafe.String(&code[0], len(code)), Error: unsafe.String(&text[0], len(text))})
		first := *x
		copy(code, "9999")
		copy(text, "something else")
		if first.Code != "1146" || first.Error != "no such table" {
			t.Fatalf("%q, %q: changed with the buffer", first.Code, first.Error)
		}
		copy(code, "1146")
		copy(text, "no such table")
	}
}
