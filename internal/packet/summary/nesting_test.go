package summary

import (
	"testing"
	"time"

	"rtrail/internal/packet/flow"
)

// A host that answers on 80 and asks 256 others meanwhile, as long as it
// answers one request at a time.
func TestNesting(t *testing.T) {
	host, user, db := flow.V4([4]byte{10, 0, 0, 1}), flow.V4([4]byte{10, 0, 0, 9}), flow.V4([4]byte{10, 0, 0, 2})
	const ms = int64(time.Millisecond)
	var spans []span
	request := func(from, to int64) {
		spans = append(spans, span{from * ms, to * ms, user, flow.Endpoint{Addr: host, Port: 80}})
	}
	call := func(from, to int64, port uint16) {
		spans = append(spans, span{from * ms, to * ms, host, flow.Endpoint{Addr: db, Port: port}})
	}
	request(0, 100)
	for range 256 {
		call(10, 11, 3306) // all at once
	}
	call(10, 95, 3306)  // and a slow one
	call(96, 97, 6379)  // somebody else
	call(99, 120, 3306) // still under way when the answer ended: not this request's
	request(200, 300)   // two at a time: nobody knows whose calls these are
	request(250, 350)
	call(260, 280, 3306)
	request(400, 410)
	call(401, 404, 3306) // one after the other
	call(404, 409, 3306)

	n := newNester()
	n.add(spans)
	got := n.result()
	if len(got) != 2 {
		t.Fatalf("%d nestings, want one per port called", len(got))
	}
	x := got[0]
	if x.Port != 80 || x.CalleePort != 3306 || x.Requests != 2 || x.Calls != 259 || x.Most != 257 {
		t.Errorf("got %d -> %d, %d requests, %d calls, at most %d at once; want 80 -> 3306, 2, 259, 257", x.Port, x.CalleePort, x.Requests, x.Calls, x.Most)
	}
	if want := 110 * time.Millisecond; x.Sum != want {
		t.Errorf("requests took %v, want %v", x.Sum, want)
	}
	if want := 93 * time.Millisecond; x.Covered != want {
		t.Errorf("calls covered %v, want %v", x.Covered, want)
	}
}

// TestNestingIsBounded nests as many requests in two halves of memory as in one,
// and forgets those that nobody can nest.
func TestNestingIsBounded(t *testing.T) {
	host, db := flow.V4([4]byte{10, 0, 0, 1}), flow.V4([4]byte{10, 0, 0, 2})
	web, sql := flow.Endpoint{Addr: host, Port: 80}, flow.Endpoint{Addr: db, Port: 3306}
	n := newNester()
	const ms, requests = int64(time.Millisecond), 100_000
	for i := range int64(requests) {
		at := i * 10 * ms
		user := flow.V4([4]byte{10, 1, byte(i >> 8), byte(i)})
		n.add([]span{
			{at + 1*ms, at + 2*ms, host, sql}, {at + 3*ms, at + 5*ms, host, sql},
			{at, at + 6*ms, user, web},
			{at, at + ms, user, sql}, // of which nobody asks anything else
		})
		if len(n.spans) > maxSpans || len(n.asks) > maxHosts {
			t.Fatalf("%d spans, %d hosts", len(n.spans), len(n.asks))
		}
	}
	if n.until == 0 {
		t.Fatal("nothing was summed up before the end")
	}
	got := n.result()
	if len(got) != 1 || got[0].Requests < requests*99/100 || got[0].Calls != 2*got[0].Requests || got[0].Covered != time.Duration(got[0].Requests)*3*time.Millisecond {
		t.Fatalf("%d nestings: %+v", len(got), got)
	}
}

// TestNestingOfManyCalls takes as many calls at once as come.
func TestNestingOfManyCalls(t *testing.T) {
	host := flow.V4([4]byte{10, 0, 0, 1})
	n := newNester()
	n.add([]span{{0, 1e9, flow.V4([4]byte{10, 0, 0, 9}), flow.Endpoint{Addr: host, Port: 80}}})
	const calls = 100_000
	for i := range int64(calls) {
		n.add([]span{{1 + i, 1e9 - 1, host, flow.Endpoint{Addr: flow.V4([4]byte{10, 0, 0, 2}), Port: 3306}}})
	}
	if got := n.result(); len(got) != 1 || got[0].Most != calls || got[0].Calls != calls {
		t.Errorf("%+v", got)
	}
}

// TestNestingLate: a request that comes to be known after others were summed up
// that it was answered beside leaves nothing of that server.
func TestNestingLate(t *testing.T) {
	host := flow.V4([4]byte{10, 0, 0, 1})
	web, sql := flow.Endpoint{Addr: host, Port: 80}, flow.Endpoint{Addr: flow.V4([4]byte{10, 0, 0, 2}), Port: 3306}
	user := flow.V4([4]byte{10, 0, 0, 9})
	n := newNester()
	n.add([]span{{11, 12, host, sql}, {10, 20, user, web}, {31, 32, host, sql}, {30, 40, user, web}})
	n.sort()
	n.fold(25)
	if len(n.sums) != 1 || len(n.spans) != 2 {
		t.Fatalf("%d sums, %d spans", len(n.sums), len(n.spans))
	}
	n.add([]span{{5, 35, user, web}})
	if got := n.result(); len(got) != 0 {
		t.Errorf("%+v", got[0])
	}
}
