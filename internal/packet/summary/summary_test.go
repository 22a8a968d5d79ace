package summary

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/tcp"
)

const second = int64(time.Second)

func transaction(at int64, took time.Duration, change func(*rt.Transaction)) *rt.Transaction {
	t := &rt.Transaction{
		ID: uint64(at), Connection: 1, Proto: "mysql", Command: "Query", Fingerprint: "select ?",
		Client: flow.Endpoint{Addr: flow.V4([4]byte{10, 0, 0, 1}), Port: 40000},
		Server: flow.Endpoint{Addr: flow.V4([4]byte{10, 0, 0, 2}), Port: 3306},
		Start:  at, RT: took, Serve: took, Ack: -1, Idle: -1,
	}
	if change != nil {
		change(t)
	}
	return t
}

// Seconds come once each and in order, whichever worker is ahead, and hold what
// all workers saw.
func TestSecondsMergeWorkers(t *testing.T) {
	var got []string
	c := New(2, Options{Second: func(s *Second) {
		got = append(got, fmt.Sprintf("%d:%d", s.At/second, s.Count))
	}})
	for s := range int64(6) {
		c.Worker(0).Transaction(transaction((100+s)*second, time.Millisecond, nil))
		c.Worker(0).Progress((100 + s) * second)
	}
	if len(got) != 0 {
		t.Errorf("seconds were given out before the other worker got there: %v", got)
	}
	for s := range int64(4) {
		for range 2 {
			c.Worker(1).Transaction(transaction((100+s)*second, time.Millisecond, nil))
		}
		c.Worker(1).Progress((100 + s) * second)
	}
	if diff := cmp.Diff([]string{"100:3"}, got); diff != "" {
		t.Errorf("after the slower worker reached 103: %s", diff)
	}
	c.Result()
	want := []string{"100:3", "101:3", "102:3", "103:3", "104:1", "105:1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What comes after its second was given out is counted in the next one.
func TestLateTransactionIsNotLost(t *testing.T) {
	var total int64
	c := New(1, Options{Second: func(s *Second) { total += s.Count }})
	w := c.Worker(0)
	w.Progress(200 * second)
	w.Transaction(transaction(100*second, time.Millisecond, nil))
	sum := c.Result()
	if total != 1 || sum.Services[Service{flow.Endpoint{Port: 3306}, "mysql"}].Count != 1 {
		t.Errorf("%d transactions in seconds, want 1", total)
	}
}

// Failed transactions count as errors; doubtful ones are counted and left out of times.
func TestWhatIsLeftOut(t *testing.T) {
	c := New(1, Options{ByAddress: true})
	w := c.Worker(0)
	for _, change := range []func(*rt.Transaction){
		nil,
		func(x *rt.Transaction) { x.Failed, x.Code = true, "1146" },
		func(x *rt.Transaction) { x.Doubt = proto.Approximate },
		func(x *rt.Transaction) { x.Doubt = proto.Ambiguous },
		func(x *rt.Transaction) { x.Doubt = proto.Lossy | proto.Approximate },
		func(x *rt.Transaction) { x.Status = proto.Unanswered },
		func(x *rt.Transaction) { x.Status = proto.NoAnswer },
		func(x *rt.Transaction) { x.Status = proto.Unpaired },
		func(x *rt.Transaction) { x.Doubt, x.RT = proto.Blocking, 5*time.Second },
		func(x *rt.Transaction) { x.Doubt, x.Status, x.RT = proto.Blocking, proto.Unanswered, 0 },
	} {
		w.Transaction(transaction(100*second, 7*time.Millisecond, change))
	}
	sum := c.Result()
	s := sum.Services[Service{flow.Endpoint{Addr: flow.V4([4]byte{10, 0, 0, 2}), Port: 3306}, "mysql"}]
	type counts struct{ Count, Failed, Approximate, Ambiguous, Lossy, Unanswered, NoAnswer, Unpaired, Blocking, Excluded int64 }
	want := counts{3, 1, 1, 1, 1, 1, 1, 1, 2, 6}
	got := counts{s.Count, s.Failed, s.Approximate, s.Ambiguous, s.Lossy, s.Unanswered, s.NoAnswer, s.Unpaired, s.Blocking, s.Excluded()}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s.Mean() != 7*time.Millisecond || s.RTMax != 7*time.Millisecond {
		t.Errorf("mean %v, max %v, want 7ms", s.Mean(), s.RTMax)
	}
	if s.Blocked != 5*time.Second {
		t.Errorf("waited for %v because they were asked to, want 5s", s.Blocked)
	}
	for _, statement := range sum.Statements {
		if statement.Codes()["1146"] != 1 {
			t.Errorf("errors by code: %v, want one 1146", statement.Codes())
		}
	}
}

// The slowest are the slowest, in order, and no more than asked for.
func TestSlowest(t *testing.T) {
	c := New(2, Options{Slowest: 3})
	for i := range 1000 {
		took := time.Duration(i*7919%1000) * time.Millisecond
		c.Worker(i % 2).Transaction(transaction(int64(i)*second, took, nil))
	}
	var got []time.Duration
	for _, x := range c.Result().Slowest {
		got = append(got, x.RT/time.Millisecond)
	}
	if diff := cmp.Diff([]time.Duration{999, 998, 997}, got); diff != "" {
		t.Error(diff)
	}
}

// More statements than are told apart are counted together, not lost.
func TestStatementsAreBounded(t *testing.T) {
	c := New(1, Options{Statements: 10})
	for i := range 100 {
		c.Worker(0).Transaction(transaction(second, time.Millisecond, func(x *rt.Transaction) { x.Fingerprint = fmt.Sprint("s", i) }))
	}
	sum := c.Result()
	var n int64
	for _, s := range sum.Statements {
		n += s.Count
	}
	if n != 100 || len(sum.Statements) > 11 {
		t.Errorf("%d transactions in %d statements, want 100 in at most 11", n, len(sum.Statements))
	}
}

// The first disconnect is the earliest close in the middle of something, not a
// client that hangs up when it has its answers.
func TestFirstDisconnect(t *testing.T) {
	c := New(2, Options{})
	end := func(worker int, id uint64, at int64, state rt.State) {
		k := &rt.Connection{Conn: &tcp.Conn{ID: id}, CloseState: state}
		k.Closer = tcp.Close{Stamp: flow.Stamp{At: at, Frame: id}, Dir: flow.ToClient}
		c.Worker(worker).Connection(k)
	}
	end(0, 1, 10, rt.Idle)
	end(0, 2, 40, rt.Waiting)
	end(1, 3, 30, rt.Response)
	end(1, 4, 50, rt.Crossed)
	sum := c.Result()
	if sum.Disconnect == nil || sum.Disconnect.ID != 3 {
		t.Errorf("first disconnect: %+v, want connection 3", sum.Disconnect)
	}
	if sum.Seen != 4 {
		t.Errorf("%d connections, want 4", sum.Seen)
	}
}
