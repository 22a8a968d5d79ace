package summary

import (
	"testing"
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/tcp"
)

// Only long runs count, each for the statement that was repeated.
func TestRunsOfStatements(t *testing.T) {
	c := New(2, Options{})
	order := func(worker int, items uint32) {
		c.Worker(worker).Transaction(transaction(second, time.Millisecond, func(x *rt.Transaction) { x.Fingerprint = "item" }))
		c.Worker(worker).Transaction(transaction(second, time.Millisecond, func(x *rt.Transaction) {
			x.Fingerprint = "COMMIT"
			x.Idle = 30 * time.Millisecond
			x.After = rt.Run{Command: "Query", Fingerprint: "item", Count: items, Time: 100 * time.Millisecond, Waited: 60 * time.Millisecond}
		}))
	}
	order(0, 150)
	order(1, 100)
	order(1, longRun-1)
	for key, s := range c.Result().Statements {
		switch key.Fingerprint {
		case "item":
			want := Runs{Runs: 2, Requests: 250, Most: 150, Time: 200 * time.Millisecond, Waited: 120 * time.Millisecond}
			if s.Runs != want {
				t.Errorf("got %+v, want %+v", s.Runs, want)
			}
			if s.IdleTimes != nil {
				t.Error("the waits before a statement that ends nothing are kept")
			}
		case "COMMIT":
			if s.IdleTimes == nil || s.IdleTimes.Count() != 3 || s.Runs.Runs != 0 {
				t.Errorf("COMMIT: %+v, waits %v; want 3 waits and no run", s.Runs, s.IdleTimes)
			}
		default:
			t.Errorf("unknown statement %q", key.Fingerprint)
		}
	}
}

// A connection that ends within an answer, or before one, is kept with its
// request; one that was asked nothing is not, nor one that is still open.
func TestInterrupted(t *testing.T) {
	c := New(2, Options{Slowest: 2})
	end := func(worker int, id uint64, at int64, change func(*rt.Transaction)) {
		w := c.Worker(worker)
		if change != nil {
			w.Transaction(transaction(5, time.Second, func(x *rt.Transaction) {
				x.Connection = id
				change(x)
			}))
		}
		k := &rt.Connection{Conn: &tcp.Conn{ID: id}, CloseState: rt.Response}
		if at > 0 {
			k.Closer = tcp.Close{Stamp: flow.Stamp{At: at, Frame: id}, Dir: flow.ToClient}
		}
		w.Connection(k)
	}
	unanswered := func(x *rt.Transaction) { x.Status = proto.Unanswered }
	end(0, 11, 40, unanswered)
	end(0, 12, 10, func(x *rt.Transaction) {}) // answered, however its end looked
	end(0, 13, 20, nil)
	end(0, 14, 0, unanswered)
	end(0, 16, 12, func(x *rt.Transaction) { x.Failed, x.Code = true, "500" })
	end(1, 15, 30, func(x *rt.Transaction) { x.Failed, x.Error = true, proto.EndedWithin })
	end(1, 17, 50, unanswered)
	end(1, 18, 60, unanswered)
	sum := c.Result()
	var got []uint64
	for _, x := range sum.Interrupted {
		got = append(got, x.ID)
		if x.ID != x.Transaction.Connection {
			t.Errorf("connection %d with the request of %d", x.ID, x.Transaction.Connection)
		}
	}
	if len(got) != 2 || got[0] != 15 || got[1] != 11 || sum.Broken != 4 {
		t.Errorf("interrupted %v of %d, want 15 and 11 of 4", got, sum.Broken)
	}
}

// Of 100 requests with 20 calls each, every hundredth call takes 100 ms.
func TestSlowCalls(t *testing.T) {
	host, user, db := flow.V4([4]byte{10, 0, 0, 1}), flow.V4([4]byte{10, 0, 0, 9}), flow.V4([4]byte{10, 0, 0, 2})
	const ms = int64(time.Millisecond)
	var spans []span
	for i := range int64(100) {
		at := i * 1000 * ms
		spans = append(spans, span{at, at + 200*ms, user, flow.Endpoint{Addr: host, Port: 80}})
		for j := range int64(20) {
			took := ms
			if i%5 == 0 && j == 7 {
				took = 100 * ms
			}
			spans = append(spans, span{at + ms, at + ms + took, host, flow.Endpoint{Addr: db, Port: 3306}})
		}
	}
	nester := newNester()
	nester.add(spans)
	list := nester.result()
	if len(list) != 1 {
		t.Fatalf("%d nestings, want 1", len(list))
	}
	n := list[0]
	if n.Slow != 20 || n.Struck != 20 || n.Calls != 2000 {
		t.Errorf("%d slow calls of %d in %d requests, want 20 of 2000 in 20", n.Slow, n.Calls, n.Struck)
	}
	if n.SlowSum < 1980*time.Millisecond || n.SlowSum > 2020*time.Millisecond || n.CallSum != 3980*time.Millisecond {
		t.Errorf("slow calls took %v of %v, want 2 s of 3.98 s", n.SlowSum, n.CallSum)
	}
}

// Only where a client had its answer does it tell how soon it asks again.
func TestPauses(t *testing.T) {
	c := New(1, Options{})
	for i := range 160 {
		c.Worker(0).Transaction(transaction(second, time.Millisecond, func(x *rt.Transaction) {
			x.Fingerprint = "COMMIT"
			if x.Idle, x.Ahead = 0, true; i%16 == 0 {
				x.Idle, x.Ahead = 30*time.Millisecond, false
			}
		}))
	}
	sum := c.Result()
	for _, s := range sum.Services {
		if n, half := s.IdleTimes.Count(), s.IdleTimes.Quantile(0.5); n != 10 || half < 29*time.Millisecond {
			t.Errorf("%d pauses, half of them within %v; want 10 of 30ms", n, half)
		}
	}
	if n := only(t, sum).IdleTimes.Count(); n != 10 {
		t.Errorf("%d pauses before COMMIT, want 10", n)
	}
}
